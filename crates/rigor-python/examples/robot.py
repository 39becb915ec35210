"""Robots: loads URDF or MJCF files, moves them by `xpbd`, and by MuJoCo where it is installed.

python examples/robot.py [FILE ...]

Gravity is tilted, so that also a robot that hangs at rest begins to move. Both programs start from the file's own posture, at rest,
with the base of a URDF file fixed and without contact. Motion is compared until a joint reaches a limit, or for 0.5 s: contacts and
limits are laws of their own in each program. MuJoCo runs without dry friction, armature and equalities, which the import leaves out
and lists.
"""

from __future__ import annotations

import sys
import tempfile
import xml.etree.ElementTree as Xml
from pathlib import Path
from typing import Any

import numpy as np

import rigor

GRAVITY = (3.0, 2.0, -9.0)
DURATION = 0.5
DT = 1e-3
SUBSTEPS = 20

#: Two rods on hinges, one with a spring and a damper.
ARM = """<mujoco model="arm"><worldbody><body name="upper" pos="0 0 1">
  <joint name="shoulder" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03"/>
  <body name="lower" pos="0 0 -0.4">
    <joint name="elbow" axis="1 0 0" stiffness="2" damping="0.05"/><geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02"/>
    <site name="tip" pos="0 0 -0.3"/>
  </body></body></worldbody></mujoco>"""


def by_rigor(path: Path) -> tuple[rigor.Scene, rigor.Run]:
    """The run of a robot."""
    scene = rigor.Scene.robot(path, fixed_base=path.suffix == ".urdf", changes={"gravity": GRAVITY})
    run = rigor.run(scene, "xpbd", dt=DT, duration=DURATION, every=10, substeps=SUBSTEPS).check()
    return scene, run


def by_mujoco(path: Path, times: np.ndarray) -> tuple[dict[str, np.ndarray], float]:
    """Centres of mass of the bodies by name (n × 3, m), and the time (s) at which the first limit is reached."""
    import mujoco

    model = _model(mujoco, path)
    model.opt.gravity[:] = GRAVITY
    model.opt.timestep = 2e-5
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_EQUALITY
    model.dof_frictionloss[:] = 0.0
    model.dof_armature[:] = 0.0
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    names = [model.body(i).name for i in range(model.nbody)]
    path_of: dict[str, list[np.ndarray]] = {name: [] for name in names}
    end = np.inf
    for t in times:
        while data.time < t - 1e-9:
            mujoco.mj_step(model, data)
            if data.nefc and end == np.inf:
                end = data.time
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        for i, name in enumerate(names):
            path_of[name].append(data.xipos[i].copy())
    return {name: np.array(positions) for name, positions in path_of.items()}, end


def _model(mujoco: Any, path: Path) -> Any:
    """The model as MuJoCo reads it: of URDF without what is for display or contact, since its bodies have masses of their own."""
    tree = Xml.parse(path).getroot()
    if tree.tag == "mujoco":
        for sensors in tree.findall("sensor"):
            tree.remove(sensors)
        for compiler in tree.findall("compiler") or [Xml.SubElement(tree, "compiler")]:
            compiler.set("fusestatic", "true")
        return mujoco.MjModel.from_xml_string(Xml.tostring(tree, encoding="unicode"))
    known = {link.get("name") for link in tree.iter("link")}
    if "world" not in known and any(parent.get("link") == "world" for parent in tree.iter("parent")):
        Xml.SubElement(tree, "link", name="world")
    for link in tree.iter("link"):
        for part in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(part)
        for inertial in link.findall("inertial"):
            _make_possible(link, inertial)
    Xml.SubElement(Xml.SubElement(tree, "mujoco"), "compiler", boundmass="1e-3", boundinertia="1e-6")
    return mujoco.MjModel.from_xml_string(Xml.tostring(tree, encoding="unicode"))


