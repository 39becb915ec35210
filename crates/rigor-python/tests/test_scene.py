"""Scenes: from files, dictionaries and the builder, and their errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rigor


@settings(max_examples=30, deadline=None)
@given(st.tuples(*[st.floats(0.01, 10)] * 3), st.floats(1, 1e4))
def test_built_boxes_have_their_mass(size: tuple[float, float, float], density: float) -> None:
    scene = rigor.Scene.builder("b").body("box", {"box": {"size": np.array(size)}}, density=np.float64(density)).build()
    body = scene.body("box")
    assert np.isclose(body.mass, density * np.prod(size))
    assert np.all(np.diff(body.inertia) >= 0) and body.is_dynamic and body.role == "dynamic"
    assert rigor.Scene.from_toml(scene.to_toml()) == scene


def test_meshes_and_joints_can_be_built(tmp_path: Path) -> None:
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    scene = (
        rigor.Scene.builder("swing", gravity=[0, -1, 0])
        .mesh("tetrahedron", corners, faces, position=[1, 0, 0])
        .joint("pivot", "ball", "tetrahedron", position=[1, 2, 0])
        .expect("constraint.quaternion_norm", at_most=1e-9)
        .build()
    )
    assert scene.joints == ["pivot"] and scene.gravity == [0, -1, 0]
    assert scene.bodies[0].vertices.shape == (4, 3) and scene.bodies[0].triangles.dtype == np.uint32
    path = scene.save(tmp_path / "swing")
    assert rigor.Scene.load(path) == scene
    run = rigor.run(scene, "xpbd", duration=0.1)
    assert len(run.joints) == 10 and np.all(~run.joints["broken"])
    assert np.isclose(run.joints["force"][:, 1].mean(), scene.bodies[0].mass, rtol=0.2)


def test_changes_are_those_of_the_program(ball: rigor.Scene) -> None:
    changed = ball.with_changes({"body.ball.restitution": np.float64(0.25), "time.dt": 0.002})
    assert changed.dt == 0.002 and changed.body("ball").restitution == 0.25
    assert changed != ball and changed.with_changes({}) == changed


def test_errors_have_the_text_of_the_program(drop: rigor.Scene) -> None:
    with pytest.raises(rigor.SceneError, match=r"did you mean \"bouncing/ball\""):
        rigor.Scene.case("bouncing/bal")
    with pytest.raises(rigor.SceneError, match=r"scene.toml:3:.*siz"):
        rigor.Scene.from_toml("[[body]]\nname = 'b'\nshape = [{ box = { siz = [1, 1, 1] } }]\n")
    with pytest.raises(rigor.MethodError, match="did you mean \"xpbd\""):
        rigor.run(drop, "xpdb")
    with pytest.raises(rigor.MethodError, match="method.xpbd: .*substeps"):
        rigor.run(drop, "xpbd", substep=3)
    with pytest.raises(ValueError, match="dt is -1 s"):
        rigor.run(drop, "xpbd", dt=-1)
    with pytest.raises(rigor.UnsupportedError, match="free does not support"):
        rigor.run(rigor.Scene.case("joints/ball-swing"), "free")
    with pytest.raises(KeyError, match="there is no body 'bax'"):
        drop.body("bax")
    with pytest.raises(IndexError):
        drop.can_collide(0, 7)
    assert issubclass(rigor.SceneError, rigor.RigorError)


def test_a_scene_says_who_collides_with_whom(drop: rigor.Scene) -> None:
    assert drop.can_collide(0, 1) and not drop.can_collide(0, 0)
    assert drop.friction_between(0, 1) == (0.5, 0.5)
    assert any("contact" in line for line in drop.notices("free"))
    kinetic, potential = drop.energy(drop.initial())
    assert kinetic == 0 and np.isclose(potential, drop.body("box").mass * 9.81 * 0.2)


def test_a_robot_tells_what_was_left_out(tmp_path: Path) -> None:
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = f"""<robot name="arm"><link name="base">{inertial}</link><link name="rod">{inertial}</link>
    <joint name="j" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/><dynamics friction="0.5"/></joint><gazebo/></robot>"""
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    free, fixed = rigor.Scene.robot(path), rigor.Scene.robot(path, fixed_base=True, changes={"gravity": [0, 0, -1]})
    assert free.body("base").is_dynamic and not fixed.body("base").is_dynamic and fixed.gravity == [0, 0, -1]
    # Only what changes the physics is a warning.
    assert any("friction" in line for line in fixed.warnings) and len(free.warnings) == len(fixed.warnings)
    assert not any("<gazebo>" in line for line in fixed.warnings)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"position": np.array([0, np.nan, 0])}, "body 'a': position: the array of shape (3,) has nan at [1]"),
        ({"position": [0, float("inf"), 0]}, "body 'a': position: the array of shape (3,) has inf at [1]"),
        ({"density": np.nan}, "body 'a': density is nan: it must be finite"),
        ({"position": np.zeros((2, 3))}, "body 'a': position[0]: expected a number, found an array (the array position has the shape (2, 3))"),
        ({"position": np.zeros(2)}, "body 'a': position: expected an array of 3 items, found 2 items (the array position has the shape (2,))"),
        ({"frition": 0.5}, "frition"),
    ],
)
def test_arrays_are_named_by_body_and_shape(keys: dict[str, object], expected: str) -> None:
    with pytest.raises(rigor.SceneError) as found:
        rigor.Scene.builder("s", time={"dt": 0.01, "duration": 0.1}).body("a", {"box": {"size": [1, 1, 1]}}, **keys).build()
    assert expected in str(found.value) and "scene.json" not in str(found.value)


def test_numbers_that_are_not_finite_are_named_in_dictionaries_and_settings(ball: rigor.Scene) -> None:
    sizes = {"name": "s", "body": [{"name": "a", "shape": [{"box": {"size": [1, 1, np.nan]}}]}]}
    with pytest.raises(rigor.SceneError, match=r"body 'a': shape \[0\]: box: size: the array of shape \(3,\) has nan at \[2\]"):
        rigor.Scene.from_dict(sizes)
    with pytest.raises(rigor.MethodError, match="substeps is nan"):
        rigor.run(ball, substeps=np.nan)
