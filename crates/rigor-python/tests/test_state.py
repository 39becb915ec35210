"""States, simulations and trajectories."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rigor


def test_a_state_that_is_set_back_has_the_same_future(drop: rigor.Scene, fall: rigor.Run) -> None:
    simulation = rigor.Simulation(drop, "xpbd")
    simulation.step(20)
    here = simulation.state
    simulation.step(20)
    assert simulation.state_hash == fall.state_hash and simulation.steps == 40
    simulation.state = here
    for _ in range(20):
        simulation.step()
    assert simulation.state_hash == fall.state_hash
    assert simulation.contacts["normal_force"].sum() > 0 and simulation.report["iterations"] > 0
    assert np.isclose(simulation.energy, fall.energy[-1])
    fresh = rigor.Simulation(drop, "xpbd")
    fresh.state = here
    fresh.step(20)
    assert fresh.state_hash == fall.state_hash


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=3, max_size=3), st.lists(st.floats(-3, 3), min_size=3, max_size=3))
def test_free_flight_conserves_energy_from_any_velocity(v: list[float], omega: list[float]) -> None:
    scene = rigor.Scene.from_dict(
        {"name": "brick", "gravity": [0, 0, 0], "body": [{"name": "b", "shape": [{"box": {"size": [1, 2, 3]}}]}]}
    )
    simulation = rigor.Simulation(scene, "free", dt=0.01)
    state = simulation.state
    state.v[0], state.omega[0] = v, omega
    simulation.state = state
    before = simulation.energy
    simulation.step(20)
    assert np.isclose(simulation.energy, before, rtol=1e-6, atol=1e-9)


def test_invalid_states_are_refused(drop: rigor.Scene) -> None:
    simulation = rigor.Simulation(drop)
    for name, value, why in [
        ("q", np.zeros((2, 4)), "the norm 0"),
        ("x", np.zeros((3, 3)), "x has the shape"),
        ("v", np.full((2, 3), np.inf), "not finite"),
    ]:
        state = simulation.state
        setattr(state, name, value)
        with pytest.raises(ValueError, match=why):
            simulation.state = state
    state = simulation.state
    state.memory["m"] = [1, 2]
    with pytest.raises(ValueError, match="neither an array of float64"):
        simulation.state = state


def test_the_trajectory_of_a_run_is_judged_like_the_run(drop: rigor.Scene, fall: rigor.Run) -> None:
    names = [body.name for body in drop.bodies]
    axes = np.array([body.axes for body in drop.bodies])
    # Trajectories turn the author's frame into the world: q = q_principal · axes⁻¹.
    q = np.array([[_product(q, a * [1, -1, -1, -1]) for q, a in zip(row, axes)] for row in fall.q])
    given = rigor.Trajectory(drop, fall.t, fall.x, q, velocity=fall.v, omega=fall.omega, names=names, label="again")
    assert np.allclose(given.q, fall.q, atol=1e-14) or np.allclose(np.abs((given.q * fall.q).sum(axis=2)), 1)
    ours, theirs = given.judge().of_scene(), fall.judge().of_scene()
    assert "contact.force_imbalance" not in ours
    for figure in ("penetration.deepest", "intersection.frames", "energy.drift"):
        assert np.isclose(ours[figure], theirs[figure], rtol=1e-9, atol=1e-12), figure
    swapped = rigor.Trajectory(drop, fall.t, fall.x, q[:, :, [1, 2, 3, 0]], order="xyzw")
    assert swapped.label == "trajectory" and np.allclose(swapped.x, fall.x)
    with pytest.raises(rigor.RigorError, match="box"):
        rigor.Trajectory(drop, fall.t, fall.x, q, names=["floor", "bax"])
    with pytest.raises(ValueError, match="order is"):
        rigor.Trajectory(drop, fall.t, fall.x, q, order="zyx")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.npz"
        np.savez(path, t=fall.t, pos=fall.x, quat=q)
        read = rigor.Trajectory.read(drop, path, label="file")
        assert np.array_equal(read.x, fall.x) and read.label == "file"
    page = rigor.compare([fall, given]).html
    assert "again" in page


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array(
        [
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
        ]
    )


def test_strains_are_part_of_a_state(drop: rigor.Scene) -> None:
    simulation = rigor.Simulation(drop, "xpbd")
    state = simulation.state
    assert state.strains.shape == (0, 3, 3)
    n = len(state.x)
    state.strains = np.zeros((n, 3, 3))
    state.strains[0, 1, 2] = state.strains[0, 2, 1] = 1e-4
    simulation.state = state
    for same in (simulation.state, state.copy(), pickle.loads(pickle.dumps(state))):
        assert (same.strains == state.strains).all()
    for bad, what in ((np.zeros((n + 1, 3, 3)), "strains has the shape"), (np.arange(9.0 * n).reshape(n, 3, 3), "not symmetric")):
        state.strains = bad
        with pytest.raises(ValueError, match=what):
            simulation.state = state
