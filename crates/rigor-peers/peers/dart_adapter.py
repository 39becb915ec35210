"""DART for Rigor, through dartpy."""

import rigor_frame
import rigor_peer
import rigor_shape

import operator
import os
import tempfile
from importlib.metadata import version

import dartpy
import numpy as np

# A shape can be read from a file only, and only as part of a robot.
ROBOT = (
    '<robot name="r"><link name="l"><collision><geometry><mesh filename="file://{}"/></geometry></collision></link></robot>'
)


# Attributes of a contact that are read.
OF_A_CONTACT = operator.attrgetter(
    "collisionObject1", "collisionObject2", "point", "normal", "force", "penetrationDepth"
)


# The parameters of the two sets of settings; the setting `tuning` replaces single ones.
PARAMETERS = {
    "default": {"solver": "dantzig", "sweeps": 500, "tolerance": 1e-8},
    "best": {"solver": "nsgs", "sweeps": 500, "tolerance": 1e-8},
}


class Dart(rigor_peer.Engine):
    name = "dart"
    version = version("dartpy")

    def load(self, scene):
        self.bodies = scene["bodies"]
        self.world = dartpy.simulation.World()
        self.world.setGravity(scene["gravity"])
        self.world.setTimeStep(scene["dt"])
        sleeping = dartpy.simulation.DeactivationOptions()
        sleeping.mEnabled = False
        self.world.setDeactivationOptions(sleeping)
        self.world.setNumSimulationThreads(1)
        use = rigor_peer.tuned(scene, PARAMETERS[scene["setting"]])
        if use["solver"] == "nsgs":
            options = dartpy.constraint.NsgsFrictionSolver.Options()
            options.maxSweeps, options.tolerance = int(use["sweeps"]), use["tolerance"]
            solver = dartpy.constraint.NsgsFrictionSolver(options)
            self.world.getConstraintSolver().setBoxedLcpSolver(solver)
        with tempfile.TemporaryDirectory() as folder:
            self.folder = folder
            self.parts = [self.add(i, body) for i, body in enumerate(self.bodies)]
        self.keep_apart(scene)
        self.dynamic = [
            (node, tuple(body["com"]))
            for (_, node), body in zip(self.parts, self.bodies)
            if body["role"] == "dynamic"
        ]
        self.free = [node.getSkeleton() for node, _ in self.dynamic]
        coms = np.array([com for _, com in self.dynamic], dtype=float).reshape(-1, 3)
        self.offsets = coms if coms.any() else None
        self.friction = np.array([body["friction"] for body in self.bodies])
        self.known = {}
        self.loads = [
            (node, body["force"], body["torque"], body["com"])
            for (_, node), body in zip(self.parts, self.bodies)
            if body["role"] == "dynamic" and any(body["force"] + body["torque"])
        ]
        return self.read_back()

    def add(self, i, body):
        skeleton = dartpy.dynamics.Skeleton(str(i))
        if body["role"] == "static":
            joint, node = skeleton.createWeldJointAndBodyNodePair()
            joint.setTransformFromParentBodyNode(self.pose(body, body["state"]))
        else:
            joint, node = skeleton.createFreeJointAndBodyNodePair()
        node.setName(str(i))
        if body["role"] == "dynamic":
            r = rigor_shape.matrix(body["axes"])
            moment = r @ np.diag(body["inertia"]) @ r.T
            node.setInertia(dartpy.dynamics.Inertia(body["mass"], body["com"], moment))
        for k, (shape, at) in enumerate(self.shapes(body)):
            shape_node = node.createShapeNode(shape, f"{i}/{k}")
            shape_node.createCollisionAspect()
            material = shape_node.createDynamicsAspect()
            material.setFrictionCoeff(body["friction"])
            material.setRestitutionCoeff(body["restitution"])
            if at is not None:
                shape_node.setRelativeTransform(at)
        self.world.addSkeleton(skeleton)
        if body["role"] == "kinematic":
            joint.setActuatorType(dartpy.dynamics.VELOCITY)
        if body["role"] != "static":
            self.place(joint, body, body["state"])
        return joint, node

    def pose(self, body, row):
        q = row[3:7]
        r = rigor_shape.rotate(q, body["com"])
        return isometry([x - y for x, y in zip(row[:3], r)], q)

    def place(self, joint, body, row):
        """Sets pose and velocity; the engine's velocity is that of the frame's origin."""
        q, v, omega = row[3:7], np.array(row[7:10]), np.array(row[10:13])
        joint.setTransform(self.pose(body, row))
        joint.setAngularVelocity(omega)
        joint.setLinearVelocity(v - np.cross(omega, rigor_shape.rotate(q, body["com"])))

    def shapes(self, body):
        shapes = []
        for part in body["parts"]:
            if part["kind"] == "box":
                size = [2 * h for h in part["half_extents"]]
                at = isometry(part["position"], part["rotation"])
                shapes.append((dartpy.dynamics.BoxShape(size), at))
            elif part["kind"] in ("ball", "capsule"):
                at = isometry(part["position"], rigor_shape.turn(part, "z"))
                if part["kind"] == "ball":
                    shapes.append((dartpy.dynamics.SphereShape(part["radius"]), at))
                else:
                    length = 2 * part["half_length"]
                    shapes.append((dartpy.dynamics.CapsuleShape(part["radius"], length), at))
            else:
                shapes.append((self.mesh(part["vertices"], part["triangles"]), None))
        return shapes

    def mesh(self, vertices, triangles):
        file = os.path.join(self.folder, f"{len(os.listdir(self.folder))}.obj")
        with open(file, "w") as out:
            out.writelines("v {!r} {!r} {!r}\n".format(*vertex) for vertex in vertices)
            out.writelines("f {} {} {}\n".format(*(v + 1 for v in triangle)) for triangle in triangles)
        robot = dartpy.utils.DartLoader().parseSkeletonString(ROBOT.format(file), "")
        if robot is None:
            raise rigor_peer.Refused("DART cannot read a mesh")
        self.robots = getattr(self, "robots", []) + [robot]
        return robot.getBodyNode(0).getShapeNode(0).getShape()

    def keep_apart(self, scene):
        may = rigor_peer.may_collide(scene)
        option = self.world.getConstraintSolver().getCollisionOption()
        for a in range(len(self.parts)):
            for b in range(a):
                if not may(a, b) and "static" not in (self.bodies[a]["role"], self.bodies[b]["role"]):
                    option.collisionFilter.addBodyNodePairToBlackList(self.parts[a][1], self.parts[b][1])
                elif not may(a, b) and self.bodies[a]["role"] != self.bodies[b]["role"]:
                    option.collisionFilter.addBodyNodePairToBlackList(self.parts[a][1], self.parts[b][1])

    def step(self, goals):
        for i, row in goals.items():
            joint = self.parts[i][0]
            body = self.bodies[i]
            joint.setAngularVelocity(np.array(row[10:13]))
            r = rigor_shape.rotate(row[3:7], body["com"])
            joint.setLinearVelocity(np.array(row[7:10]) - np.cross(row[10:13], r))
            joint.setCommands(joint.getVelocities())
        for node, force, torque, com in self.loads:
            node.addExtForce(force, com, False, True)
            node.addExtTorque(torque, False)
        self.world.step()
        for i, row in goals.items():
            self.place(self.parts[i][0], self.bodies[i], row)

    def rows(self):
        """The coordinates of a free joint are its rotation vector and its origin; its velocities are in world axes."""
        if not self.dynamic:
            return []
        positions = rigor_shape.stacked([skeleton.getPositions() for skeleton in self.free], 6)
        velocities = rigor_shape.stacked([skeleton.getVelocities() for skeleton in self.free], 6)
        q = rigor_shape.quaternions(positions[:, 0:3])
        return rigor_shape.rows_from_world(positions[:, 3:6], q, velocities[:, 3:6], velocities[:, 0:3], self.offsets)

    def keep_contacts(self):
        # The list has copies.
        return self.world.getLastCollisionResult().getContacts()

    def contacts_of(self, kept):
        counts = [len(contacts) for contacts in kept]
        contacts = [contact for contacts in kept for contact in contacts]
        if not contacts:
            return b"", counts
        first, second, points, normals, forces, depths = zip(*map(OF_A_CONTACT, contacts))
        a, b = self.indices(first), self.indices(second)
        # Normal and force point to the first object.
        normals, forces = rigor_shape.stacked(normals), rigor_shape.stacked(forces)
        found = np.empty((len(contacts), 14))
        found[:, 0], found[:, 1] = a, b
        found[:, 2:5] = rigor_shape.stacked(points)
        found[:, 5:8] = normals
        found[:, 8] = depths
        found[:, 8] *= -1.0
        rigor_shape.split_forces(found, forces, normals)
        found[:, 13] = np.minimum(self.friction[a], self.friction[b])
        return rigor_peer.packed(found), counts

    def indices(self, objects):
        """Returns the bodies of collision objects, which are the same as long as the world is."""
        known = self.known
        try:
            return [known[object] for object in objects]
        except KeyError:
            known.update({object: int(object.getShapeFrame().getName().split("/")[0]) for object in objects})
            return [known[object] for object in objects]

    def read_back(self):
        bodies = []
        for (_, node), body in zip(self.parts, self.bodies):
            used = {"mass": None, "com": None, "inertia": None, "friction": None}
            if node.getNumShapeNodes():
                used["friction"] = node.getShapeNode(0).getDynamicsAspect().getFrictionCoeff()
            if body["role"] == "dynamic":
                inertia = node.getInertia()
                used["mass"] = inertia.getMass()
                used["com"] = inertia.getLocalCOM().tolist()
                used["inertia"] = rigor_shape.six(inertia.getMoment())
            bodies.append(used)
        return {
            "gravity": self.world.getGravity().tolist(),
            "dt": self.world.getTimeStep(),
            "bodies": bodies,
        }


def isometry(position, q):
    turn = np.eye(4)
    turn[:3, :3] = rigor_shape.matrix(q)
    turn[:3, 3] = position
    return dartpy.math.Isometry3(turn)


rigor_frame.serve(Dart())
