"""Bullet for Rigor, through pybullet."""

import rigor_joint
import rigor_peer
import rigor_shape

import itertools
import os
import struct
import tempfile
from importlib.metadata import version

import pybullet

# A row of a body and a row of a contact, as bytes.
ROW = struct.Struct("<13d").pack
CONTACT = struct.Struct("<14d").pack


# The parameters of the two sets of settings, None where they are left to the engine; the setting `tuning` replaces single
# ones.
PARAMETERS = {
    "default": {
        "iterations": None,
        "residual": None,
        "cone_friction": None,
        "restitution_threshold": None,
        "contact_erp": None,
    },
    "best": {
        "iterations": 500,
        "residual": 1e-12,
        "cone_friction": 1,
        "restitution_threshold": None,
        "contact_erp": 0.02,
    },
}

ENGINE_NAMES = {
    "iterations": "numSolverIterations",
    "residual": "solverResidualThreshold",
    "cone_friction": "enableConeFriction",
    "restitution_threshold": "restitutionVelocityThreshold",
    "contact_erp": "contactERP",
}


class Bullet(rigor_peer.Engine):
    name = "bullet"
    version = version("pybullet")

    def load(self, scene):
        if pybullet.isConnected():
            pybullet.disconnect()
        pybullet.connect(pybullet.DIRECT)
        pybullet.setGravity(*scene["gravity"])
        pybullet.setTimeStep(scene["dt"])
        use = rigor_peer.tuned(scene, PARAMETERS[scene["setting"]])
        given = {ENGINE_NAMES[name]: value for name, value in use.items() if value is not None}
        for name in ("numSolverIterations", "enableConeFriction"):
            if name in given:
                given[name] = int(given[name])
        if given:
            pybullet.setPhysicsEngineParameter(**given)
        self.dt = scene["dt"]
        self.scene = scene["bodies"]
        self.mu = [body["friction"] for body in self.scene]
        with tempfile.TemporaryDirectory() as folder:
            self.folder = folder
            self.ids = [self.add(i, body, scene["concave"]) for i, body in enumerate(self.scene)]
        self.index = {id: i for i, id in enumerate(self.ids)}
        self.forces = [
            (self.ids[i], body["force"], body["torque"])
            for i, body in enumerate(self.scene)
            if body["role"] == "dynamic" and any(body["force"] + body["torque"])
        ]
        self.dynamic = [
            (self.ids[i], rigor_shape.inverse(body["axes"]))
            for i, body in enumerate(self.scene)
            if body["role"] == "dynamic"
        ]
        may = rigor_peer.may_collide(scene)
        for a in range(len(self.ids)):
            for b in range(a):
                if not may(a, b):
                    pybullet.setCollisionFilterPair(self.ids[a], self.ids[b], -1, -1, 0)
        for joint in scene["joints"]:
            self.join(joint)
        return self.read_back()

    def join(self, joint):
        """Adds a joint as constraints; a hinge is two points that stay together."""
        a, b = joint["body_a"], joint["body_b"]
        on_a, on_b = joint["frame_a"], joint["frame_b"]
        points = [(on_a["position"], on_b["position"])]
        kind = {
            "fixed": pybullet.JOINT_FIXED,
            "slider": pybullet.JOINT_PRISMATIC,
        }.get(joint["kind"], pybullet.JOINT_POINT2POINT)
        if joint["kind"] == "hinge":
            second = rigor_joint.second_point(self.scene[a], on_a)
            points.append((second, rigor_joint.same_point(self.scene, joint, second)))
        for point_a, point_b in points:
            turn_a, turn_b = self.turned(a, on_a["rotation"]), self.turned(b, on_b["rotation"])
            id = pybullet.createConstraint(
                parentBodyUniqueId=self.ids[a],
                parentLinkIndex=-1,
                childBodyUniqueId=-1 if b is None else self.ids[b],
                childLinkIndex=-1,
                jointType=kind,
                jointAxis=[1.0, 0.0, 0.0],
                parentFramePosition=self.local(a, point_a),
                childFramePosition=self.local(b, point_b),
                parentFrameOrientation=turn_a,
                childFrameOrientation=turn_b,
            )
            pybullet.changeConstraint(id, maxForce=1e12)

    def local(self, i, point):
        """Returns a point of an author's frame in the engine's frame of the body."""
        if i is None:
            return point
        body = self.scene[i]
        back = rigor_shape.inverse(body["axes"])
        return rigor_shape.rotate(back, [p - c for p, c in zip(point, body["com"])])

    def turned(self, i, q):
        back = (1.0, 0.0, 0.0, 0.0) if i is None else rigor_shape.inverse(self.scene[i]["axes"])
        return xyzw(rigor_shape.product(back, q))

    def add(self, i, body, concave):
        """Adds a body whose frame is its principal frame, as the engine's diagonal inertia demands."""
        q = rigor_shape.product(body["state"][3:7], body["axes"])
        id = pybullet.createMultiBody(
            baseMass=body["mass"] if body["role"] == "dynamic" else 0.0,
            baseCollisionShapeIndex=self.shape(i, body, concave),
            basePosition=body["state"][:3],
            baseOrientation=xyzw(q),
        )
        pybullet.changeDynamics(
            id,
            -1,
            lateralFriction=body["friction"],
            restitution=body["restitution"],
            linearDamping=0.0,
            angularDamping=0.0,
            # The package stops every body at 100 m/s and 100 rad/s, whatever moves it.
            maxJointVelocity=1e12,
        )
        if body["role"] == "dynamic":
            pybullet.changeDynamics(id, -1, localInertiaDiagonal=body["inertia"])
            pybullet.resetBaseVelocity(id, body["state"][7:10], body["state"][10:13])
        return id

    def shape(self, i, body, concave):
        back = rigor_shape.inverse(body["axes"])

        def local(point):
            return rigor_shape.rotate(back, [p - c for p, c in zip(point, body["com"])])

        shapes = []
        for part in body["parts"]:
            if part["kind"] == "box":
                turn = xyzw(rigor_shape.product(back, part["rotation"]))
                shapes.append((pybullet.GEOM_BOX, part["half_extents"], local(part["position"]), turn))
            elif part["kind"] in ("ball", "capsule"):
                kind = pybullet.GEOM_SPHERE if part["kind"] == "ball" else pybullet.GEOM_CAPSULE
                turn = xyzw(rigor_shape.product(back, rigor_shape.turn(part, "z")))
                size = (part["radius"], 2 * part.get("half_length", 0.0))
                shapes.append((kind, size, local(part["position"]), turn))
            elif body["role"] != "dynamic" and part["kind"] in ("concave", "open"):
                if len(body["parts"]) > 1:
                    raise rigor_peer.Refused("Bullet has one concave part per body only", [i])
                return pybullet.createCollisionShape(
                    pybullet.GEOM_MESH,
                    vertices=[local(v) for v in part["vertices"]],
                    indices=[v for triangle in part["triangles"] for v in triangle],
                )
            else:
                for vertices, triangles in rigor_shape.pieces(part, concave):
                    file = self.write([local(v) for v in vertices.tolist()], triangles)
                    shapes.append((pybullet.GEOM_MESH, file, [0.0] * 3, [0.0, 0.0, 0.0, 1.0]))
        if not shapes:
            return -1

        def sizes(kinds, pick, other):
            return [pick(size) if kind in kinds else other for kind, size, *_ in shapes]

        round_kinds = (pybullet.GEOM_SPHERE, pybullet.GEOM_CAPSULE)
        return pybullet.createCollisionShapeArray(
            shapeTypes=[kind for kind, *_ in shapes],
            fileNames=sizes([pybullet.GEOM_MESH], str, ""),
            meshScales=[[1.0] * 3] * len(shapes),
            halfExtents=sizes([pybullet.GEOM_BOX], list, [0.0] * 3),
            radii=sizes(round_kinds, lambda size: size[0], 0.0),
            lengths=sizes(round_kinds, lambda size: size[1], 0.0),
            collisionFramePositions=[position for *_, position, _ in shapes],
            collisionFrameOrientations=[turn for *_, turn in shapes],
        )

    def write(self, vertices, triangles):
        """Writes a piece into a file, the only form in which the engine takes several of them."""
        file = os.path.join(self.folder, f"{len(os.listdir(self.folder))}.obj")
        with open(file, "w") as out:
            out.writelines("v {!r} {!r} {!r}\n".format(*vertex) for vertex in vertices)
            out.writelines("f {} {} {}\n".format(*(v + 1 for v in triangle)) for triangle in triangles)
        return file

    def step(self, goals):
        for id, force, torque in self.forces:
            at = pybullet.getBasePositionAndOrientation(id)[0]
            pybullet.applyExternalForce(id, -1, force, at, pybullet.WORLD_FRAME)
            pybullet.applyExternalTorque(id, -1, torque, pybullet.WORLD_FRAME)
        pybullet.stepSimulation()

    # Both are packed in the loop that reads them, number by number: tuples that are joined take a third more time.

    def keep_rows(self):
        rows = []
        for id, (bw, bx, by, bz) in self.dynamic:
            (px, py, pz), (x, y, z, w) = pybullet.getBasePositionAndOrientation(id)
            (vx, vy, vz), (wx, wy, wz) = pybullet.getBaseVelocity(id)
            # The product of the engine's quaternion and that from the principal axes back to the author's.
            row = ROW(
                px,
                py,
                pz,
                w * bw - x * bx - y * by - z * bz,
                w * bx + x * bw + y * bz - z * by,
                w * by - x * bz + y * bw + z * bx,
                w * bz + x * by - y * bx + z * bw,
                vx,
                vy,
                vz,
                wx,
                wy,
                wz,
            )
            rows.append(row)
        return b"".join(rows)

    def rows_of(self, kept):
        return b"".join(kept)

    def keep_contacts(self):
        found, index, mu = [], self.index, self.mu
        for contact in pybullet.getContactPoints():
            _, first, second, _, _, p, q, normal, gap, force, s, u, t, v = contact
            (px, py, pz), (qx, qy, qz), (nx, ny, nz) = p, q, normal
            (ux, uy, uz), (vx, vy, vz) = u, v
            a, b = index[first], index[second]
            # Lateral forces act on the first body; like the normal force they are means over the step.
            found.append(
                CONTACT(
                    a,
                    b,
                    0.5 * (px + qx),
                    0.5 * (py + qy),
                    0.5 * (pz + qz),
                    nx,
                    ny,
                    nz,
                    gap,
                    force,
                    s * ux + t * vx,
                    s * uy + t * vy,
                    s * uz + t * vz,
                    mu[a] * mu[b],
                )
            )
        return found

    def contacts_of(self, kept):
        return b"".join(itertools.chain.from_iterable(kept)), [len(contacts) for contacts in kept]

    def read_back(self):
        bodies = []
        for id, body in zip(self.ids, self.scene):
            info = pybullet.getDynamicsInfo(id, -1)
            used = {"mass": None, "com": None, "inertia": None, "friction": info[1]}
            if body["role"] == "dynamic":
                # The engine's frame is the principal frame, with an offset that must be zero.
                offset = rigor_shape.rotate(body["axes"], info[3])
                used["mass"] = info[0]
                used["com"] = [c + o for c, o in zip(body["com"], offset)]
                used["inertia"] = rigor_shape.tensor(body["axes"], info[2])
            bodies.append(used)
        parameters = pybullet.getPhysicsEngineParameters()
        gravity = [parameters[f"gravityAcceleration{axis}"] for axis in "XYZ"]
        return {"gravity": gravity, "dt": parameters["fixedTimeStep"], "bodies": bodies}


def xyzw(q):
    return [q[1], q[2], q[3], q[0]]


rigor_peer.serve(Bullet())
