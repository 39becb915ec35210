"""Runs: arrays, records, pickles, and the bits of the program."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest

import rigor

PROGRAM = os.environ.get("RIGOR_PROGRAM", str(Path(__file__).parents[3] / "target" / "release" / "rigor"))


def test_arrays_have_a_row_per_state(fall: rigor.Run, drop: rigor.Scene) -> None:
    n, b = 41, len(drop.bodies)
    assert fall.t.shape == (n,) and np.allclose(fall.t, 0.01 * np.arange(n), atol=1e-15)
    assert fall.x.shape == fall.v.shape == fall.omega.shape == (n, b, 3)
    assert fall.q.shape == (n, b, 4) and np.allclose(np.linalg.norm(fall.q, axis=2), 1)
    assert fall.step.tolist() == list(range(n))
    assert fall.completed and fall.check() is fall


def test_a_free_fall_follows_the_parabola() -> None:
    scene = rigor.Scene.from_dict({"name": "stone", "body": [{"name": "stone", "shape": [{"box": {"size": [1, 1, 1]}}]}]})
    run = rigor.run(scene, "free", dt=0.01, duration=0.5)
    assert np.allclose(run.x[:, 0, 1], -0.5 * 9.81 * run.t**2, atol=1e-12)
    assert np.allclose(run.kinetic, 0.5 * 1000 * (9.81 * run.t) ** 2, rtol=1e-12)
    assert np.allclose(run.energy, 0, atol=1e-9)


def test_contact_forces_carry_the_weight(fall: rigor.Run, drop: rigor.Scene) -> None:
    box = drop.body("box")
    force = fall.contact_force("box")
    assert force.shape == (40, 3)
    # At rest at the end: the mean force is the weight.
    assert np.isclose(force[-10:, 1].mean(), box.mass * 9.81, rtol=0.02)
    assert np.allclose(fall.contact_force("box", "floor"), force)
    assert np.allclose(fall.contact_force("floor"), -force)
    assert set(fall.contacts.dtype.names or ()) >= {"step", "time", "point", "normal", "normal_force", "friction"}


@pytest.mark.skipif(not os.path.exists(PROGRAM), reason="the program is not built")
@pytest.mark.parametrize(("case", "method"), [("bouncing/ball", "xpbd"), ("joints/hinge-drive", "xpbd"), ("unit-tests/vertex-face", "ipc")])
def test_python_and_the_program_have_the_same_bits(case: str, method: str, tmp_path: Path) -> None:
    run = rigor.run(rigor.Scene.case(case), method, dt=0.01, duration=0.1)
    command = [PROGRAM, "run", case, "--method", method, "--dt", "0.01", "--time", "0.1", "--out", str(tmp_path / "run"), "--quiet"]
    subprocess.run(command, check=False, capture_output=True)
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["state_hash"] == run.state_hash
    found = {f["figure"]: f["value"] for f in record["findings"] if "body" not in f}
    ours = run.judge().of_scene()
    assert found.keys() == ours.keys()
    for figure, value in found.items():
        assert value is None or value == ours[figure], figure


def test_a_run_in_a_folder_is_read_back(drop: rigor.Scene, fall: rigor.Run, tmp_path: Path) -> None:
    made = rigor.run(drop, "xpbd", out=tmp_path / "a")
    assert made.state_hash == fall.state_hash
    read = rigor.Run.load(tmp_path / "a")
    assert read.state_hash == fall.state_hash and np.array_equal(read.x, fall.x) and read.method == "xpbd"
    fall.save(tmp_path / "b")
    assert np.array_equal(rigor.Run.load(tmp_path / "b").q, fall.q)
    with pytest.raises(rigor.RunError, match="already contains a run"):
        rigor.run(drop, "xpbd", out=tmp_path / "a")
    with pytest.raises(rigor.RunError, match="no such file"):
        rigor.Run.load(tmp_path / "none")


def test_runs_and_scenes_survive_pickles(fall: rigor.Run, drop: rigor.Scene) -> None:
    scene = pickle.loads(pickle.dumps(drop))
    assert scene == drop and rigor.run(scene, "xpbd").state_hash == fall.state_hash
    run = pickle.loads(pickle.dumps(fall))
    assert run.state_hash == fall.state_hash and run.settings == fall.settings and run.label == fall.label
    for name in ("t", "x", "q", "v", "omega", "energy"):
        assert np.array_equal(getattr(run, name), getattr(fall, name)), name
    assert np.array_equal(run.contacts, fall.contacts)
    assert run.judge().of_scene() == fall.judge().of_scene()
    state = pickle.loads(pickle.dumps(fall.last))
    assert np.array_equal(state.x, fall.last.x) and state.memory.keys() == fall.last.memory.keys()


def test_settings_reach_the_method_and_the_record(drop: rigor.Scene) -> None:
    run = rigor.run(drop, "xpbd", substeps=7)
    assert run.settings["substeps"] == 7 and run.scene.to_toml().count("substeps = 7") == 1
    again = rigor.run(drop.with_changes({"method.xpbd.substeps": 7}), "xpbd")
    assert again.state_hash == run.state_hash


def test_every_keeps_fewer_states(drop: rigor.Scene, fall: rigor.Run) -> None:
    run = rigor.run(drop, "xpbd", every=10)
    assert run.step.tolist() == [0, 10, 20, 30, 40] and run.state_hash == fall.state_hash
    assert np.array_equal(run.x, fall.x[::10])


def test_particles_have_arrays() -> None:
    scene = rigor.Scene.case("soft/oscillator")
    run = rigor.run(scene, "xpbd", duration=0.1)
    assert run.particle_x.shape == (len(run.t), scene.n_particles, 3) and scene.n_particles > 0
    assert pickle.loads(pickle.dumps(run)).state_hash == run.state_hash


def test_pictures_show_states(fall: rigor.Run) -> None:
    first, last = fall.picture(0, size=(80, 50)), fall.picture(size=(80, 50))
    for png in (first, last):
        assert png.startswith(b"\x89PNG\r\n") and int.from_bytes(png[16:20], "big") == 80
    assert first != last
    with pytest.raises(IndexError, match="there is no state 99 of 41"):
        fall.picture(99)
    with pytest.raises(ValueError, match="each side must have 1 to 8192"):
        fall.picture(size=(0, 5))


def test_a_run_is_a_sequence_of_states_that_cannot_be_changed() -> None:
    made = rigor.run("bouncing/ball", duration=0.1)
    assert len(made) == len(made.t) == sum(1 for _ in made)
    assert made[-1].step == made.step[-1] and np.array_equal(made[3].x, made.x[3])
    with pytest.raises(IndexError):
        made[len(made)]
    for array in (made.x, made.q, made.v, made.omega, made.t, made.step, made.particle_x, made.kinetic, made[0].x):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_a_scene_that_is_not_there_is_an_error_with_its_name() -> None:
    with pytest.raises(rigor.SceneError, match="no/such-scene"):
        rigor.run("no/such-scene")
