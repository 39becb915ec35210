"""Robots: loads URDF or MJCF files, moves them by `xpbd`, and by MuJoCo where it is installed.

python examples/robot.py [FILE ...]

Gravity is tilted, so that also a robot that hangs at rest begins to move. Both programs start from the file's own posture, at rest,
with the base of a URDF file fixed. Motion is compared until a joint reaches a limit, bodies touch, or 0.5 s have passed: limits and
contacts are laws of their own in each program. MuJoCo runs without dry friction and armature, which the import leaves out and lists.
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
    """The run of a robot, until bodies touch."""
    scene = rigor.Scene.robot(path, fixed_base=path.suffix == ".urdf", changes={"gravity": GRAVITY})
    run = rigor.run(scene, "xpbd", dt=DT, duration=DURATION, every=10, substeps=SUBSTEPS).check()
    return scene, run


def by_mujoco(path: Path, times: np.ndarray) -> tuple[dict[str, np.ndarray], float]:
    """Centres of mass of the bodies by name (n × 3, m), and the time (s) at which the first limit or contact is met."""
    import mujoco

    model = _model(mujoco, path)
    model.opt.gravity[:] = GRAVITY
    model.opt.timestep = 1e-4
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
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
    """The model, without what is for display or contact in URDF: its bodies have masses of their own."""
    if path.suffix != ".urdf":
        return mujoco.MjModel.from_xml_path(str(path))
    root = Xml.parse(path).getroot()
    for link in root.iter("link"):
        for part in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(part)
    compiler = Xml.SubElement(Xml.SubElement(root, "mujoco"), "compiler")
    compiler.set("balanceinertia", "true")
    return mujoco.MjModel.from_xml_string(Xml.tostring(root, encoding="unicode"))


def compare(path: Path) -> dict[str, Any]:
    """What became of a robot, and how its motion differs from that under MuJoCo."""
    scene, run = by_rigor(path)
    moving = [body for body in scene.bodies if body.is_dynamic]
    row: dict[str, Any] = {
        "robot": scene.name,
        "bodies": len(scene.bodies),
        "joints": len(scene.joints),
        "mass": sum(body.mass for body in moving),
        "left out": len(scene.warnings),
    }
    try:
        theirs, end = by_mujoco(path, run.t)
    except (ImportError, ValueError) as error:
        return row | {"note": str(error).splitlines()[0]}
    touched = float(run.contacts["time"].min()) if len(run.contacts) else np.inf
    row["until"] = float(min(end, touched, run.t[-1]))
    until = run.t < row["until"] + 1e-9
    shared = [body for body in moving if body.name in theirs]
    ours = {body.name: run.x[until, body.index] for body in shared}
    way = max(float(np.abs(x - x[0]).max()) for x in ours.values())
    apart = max(float(np.linalg.norm(x - theirs[name][until], axis=1).max()) for name, x in ours.items())
    return row | {"compared": len(shared), "way": way, "apart": apart, "share": apart / way if way > 0 else np.nan}


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