def _make_possible(link: Xml.Element, inertial: Xml.Element) -> None:
    """Replaces moments that no body can have by those of a ball of water, as the import does."""
    given, weight = inertial.find("inertia"), inertial.find("mass")
    mass = 0.0 if weight is None else float(weight.get("value", "0"))
    if mass <= 0.0:
        link.remove(inertial)
        return
    if given is None:
        given = Xml.SubElement(inertial, "inertia")
    xx, yy, zz, xy, xz, yz = (float(given.get("i" + axes, "0")) for axes in ("xx", "yy", "zz", "xy", "xz", "yz"))
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if moments[0] > 1e-12 * moments[2] and moments[2] <= (moments[0] + moments[1]) * (1 + 1e-6):
        return
    ball = 0.4 * mass * (mass / 1000.0 * 0.75 / np.pi) ** (2 / 3)
    for axes in ("xx", "yy", "zz"):
        given.set("i" + axes, repr(ball))
    for axes in ("xy", "xz", "yz"):
        given.set("i" + axes, "0")


def simplified(path: Path, folder: Path, limits: bool) -> Path:
    """A copy of a robot without contact, and without limits of joints on request."""
    tree = Xml.parse(path)
    root = tree.getroot()
    for compiler in root.findall("compiler"):
        compiler.set("meshdir", str(path.resolve().parent / compiler.get("meshdir", "")))
    for geom in root.iter("geom"):
        geom.set("contype", "0")
        geom.set("conaffinity", "0")
    for joint in root.iter("joint") if not limits else ():
        for limit in joint.findall("limit"):
            joint.remove(limit)
        if root.tag == "mujoco":
            joint.set("limited", "false")
        elif joint.get("type") == "revolute":
            joint.set("type", "continuous")
    copy = folder / path.name
    tree.write(copy)
    return copy


def compare(path: Path) -> dict[str, Any]:
    """What became of a robot, and how its motion differs from that under MuJoCo."""
    scene = rigor.Scene.robot(path)
    row: dict[str, Any] = {
        "robot": scene.name,
        "bodies": len(scene.bodies),
        "joints": len(scene.joints),
        "mass": sum(body.mass for body in scene.bodies if body.is_dynamic),
        "left out": len(scene.warnings),
    }
    try:
        with tempfile.TemporaryDirectory() as folder:
            found = apart(simplified(path, Path(folder), limits=True))
            if found["until"] < 0.01:
                # The posture of the file is beyond its own limits.
                found = apart(simplified(path, Path(folder), limits=False)) | {"limits": "removed"}
    except (ImportError, ValueError) as error:
        found = {"note": str(error).splitlines()[0]}
    return row | found


def apart(path: Path) -> dict[str, Any]:
    """How far a robot moved, and how far the two motions are apart (m)."""
    scene, run = by_rigor(path)
    theirs, end = by_mujoco(path, run.t)
    last = float(min(end, run.t[-1]))
    until = run.t < last + 1e-9
    ours = {body.name: run.x[until, body.index] for body in scene.bodies if body.is_dynamic and body.name in theirs}
    way = max(float(np.linalg.norm(x - x[0], axis=1).max()) for x in ours.values())
    differences = {name: float(np.linalg.norm(x - theirs[name][until], axis=1).max()) for name, x in ours.items()}
    worst = max(differences, key=lambda name: differences[name])
    found = {"until": last, "compared": len(ours), "way": way, "apart": differences[worst], "body": worst}
    return found | {"share": differences[worst] / way if way > 1e-6 else 0.0}


def main(*files: str) -> list[dict[str, Any]]:
    """Prints a row per robot."""
    with tempfile.TemporaryDirectory() as folder:
        if not files:
            own = Path(folder) / "arm.xml"
            own.write_text(ARM, encoding="utf-8")
            files = (str(own),)
        rows = [compare(Path(file)) for file in files]
    for row in rows:
        print(", ".join(f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}" for name, value in row.items()))
    return rows


if __name__ == "__main__":
    main(*sys.argv[1:])
