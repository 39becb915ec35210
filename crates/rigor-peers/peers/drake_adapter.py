"""Drake for Rigor."""

import rigor_frame
import rigor_joint
import rigor_peer
import rigor_shape

import copy
from importlib.metadata import version

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    Box,
    Capsule,
    CollisionFilterDeclaration,
    Convex,
    GeometrySet,
    ProximityProperties,
    Sphere,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.math import SpatialForce, SpatialVelocity
from pydrake.multibody.plant import (
    AddMultibodyPlant,
    CoulombFriction,
    ExternallyAppliedSpatialForce,
    MultibodyPlantConfig,
)
from pydrake.multibody.tree import (
    BallRpyJoint,
    FixedOffsetFrame,
    PrismaticJoint,
    RevoluteJoint,
    RotationalInertia,
    SpatialInertia,
    WeldJoint,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder


# The parameters of the two sets of settings; the setting `tuning` replaces single ones. With a modulus of 0 it follows
# weight, size and step.
PARAMETERS = {
    "default": {
        "contact": "point",
        "approximation": "lagged",
        "stiction": 1e-4,
        "modulus": 1e8,
        "modulus_steps": 1.0,
        "dissipation": 0.0,
    },
    "best": {
        "contact": "hydroelastic_with_fallback",
        "approximation": "similar",
        "stiction": 1e-5,
        "modulus": 0.0,
        "modulus_steps": 0.3,
        "dissipation": 1.0,
    },
}


class Drake(rigor_peer.Engine):
    name = "drake"
    version = version("drake")

    def load(self, scene):
        self.use = rigor_peer.tuned(scene, PARAMETERS[scene["setting"]])
        self.is_compliant = self.use["contact"] != "point"
        self.bodies = scene["bodies"]
        self.step_length = scene["dt"]
        config = MultibodyPlantConfig(
            time_step=scene["dt"],
            contact_model=self.use["contact"],
            stiction_tolerance=self.use["stiction"],
            discrete_contact_approximation=self.use["approximation"],
            adjacent_bodies_collision_filters=not scene["joints"],
        )
        builder = DiagramBuilder()
        self.plant, graph = AddMultibodyPlant(config, builder)
        self.plant.mutable_gravity_field().set_gravity_vector(scene["gravity"])
        self.geometries = []
        self.links = [self.add(i, body, scene["concave"]) for i, body in enumerate(self.bodies)]
        self.edges, others = rigor_joint.forest(scene, ("fixed", "ball", "hinge", "slider"))
        self.joints = [(edge, self.join(edge)) for edge in self.edges]
        for joint in others:
            self.constrain(joint)
        self.plant.Finalize()
        self.diagram = builder.Build()
        self.filter(graph, scene)
        self.simulator = Simulator(self.diagram)
        self.dt = scene["dt"]
        self.taken = 0
        self.context = self.plant.GetMyContextFromRoot(self.simulator.get_mutable_context())
        self.start()
        self.simulator.Initialize()
        index = {link.index(): i for i, link in enumerate(self.links) if link is not None}
        self.index = index
        self.dynamic = [
            (self.links[i], tuple(body["com"]))
            for i, body in enumerate(self.bodies)
            if body["role"] == "dynamic"
        ]
        self.port = self.plant.get_contact_results_output_port()
        self.body_of = {id: i for i, ids in enumerate(self.geometries) for id in ids}
        self.friction = np.array([body["friction"] for body in self.bodies])
        self.find_places()
        return self.read_back(scene)

    def find_places(self):
        """Finds where the state has the 13 numbers of each body; None if joints move some of them."""
        self.places = None
        if self.edges or not self.dynamic:
            return
        n = self.plant.num_positions()
        starts = [
            (link.floating_positions_start(), n + link.floating_velocities_start_in_v()) for link, _ in self.dynamic
        ]
        self.places = np.array([[*range(q, q + 7), *range(v, v + 6)] for q, v in starts])
        coms = np.array([com for _, com in self.dynamic], dtype=float)
        self.offsets = coms if coms.any() else None

    def add(self, i, body, concave):
        moments = np.array(body["inertia"])
        r = rigor_shape.matrix(body["axes"])
        m = r @ np.diag(moments) @ r.T
        inertia = RotationalInertia(m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2])
        com = np.array(body["com"])
        if body["role"] == "dynamic":
            spatial = SpatialInertia.MakeFromCentralInertia(body["mass"], com, inertia)
        else:
            spatial = SpatialInertia.SolidCubeWithDensity(1.0, 1.0)
        link = self.plant.AddRigidBody(str(i), spatial)
        q = body["state"][3:7]
        origin = np.array(body["state"][:3]) - rigor_shape.rotate(q, com)
        pose = RigidTransform(Quaternion(np.array(q) / np.linalg.norm(q)), origin)
        if body["role"] != "dynamic":
            self.plant.WeldFrames(self.plant.world_frame(), link.body_frame(), pose)
        ids = []
        for k, (shape, at, size) in enumerate(self.shapes(body, concave)):
            properties = ProximityProperties()
            friction = CoulombFriction(body["friction"], body["friction"])
            if self.is_compliant:
                AddCompliantHydroelasticProperties(
                    resolution_hint=0.2 * size, hydroelastic_modulus=self.modulus(body), properties=properties
                )
                AddContactMaterial(dissipation=self.use["dissipation"], friction=friction, properties=properties)
            else:
                AddContactMaterial(friction=friction, properties=properties)
            ids.append(self.plant.RegisterCollisionGeometry(link, at, shape, f"{i}/{k}", properties))
        self.geometries.append(ids)
        return link

    def modulus(self, body):
        """Returns the hydroelastic modulus (Pa) of a body: that of the parameters, or one that follows the heaviest body, the size and the step.

        A slab of area A and half height H with the modulus E has the stiffness E A/H. That of a mass which swings back within n steps is
        m/(n dt)^2, and with m = 2 rho A H this is E = 2 rho (H/(n dt))^2, with the radius of gyration for H.
        """
        if self.use["modulus"] > 0.0:
            return self.use["modulus"]
        moving = [other for other in self.bodies if other["role"] == "dynamic"]
        own = [body] if body["role"] == "dynamic" else moving
        moduli = [2.0 * stiffness(other) / (self.use["modulus_steps"] * self.step_length) ** 2 for other in own]
        return max(moduli, default=1e8)

    def join(self, edge):
        """Adds a joint between a body and its parent in a tree."""
        parent = self.plant.world_body() if edge.parent is None else self.links[edge.parent]
        name, frames = edge.joint["name"], [edge.parent_frame, edge.frame]
        if edge.joint["kind"] == "ball":
            # Its three angles are 0 at the start, and singular where the second is a right angle.
            _, q = rigor_joint.placed(self.bodies[edge.child], edge.frame)
            back = (1.0, 0.0, 0.0, 0.0)
            if edge.parent is not None:
                back = rigor_shape.inverse(self.bodies[edge.parent]["state"][3:7])
            frames[0] = {**edge.parent_frame, "rotation": rigor_shape.product(back, q)}
        on_parent, on_child = (
            self.plant.AddFrame(FixedOffsetFrame(f"{name} {side}", link.body_frame(), transform(frame)))
            for side, link, frame in zip(("on parent", "on child"), (parent, self.links[edge.child]), frames)
        )
        if edge.joint["kind"] == "ball":
            return self.plant.AddJoint(BallRpyJoint(name, on_parent, on_child))
        if edge.joint["kind"] == "hinge":
            return self.plant.AddJoint(RevoluteJoint(name, on_parent, on_child, [1.0, 0.0, 0.0]))
        if edge.joint["kind"] == "slider":
            return self.plant.AddJoint(PrismaticJoint(name, on_parent, on_child, [1.0, 0.0, 0.0]))
        return self.plant.AddJoint(WeldJoint(name, on_parent, on_child, RigidTransform()))

    def constrain(self, joint):
        """Adds a joint as a constraint of the solver."""
        first = self.links[joint["body_a"]]
        second = self.plant.world_body() if joint["body_b"] is None else self.links[joint["body_b"]]
        on_first, on_second = joint["frame_a"]["position"], joint["frame_b"]["position"]
        if joint["kind"] == "distance":
            self.plant.AddDistanceConstraint(first, on_first, second, on_second, joint["distance"])
        else:
            raise rigor_peer.Refused(f"the adapter has no loop with a {joint['kind']} ({joint['name']})")

    def shapes(self, body, concave):
        shapes = []
        for part in body["parts"]:
            if part["kind"] == "box":
                h = np.array(part["half_extents"])
                q = np.array(part["rotation"])
                at = RigidTransform(Quaternion(q / np.linalg.norm(q)), part["position"])
                shapes.append((Box(*(2 * h)), at, 2 * h.max()))
            elif part["kind"] in ("ball", "capsule"):
                r, length = part["radius"], 2 * part.get("half_length", 0.0)
                q = np.array(rigor_shape.turn(part, "z"))
                at = RigidTransform(Quaternion(q / np.linalg.norm(q)), part["position"])
                shape = Sphere(r) if part["kind"] == "ball" else Capsule(r, length)
                shapes.append((shape, at, 2 * r))
            else:
                for vertices, _ in rigor_shape.pieces(part, concave):
                    size = np.ptp(vertices, axis=0).max()
                    shapes.append((Convex(vertices.T.copy(), "piece"), RigidTransform(), size))
        return shapes

    def filter(self, graph, scene):
        """Keeps apart what may not collide; the engine itself keeps welded bodies apart."""
        may = rigor_peer.may_collide(scene)
        manager = graph.collision_filter_manager()
        for a in range(len(self.bodies)):
            for b in range(a):
                if not may(a, b) and self.geometries[a] and self.geometries[b]:
                    pair = GeometrySet(self.geometries[a]), GeometrySet(self.geometries[b])
                    manager.Apply(CollisionFilterDeclaration().ExcludeBetween(*pair))

    def start(self):
        forces = []
        hung = {edge.child for edge in self.edges}
        self.start_joints()
        for i, (link, body) in enumerate(zip(self.links, self.bodies)):
            if body["role"] != "dynamic":
                continue
            if any(body["force"] + body["torque"]):
                force = ExternallyAppliedSpatialForce()
                force.body_index = link.index()
                force.p_BoBq_B = np.array(body["com"])
                force.F_Bq_W = SpatialForce(np.array(body["torque"]), np.array(body["force"]))
                forces.append(force)
            if i in hung:
                continue
            q, com = body["state"][3:7], body["com"]
            r = np.array(rigor_shape.rotate(q, com))
            v, omega = np.array(body["state"][7:10]), np.array(body["state"][10:13])
            pose = RigidTransform(
                Quaternion(np.array(q) / np.linalg.norm(q)), np.array(body["state"][:3]) - r
            )
            self.plant.SetFreeBodyPose(self.context, link, pose)
            velocity = SpatialVelocity(omega, v - np.cross(omega, r))
            self.plant.SetFreeBodySpatialVelocity(
                context=self.context, body=link, V_JpJc=velocity
            )
        if forces:
            self.plant.get_applied_spatial_force_input_port().FixValue(self.context, forces)

    def start_joints(self):
        for edge, joint in self.joints:
            turn, slide = rigor_joint.coordinate(self.bodies, edge)
            omega, v = rigor_joint.rates(self.bodies, edge)
            _, q = rigor_joint.placed(self.bodies[edge.child], edge.frame)
            axis = np.array(rigor_shape.rotate(q, (1.0, 0.0, 0.0)))
            if edge.joint["kind"] == "ball":
                joint.set_angular_velocity(
                    self.context, rigor_shape.rotate(rigor_shape.inverse(q), omega)
                )
            elif edge.joint["kind"] == "hinge":
                joint.set_angle(self.context, turn)
                joint.set_angular_rate(self.context, float(axis @ omega))
            elif edge.joint["kind"] == "slider":
                joint.set_translation(self.context, slide)
                joint.set_translation_rate(self.context, float(axis @ v))

    def step(self, goals):
        self.taken += 1
        try:
            self.simulator.AdvanceTo(self.taken * self.dt)
        except RuntimeError as error:
            raise rigor_peer.Refused(f"Drake stopped: {error}") from error

    def keep_rows(self):
        return self.rows() if self.places is None else self.plant.GetPositionsAndVelocities(self.context)

    def rows_of(self, kept):
        if self.places is None:
            return super().rows_of(kept)
        # The state has quaternion and origin of each free body, then both velocities in the world. The engine
        # makes the quaternion one of unit length when it uses it.
        state = np.array(kept)[:, self.places].reshape(-1, 13)
        w, x, y, z = state[:, 0:4].T
        q = state[:, 0:4] / np.sqrt(w * w + x * x + y * y + z * z)[:, None]
        coms = None if self.offsets is None else np.tile(self.offsets, (len(kept), 1))
        rows = rigor_shape.rows_from_world(state[:, 4:7], q, state[:, 10:13], state[:, 7:10], coms)
        return rigor_peer.packed(rows)

    def rows(self):
        rows = []
        for link, com in self.dynamic:
            pose = self.plant.EvalBodyPoseInWorld(self.context, link)
            velocity = self.plant.EvalBodySpatialVelocityInWorld(self.context, link)
            q = pose.rotation().ToQuaternion().wxyz().tolist()
            omega = velocity.rotational().tolist()
            local = rigor_shape.rotate(rigor_shape.inverse(q), omega)
            origin, v = pose.translation().tolist(), velocity.translational().tolist()
            rows.append(rigor_shape.row_from_origin(origin, q, v, local, com))
        return rows

    def keep_contacts(self):
        results = self.port.Eval(self.context)
        if results.num_hydroelastic_contacts() == 0:
            return copy.copy(results)
        return np.concatenate([self.points(point_infos(results)), self.surfaces(results)])

    def contacts_of(self, kept):
        infos = [[] if isinstance(step, np.ndarray) else point_infos(step) for step in kept]
        points = self.points([info for step in infos for info in step])
        ends = np.cumsum([len(step) for step in infos])
        parts = [
            step if isinstance(step, np.ndarray) else points[end - len(own) : end]
            for step, own, end in zip(kept, infos, ends)
        ]
        return b"".join(map(rigor_peer.packed, parts)), [len(part) for part in parts]

    def points(self, infos):
        if not infos:
            return np.empty((0, 14))
        pairs = [info.point_pair() for info in infos]
        a = [self.body_of[pair.id_A] for pair in pairs]
        b = [self.body_of[pair.id_B] for pair in pairs]
        # The force acts on B, and the normal points from B into A.
        normals = rigor_shape.stacked([pair.nhat_BA_W for pair in pairs])
        forces = -rigor_shape.stacked([info.contact_force() for info in infos])
        found = np.empty((len(infos), 14))
        found[:, 0], found[:, 1] = a, b
        found[:, 2:5] = rigor_shape.stacked([info.contact_point() for info in infos])
        found[:, 5:8] = normals
        found[:, 8] = [-pair.depth for pair in pairs]
        rigor_shape.split_forces(found, forces, normals)
        found[:, 13] = self.coefficients(a, b)
        return found

    def surfaces(self, results):
        inspector = self.plant.EvalSceneGraphInspector(self.context)
        found = []
        for k in range(results.num_hydroelastic_contacts()):
            info = results.hydroelastic_contact_info(k)
            surface, spatial = info.contact_surface(), info.F_Ac_W()
            a, b = (
                self.index[self.plant.GetBodyFromFrameId(inspector.GetFrameId(id)).index()]
                for id in (surface.id_M(), surface.id_N())
            )
            # The resultant acts on A at the surface's centroid, along the mean of its normals (out of N).
            normal = sum(surface.face_normal(f) * surface.area(f) for f in range(surface.num_faces()))
            length = np.linalg.norm(normal)
            if length > 0.0:
                force = spatial.translational()
                found.append(self.contact(a, b, surface.centroid(), normal / length, force))
        return np.array(found).reshape(-1, 14)

    def contact(self, a, b, point, normal, force):
        along = float(force @ normal)
        across = force - along * normal
        return (a, b, *point, *normal, 0.0, along, *across, float(self.coefficients(a, b)))

    def coefficients(self, a, b):
        """Returns 2 a b / (a + b), which is 0 for two bodies without friction."""
        mu_a, mu_b = self.friction[a], self.friction[b]
        return 2 * mu_a * mu_b / np.maximum(mu_a + mu_b, np.finfo(float).tiny)

    def read_back(self, scene):
        inspector = self.plant.EvalSceneGraphInspector(self.context)
        bodies = []
        for link, ids, body in zip(self.links, self.geometries, self.bodies):
            used = {"mass": None, "com": None, "inertia": None, "friction": None}
            if ids:
                properties = inspector.GetProximityProperties(ids[0])
                friction = properties.GetProperty("material", "coulomb_friction")
                used["friction"] = friction.dynamic_friction()
            if body["role"] == "dynamic":
                inertia = link.CalcSpatialInertiaInBodyFrame(self.context)
                com = inertia.get_com()
                about = inertia.Shift(com).CalcRotationalInertia().CopyToFullMatrix3()
                used["mass"] = inertia.get_mass()
                used["com"] = com.tolist()
                used["inertia"] = rigor_shape.six(about)
            bodies.append(used)
        gravity = self.plant.gravity_field().gravity_vector().tolist()
        return {"gravity": gravity, "dt": self.plant.time_step(), "bodies": bodies}


def stiffness(body):
    """Returns rho H^2 (kg/m) of the box that has the mass and the moments of a body, with its least half edge H."""
    m, (a, b, c) = body["mass"], body["inertia"]
    # The moments of a box are m (h2^2 + h3^2)/3, and so on.
    squares = [max(1.5 * (s - 2 * i) / m, 0.0) for s, i in zip([a + b + c] * 3, (a, b, c))]
    halves = [max(h, 1e-9) ** 0.5 for h in squares]
    return m / (8.0 * halves[0] * halves[1] * halves[2]) * min(squares)


def point_infos(results):
    return [results.point_pair_contact_info(k) for k in range(results.num_point_pair_contacts())]


def transform(frame):
    q = np.array(frame["rotation"])
    return RigidTransform(Quaternion(q / np.linalg.norm(q)), frame["position"])


rigor_frame.serve(Drake())
