"""Compares what `rigor scene import` makes of URDF and MJCF files with independent readers.

    pip install mujoco yourdfpy numpy
    python benchmarks/corpus/compare_robots.py FOLDER... --rigor target/release/rigor --csv robots.csv

MJCF is compiled by MuJoCo, URDF is parsed by yourdfpy and placed here. Compared are, in the posture of the file and the frame of the
world: mass, centre and inertia of all that each joint moves, its anchor, axis, bounds, stiffness and damping, gravity, and the mass of
all that moves. A difference is relative to the size of what is compared (m for places and centres, or 1 m if that is more). The row of a
file has the largest difference of each quantity, and the entries of the account that explain it. The exit code is 1 if a difference above
1e-6 has no entry that changes the physics, and none that is a rule.
"""

import math
import pathlib
import subprocess
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from comparison import TOLERANCE, arguments, difference, finish

QUANTITIES = ["mass", "centre", "inertia", "anchor", "axis", "bounds", "stiffness", "damping", "gravity", "moving_mass", "joints"]


def rotation(wxyz):
    w, x, y, z = np.array(wxyz, float) / np.linalg.norm(wxyz)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def together(parts):
    """Mass, centre and inertia about the centre of (mass, centre, inertia) in one frame."""
    mass = sum(part[0] for part in parts)
    if mass <= 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    centre = sum(part[0] * part[1] for part in parts) / mass
    inertia = np.zeros((3, 3))
    for m, c, i in parts:
        d = c - centre
        inertia += i + m * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, centre, inertia


class Robot:
    """What moves: joints by name, and for each the mass of all that it moves."""

    def __init__(self):
        self.gravity = np.zeros(3)
        self.joints = {}
        self.moving_mass = 0.0


def below(start, children):
    found, ahead = [], [start]
    while ahead:
        i = ahead.pop()
        found.append(i)
        ahead += children.get(i, [])
    return found


def of_rigor(scene):
    """Reads the scene that Rigor wrote."""
    robot = Robot()
    robot.gravity = np.array(scene.get("gravity", [0.0, 0.0, 0.0]), float)
    bodies = {}
    for body in scene["body"]:
        if body.get("role", "dynamic") != "dynamic":
            continue
        r = rotation(body.get("quaternion", [1, 0, 0, 0]))
        p = np.array(body.get("position", [0, 0, 0]), float)
        inertia = body["inertia"]
        (a, b, c), (d, e, f) = inertia["moments"], inertia.get("products", [0, 0, 0])
        tensor = np.array([[a, d, e], [d, b, f], [e, f, c]], float)
        centre = np.array(inertia.get("center", [0, 0, 0]), float)
        bodies[body["name"]] = (body["mass"], p + r @ centre, r @ tensor @ r.T)
    robot.moving_mass = sum(body[0] for body in bodies.values())
    children = {}
    for joint in scene.get("joint", []):
        children.setdefault(joint.get("body_b"), []).append(joint["body_a"])
    for joint in scene.get("joint", []):
        kind = {"hinge": "hinge", "prismatic": "slide", "ball": "ball"}[joint["kind"]]
        moved = together([bodies[name] for name in below(joint["body_a"], children) if name in bodies])
        part = joint.get("turn", {}) if kind == "hinge" else joint.get("slide", {})
        unit = math.pi / 180 if kind == "hinge" else 1.0
        low, high = (("min_deg", "max_deg") if kind == "hinge" else ("min", "max"))
        bounds = [part[low] * unit if low in part else -math.inf, part[high] * unit if high in part else math.inf]
        compliance = part.get("drive_compliance", 0.0)
        driven = "angle_deg" in part or "position" in part
        stiffness = 1 / compliance if driven and 0 < compliance < 1e11 else 0.0
        axis = np.array(joint.get("axis", [1, 0, 0]), float)
        robot.joints[joint["name"]] = {
            "kind": kind,
            "anchor": np.array(joint["position"], float),
            "axis": axis / np.linalg.norm(axis) if kind != "ball" else None,
            "bounds": bounds if kind != "ball" else None,
            "stiffness": stiffness if kind != "ball" else None,
            "damping": part.get("drive_damping", 0.0) if kind != "ball" else None,
            # A joint in a row moves what is below, without the bodies between the joints above.
            "moved": moved if ":" not in joint.get("body_b", "") else None,
        }
    return robot


