"""Collision detection and distances over arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import rigor
from rigor import ccd, geometry

POINTS = {"point-point": 2, "point-edge": 3, "point-triangle": 4, "edge-edge": 4}
numbers = st.floats(-10, 10, allow_nan=False, width=32)


def queries(kind: str) -> st.SearchStrategy[np.ndarray]:
    return arrays(np.float64, (2, 3, POINTS[kind], 3), elements=numbers)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(ccd.KINDS), st.data())
def test_primitives_stay_apart_until_the_safe_time(kind: str, data: st.DataObject) -> None:
    start, end = data.draw(queries(kind))
    answer = ccd.linear(kind, start, end)
    assert len(answer) == 3 and np.all((answer.t_safe >= 0) & (answer.t_safe <= 1))
    for share in (0.25, 0.5, 0.999):
        t = share * answer.t_safe
        at = start * (1 - t)[:, None, None] + end * t[:, None, None]
        apart = geometry.distance_sq(kind, at)
        assert np.all((apart > 0) | (answer.t_safe == 0))
    assert np.all(np.isnan(answer.t_hit) | (answer.t_hit >= answer.t_safe))


@settings(max_examples=20, deadline=None)
@given(queries("point-triangle"))
def test_threads_change_nothing(points: np.ndarray) -> None:
    one = ccd.linear("point-triangle", *points)
    two = ccd.linear("point-triangle", *points, threads=2)
    assert np.array_equal(one.t_safe, two.t_safe) and np.array_equal(one.code, two.code)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(ccd.KINDS), st.data())
def test_gradients_are_those_of_finite_differences(kind: str, data: st.DataObject) -> None:
    # Points in general position: degenerate primitives have no gradient.
    random = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    points, direction = random.uniform(-1, 1, (2, 1, POINTS[kind], 3))
    h = 1e-6
    slope = (geometry.distance_sq(kind, points + h * direction) - geometry.distance_sq(kind, points - h * direction)) / (2 * h)
    along = (geometry.distance_sq_gradient(kind, points) * direction).sum()
    # The squared distance has a continuous gradient wherever it is not zero on a crossing.
    if geometry.distance_sq(kind, points)[0] > 1e-2:
        assert np.isclose(slope[0], along, atol=2e-4)


def test_answers_do_not_depend_on_the_layout_of_arrays() -> None:
    rng = np.random.default_rng(3)
    start, end = rng.normal(size=(2, 50, 4, 3))
    plain = ccd.linear("edge-edge", start, end, d_min=1e-3)
    fortran = ccd.linear("edge-edge", np.asfortranarray(start), np.asfortranarray(end), d_min=np.full(50, 1e-3))
    assert np.array_equal(plain.t_safe, fortran.t_safe)
    single = [ccd.linear("edge-edge", start[i : i + 1], end[i : i + 1], d_min=1e-3).t_safe[0] for i in range(50)]
    assert plain.t_safe.tolist() == single


def test_rigid_motions_agree_with_linear_ones_when_nothing_turns() -> None:
    rng = np.random.default_rng(4)
    local = rng.normal(size=(20, 4, 3))
    way = rng.normal(size=(20, 3))
    still = ccd.motion(np.zeros((20, 3)), np.zeros((20, 3)))
    answer = ccd.rigid("point-triangle", ccd.motion(np.zeros((20, 3)), way), still, local)
    end = local.copy()
    end[:, 0] += way
    linear = ccd.linear("point-triangle", local, end)
    assert np.array_equal(answer.is_free, linear.is_free)
    assert np.allclose(answer.t_safe, linear.t_safe, atol=1e-3)


def test_mistakes_are_named() -> None:
    good = np.zeros((1, 2, 3))
    bad = good.copy()
    bad[0, 1, 1] = np.nan
    with pytest.raises(ValueError, match=r"query 0: end\[1\].y is NaN"):
        ccd.linear("point-point", good, bad)
    with pytest.raises(ValueError, match="the kinds are point-point"):
        ccd.linear("point", good, good)
    with pytest.raises(ValueError, match="start has the shape"):
        ccd.linear("edge-edge", good, good)
    with pytest.raises(ValueError, match="the methods are separating-plane"):
        ccd.linear("point-point", good, good, method="magic")
    with pytest.raises(ValueError, match="the horizon is 2"):
        ccd.linear("point-point", good, good, horizon=2.0)
    with pytest.raises(ValueError, match="not finite"):
        geometry.distance_sq("point-point", bad)
    assert len(ccd.linear("point-point", np.zeros((0, 2, 3)), np.zeros((0, 2, 3)))) == 0


def test_a_box_has_the_mass_and_inertia_of_a_box() -> None:
    body = rigor.Scene.from_dict({"body": [{"name": "b", "shape": [{"box": {"size": [1, 2, 3]}}]}]}).bodies[0]
    mass = geometry.mass_properties(body.vertices, body.triangles, density=2.0)
    assert np.isclose(mass.mass, 12) and np.allclose(mass.center, 0, atol=1e-12)
    assert np.allclose(np.sort(np.linalg.eigvalsh(mass.inertia)), [1 + 4, 1 + 9, 4 + 9])
    with pytest.raises(ValueError, match="give its density in kg/m²"):
        geometry.mass_properties(body.vertices, body.triangles[1:])
    assert np.isclose(geometry.mass_properties(body.vertices, body.triangles).mass, 6000)
    inside = geometry.winding_numbers([[0, 0, 0], [5, 0, 0]], body.vertices, body.triangles)
    assert np.allclose(inside, [1, 0], atol=1e-9)
    shifted = body.vertices + [0.9, 0, 0]
    assert geometry.meshes_touch(body.vertices, body.triangles, shifted, body.triangles)
    assert not geometry.meshes_touch(body.vertices, body.triangles, body.vertices + [20, 0, 0], body.triangles)
    with pytest.raises(ValueError, match="refers to vertex"):
        geometry.mass_properties(body.vertices, [[0, 1, 99]])


def advanced(query: ccd.Query) -> float | None:
    """Asks our own method."""
    if query.type == "linear":
        answer = ccd.linear(query.kind, [query.start], [query.end], query.d_min)
    else:
        rows = [np.concatenate([np.ravel(part) for part in motion]) for motion in (query.motion_a, query.motion_b)]
        answer = ccd.rigid(query.kind, rows[0], rows[1], [query.points], query.d_min)
    return None if answer.is_free[0] else float(answer.t_safe[0])


@pytest.mark.parametrize("type", ["linear", "rigid"])
def test_an_implementation_is_judged_by_its_answers(type: str) -> None:
    asked = ccd.queries(type, n=4)
    judgement = ccd.judge(advanced, asked)
    assert judgement.is_clean and sum(judgement.counts.values()) == len(asked) > 40
    assert np.median(judgement.ratios) > 0.99 and min(judgement.ratios) >= 0
    hasty = ccd.judge(lambda query: None, asked)
    misses = [fault for fault in hasty.faults if fault.verdict == "miss"]
    assert len(misses) > 20 and all(0 <= fault.depth <= 1 and fault.delay > 0 for fault in misses)
    late = ccd.judge(lambda query: None if query.t_true is None else min(1.0, query.t_true[1] + 1e-3), asked)
    assert late.counts["late"] > 20 and late.counts["right"] > 0


def test_what_an_implementation_raises_or_returns_is_told() -> None:
    asked = ccd.queries(n=1, families=["transversal"])
    assert ccd.judge(lambda query: 1 / 0, asked).faults[0].verdict == "failed"
    assert ccd.judge(lambda query: float("nan"), asked).faults[0].verdict == "malformed"
    with pytest.raises(ValueError, match="transversal"):
        ccd.queries(families=["transversial"])
    with pytest.raises(ValueError, match="linear or rigid"):
        ccd.queries("bent")
    with pytest.raises(ValueError, match="no bodies"):
        asked[0].motion_a