def of_mujoco(path):
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_resetData(model, data)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    robot = Robot()
    robot.gravity = np.array(model.opt.gravity)
    if model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY):
        robot.gravity = np.zeros(3)
    children = {}
    for i in range(1, model.nbody):
        children.setdefault(int(model.body_parentid[i]), []).append(i)

    def own(i):
        r = data.ximat[i].reshape(3, 3)
        return model.body_mass[i], np.array(data.xipos[i]), r @ np.diag(model.body_inertia[i]) @ r.T

    robot.moving_mass = sum(model.body_mass[i] for i in range(1, model.nbody) if model.body_weldid[i] != 0 and model.body_mocapid[model.body_weldid[i]] < 0)
    # Gains of affine actuators on joints.
    stiffness, damping = np.zeros(model.njnt), np.zeros(model.njnt)
    acts = not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    joint, in_parent, affine = (int(x) for x in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT, mujoco.mjtBias.mjBIAS_AFFINE))
    # An actuator may have several controls and outputs, each of which has a gear.
    for a in range(len(model.actuator_trntype) if acts else 0):
        if int(model.actuator_trntype[a]) not in (joint, in_parent) or int(model.actuator_biastype[a]) != affine:
            continue
        if model.opt.disableactuator >> int(model.actuator_group[a]) & 1:
            continue
        output = int(model.actuator_outadr[a]) if hasattr(model, "actuator_outadr") else a
        j, gear = int(model.actuator_trnid[a, 0]), model.actuator_gear[output, 0]
        stiffness[j] -= gear * gear * model.actuator_biasprm[a, 1]
        damping[j] -= gear * gear * model.actuator_biasprm[a, 2]
    for j in range(model.njnt):
        kind = {1: "ball", 2: "slide", 3: "hinge"}.get(int(model.jnt_type[j]))
        if kind is None:
            continue
        body, dof, qpos = int(model.jnt_bodyid[j]), int(model.jnt_dofadr[j]), int(model.jnt_qposadr[j])
        zero = model.qpos0[qpos] if kind != "ball" else 0.0
        bounded = model.jnt_limited[j] and not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
        bounds = list(model.jnt_range[j] - zero) if bounded else [-math.inf, math.inf]
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j) or f"\0{j}"
        first = j == 0 or model.jnt_bodyid[j - 1] != body
        spring, damper = np.ravel(model.jnt_stiffness[j])[0], np.ravel(model.dof_damping[dof])[0]
        robot.joints[name] = {
            "kind": kind,
            "anchor": np.array(data.xanchor[j]),
            "axis": np.array(data.xaxis[j]) if kind != "ball" else None,
            "bounds": bounds if kind != "ball" else None,
            "stiffness": spring + stiffness[j] if kind != "ball" else None,
            "damping": damper + damping[j] if kind != "ball" else None,
            "moved": together([own(i) for i in below(body, children)]) if first else None,
        }
    return robot


def of_urdf(path):
    import yourdfpy

    urdf = yourdfpy.URDF.load(
        str(path), build_scene_graph=False, load_meshes=False, build_collision_scene_graph=False, load_collision_meshes=False
    )
    robot, links = Robot(), {link.name: link for link in urdf.robot.links}
    robot.gravity = np.array([0, 0, -9.81])
    incoming = {joint.child: joint for joint in urdf.robot.joints}
    places = {}

    def place(name):
        if name not in places:
            joint = incoming.get(name)
            own = joint.origin if joint is not None and joint.origin is not None else np.eye(4)
            places[name] = place(joint.parent) @ own if joint is not None else np.eye(4)
        return places[name]

    def own(name):
        inertial = links[name].inertial if name in links else None
        if inertial is None or not inertial.mass or inertial.mass < 0:
            return None
        frame = place(name) @ (inertial.origin if inertial.origin is not None else np.eye(4))
        r = frame[:3, :3]
        tensor = inertial.inertia if inertial.inertia is not None else np.zeros((3, 3))
        return inertial.mass, frame[:3, 3], r @ tensor @ r.T

    children = {}
    for joint in urdf.robot.joints:
        if joint.type != "floating":
            children.setdefault(joint.parent, []).append(joint.child)

    def welded(name):
        found, ahead = [], [name]
        while ahead:
            at = ahead.pop()
            found.append(at)
            ahead += [j.child for j in urdf.robot.joints if j.parent == at and j.type == "fixed"]
        return found

    roots = [name for name in links if name not in incoming or incoming[name].type == "floating"]
    masses = {name: own(name) for name in links}
    fixed = set()
    for root in roots:
        held = welded(root)
        if root == "world" or not any(masses.get(name) for name in held):
            fixed.update(held)
    robot.moving_mass = sum(mass[0] for name, mass in masses.items() if mass and name not in fixed)
    for joint in urdf.robot.joints:
        kind = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide"}.get(joint.type)
        if kind is None:
            continue
        frame = place(joint.child)
        axis = frame[:3, :3] @ np.array(joint.axis if joint.axis is not None else [1, 0, 0], float)
        bounds = [-math.inf, math.inf]
        if joint.limit is not None and joint.type != "continuous":
            bounds = [joint.limit.lower or 0.0, joint.limit.upper or 0.0]
            if bounds[0] > bounds[1]:
                bounds = [-math.inf, math.inf]
        moved = [masses[name] for name in below(joint.child, children) if masses.get(name)]
        robot.joints[joint.name] = {
            "kind": kind,
            "anchor": frame[:3, 3],
            "axis": axis / np.linalg.norm(axis),
            "bounds": bounds,
            "stiffness": 0.0,
            "damping": (joint.dynamics.damping or 0.0) if joint.dynamics is not None else 0.0,
            "moved": together(moved),
        }
    return robot


def line(name):
    """The line in the name of a joint that has none of its own."""
    return int(name[6:]) if name.startswith("joint-") and name[6:].isdigit() else 0


def compare(ours, theirs):
    worst, where = dict.fromkeys(QUANTITIES, 0.0), {}

    def note(quantity, off, name=""):
        if off > worst[quantity]:
            worst[quantity], where[quantity] = off, name

    note("gravity", difference(ours.gravity, theirs.gravity, 1e-9))
    note("moving_mass", difference(ours.moving_mass, theirs.moving_mass, 1e-9))
    free = dict(ours.joints)
    for name, b in theirs.joints.items():
        a = free.pop(name, None)
        if a is None:
            # Joints without a name have one of the line here: the nearest of the same kind.
            same = [
                (difference(x["anchor"], b["anchor"], 1.0) + (0 if b["axis"] is None else difference(x["axis"], b["axis"], 1.0)), line(n), n)
                for n, x in free.items()
                if x["kind"] == b["kind"] and n not in theirs.joints
            ]
            if not same:
                note("joints", 1.0, name)
                continue
            a = free.pop(min(same)[2])
        for quantity, least in [("anchor", 1.0), ("axis", 1.0), ("bounds", 1.0), ("stiffness", 1e-9), ("damping", 1e-9)]:
            if a[quantity] is not None and b[quantity] is not None:
                note(quantity, difference(a[quantity], b[quantity], least), name)
        if a["moved"] is not None and b["moved"] is not None:
            (ma, ca, ia), (mb, cb, ib) = a["moved"], b["moved"]
            note("mass", difference(ma, mb, 1e-9), name)
            note("centre", difference(ca, cb, 1.0), name)
            note("inertia", difference(ia, ib, 1e-12), name)
    for name in free:
        note("joints", 1.0, name)
    return worst, where


def import_one(rigor, path):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "robot"
        done = subprocess.run([rigor, "scene", "import", str(path), "--out", str(out)], capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            return None, [(done.stderr.strip().splitlines() or ["?"])[0]]
        scene = tomllib.loads(next(out.glob("*.toml")).read_text())
        lines = (done.stdout + done.stderr).splitlines()
        return scene, [line for line in lines if line.startswith(("changes the physics:", "rule:"))]


def is_urdf(path):
    return path.suffix == ".urdf"


def row(rigor, path):
    """One row: the file, what became of it, the differences, and the account."""
    own, theirs, why = None, None, ""
    try:
        scene, told = import_one(rigor, path)
        own = of_rigor(scene) if scene is not None else None
    except Exception as error:  # a row has to say it
        scene, told = None, [f"{type(error).__name__}: {error}"]
    try:
        theirs = of_urdf(path) if is_urdf(path) else of_mujoco(path)
    except Exception as error:
        why = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    line = {"file": str(path), "told": " | ".join(told)}
    if own is None or theirs is None:
        line["outcome"] = {(True, True): "both refuse", (True, False): "refused here", (False, True): "refused there"}[own is None, theirs is None]
        line["told"] = " | ".join([why, *told]) if why else line["told"]
        return line
    worst, where = compare(own, theirs)
    line.update({quantity: f"{worst[quantity]:.3g}" for quantity in QUANTITIES})
    off = [quantity for quantity in QUANTITIES if worst[quantity] > TOLERANCE]
    line["where"] = " ".join(f"{quantity}@{where[quantity]!r}" for quantity in off)
    line["outcome"] = "equal" if not off else ("told" if told else "SILENT")
    return line


def files(folders):
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*")) if pathlib.Path(folder).is_dir() else [pathlib.Path(folder)]:
            if path.suffix == ".urdf":
                yield path
            elif path.suffix == ".xml" and "<mujoco" in path.read_text(errors="ignore")[:100000]:
                yield path


def main():
    args = arguments(__doc__, "robots.csv")
    with ThreadPoolExecutor(args.jobs) as pool:
        rows = list(pool.map(lambda path: row(args.rigor, path), files(args.folders)))
    finish(args.csv, ["file", "outcome", *QUANTITIES, "where", "told"], rows)


if __name__ == "__main__":
    main()
