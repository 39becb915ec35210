"""Newton for Rigor: one of its solvers, which the argument names."""

import rigor_peer
import rigor_shape

import sys
from importlib.metadata import version

import newton
import numpy as np
import warp as wp

SOLVERS = ("xpbd", "vbd", "kamino")


class Newton(rigor_peer.Engine):
    version = version("newton")

    def __init__(self, solver):
        wp.config.quiet = True
        self.solver_name = solver
        self.name = f"newton-{solver}"

    def load(self, scene):
        self.bodies, self.dt = scene["bodies"], scene["dt"]
        with wp.ScopedDevice("cpu"):
            self.build(scene)
        return self.read_back(scene)

    def build(self, scene):
        builder = newton.ModelBuilder(up_axis=newton.Axis.Y)
        if self.solver_name == "kamino":
            newton.solvers.SolverKamino.register_custom_attributes(builder)
        groups = {group: -1 - k for k, group in enumerate(sorted({body["group"] for body in self.bodies}))}
        self.body_of_shape, self.shapes_of, self.index = [], [], []
        for i, body in enumerate(self.bodies):
            self.shapes_of.append(self.add(builder, i, body, groups[body["group"]], scene["concave"]))
        for a, b in scene["apart"]:
            for first in self.shapes_of[a]:
                for second in self.shapes_of[b]:
                    builder.add_shape_collision_filter_pair(first, second)
        builder.color()
        self.model = builder.finalize()
        self.body_of_shape = np.array(self.body_of_shape, dtype=int)
        self.link_of_shape = self.model.shape_body.numpy()
        self.friction = np.array([body["friction"] for body in self.bodies])
        self.model.set_gravity(tuple(scene["gravity"]))
        # Kernels are compiled at their first use: that takes minutes, and is no part of a step.
        self.prepare(scene)
        self.step({})
        self.prepare(scene)

    def prepare(self, scene):
        """Makes solver, states and contacts anew."""
        self.solver = self.make_solver(scene["setting"] == "best")
        self.now, self.next = self.model.state(), self.model.state()
        self.start()
        self.control = self.model.control()
        self.pipeline = newton.CollisionPipeline(self.model, deterministic=True)
        self.touching = self.pipeline.contacts()
        self.observed = self.solver.observables({"contact_f"}, contacts=self.touching)

    def make_solver(self, best):
        solvers = newton.solvers
        if self.solver_name == "xpbd":
            return solvers.SolverXPBD(self.model, iterations=20 if best else 2, enable_restitution=True)
        if self.solver_name == "vbd":
            more = {"iterations": 50} if best else {}
            return solvers.SolverVBD(self.model, **more)
        config = solvers.SolverKamino.Config.from_model(self.model)
        if best:
            config.padmm.max_iterations = 1000
            config.padmm.primal_tolerance = 1e-7
            config.padmm.dual_tolerance = 1e-7
            config.padmm.compl_tolerance = 1e-7
        return solvers.SolverKamino(self.model, config=config)

    def add(self, builder, i, body, group, concave):
        """Adds a body and returns its shapes."""
        is_static = body["role"] == "static"
        q = body["state"][3:7]
        r = rigor_shape.rotate(q, body["com"])
        pose = transform([x - y for x, y in zip(body["state"][:3], r)], q)
        link, place = -1, pose
        if not is_static:
            turn = rigor_shape.matrix(body["axes"])
            inertia = turn @ np.diag(body["inertia"]) @ turn.T
            link = builder.add_body(
                xform=pose,
                com=wp.vec3(*body["com"]),
                inertia=wp.mat33(inertia.astype(np.float32)),
                mass=body["mass"],
                lock_inertia=True,
            )
            self.index.append(i)
            place = wp.transform_identity()
        material = newton.ModelBuilder.ShapeConfig(
            density=0.0,
            mu=body["friction"],
            restitution=body["restitution"],
            mu_torsional=0.0,
            mu_rolling=0.0,
            collision_group=group,
        )
        shapes = []
        for part in body["parts"]:
            if part["kind"] == "box":
                hx, hy, hz = part["half_extents"]
                at = place * transform(part["position"], part["rotation"])
                shapes.append(builder.add_shape_box(link, xform=at, hx=hx, hy=hy, hz=hz, cfg=material))
            elif part["kind"] in ("ball", "capsule"):
                at = place * transform(part["position"], rigor_shape.turn(part, "z"))
                r = part["radius"]
                if part["kind"] == "ball":
                    shapes.append(builder.add_shape_sphere(link, xform=at, radius=r, cfg=material))
                else:
                    h = part["half_length"]
                    shapes.append(builder.add_shape_capsule(link, xform=at, radius=r, half_height=h, cfg=material))
            elif is_static and part["kind"] in ("concave", "open"):
                surface = mesh(part["vertices"], part["triangles"])
                shapes.append(builder.add_shape_mesh(link, xform=place, mesh=surface, cfg=material))
            else:
                for vertices, triangles in rigor_shape.pieces(part, concave):
                    surface = mesh(vertices, triangles)
                    shapes.append(builder.add_shape_convex_hull(link, xform=place, mesh=surface, cfg=material))
        self.body_of_shape += [i] * len(shapes)
        return shapes

    def start(self):
        moving = [self.bodies[i] for i in self.index]
        if not moving:
            return
        velocities = np.array([body["state"][7:13] for body in moving], dtype=np.float32)
        self.now.body_qd.assign(velocities)
        self.next.body_qd.assign(velocities)
        self.now.joint_qd.assign(velocities.flatten())
        self.loads = np.array([body["force"] + body["torque"] for body in moving], dtype=np.float32)
        coms = np.array([body["com"] for body in moving], dtype=float)
        self.offsets = coms if coms.any() else None

    def step(self, goals):
        with wp.ScopedDevice("cpu"):
            self.now.clear_forces()
            if self.index and self.loads.any():
                self.now.body_f.assign(self.loads)
            self.pipeline.collide(self.now, self.touching)
            self.solver.step(
                self.now, self.next, self.control, self.touching, self.dt, observables=self.observed
            )
        self.now, self.next = self.next, self.now

    def rows(self):
        if not self.index:
            return []
        poses = self.now.body_q.numpy().astype(float)
        rows = np.empty((len(poses), 13))
        rows[:, 0:3] = poses[:, 0:3]
        rows[:, 3] = poses[:, 6]
        rows[:, 4:7] = poses[:, 3:6]
        # The velocity is that of the centre of mass.
        rows[:, 7:13] = self.now.body_qd.numpy()
        if self.offsets is not None:
            rows[:, 0:3] += (rigor_shape.matrices(rows[:, 3:7]) @ self.offsets[:, :, None])[:, :, 0]
        return rows

    def keep_contacts(self):
        contacts = self.touching
        count = int(contacts.rigid_contact_count.numpy()[0])
        pick = lambda array: array.numpy()[:count].copy()
        # Points are in the frames of the bodies before the step; the normal points from the first to the second.
        return (
            self.next.body_q.numpy().copy(),
            pick(contacts.rigid_contact_shape0),
            pick(contacts.rigid_contact_shape1),
            pick(contacts.rigid_contact_point0),
            pick(contacts.rigid_contact_point1),
            pick(contacts.rigid_contact_normal),
            pick(self.observed.contact_f),
            pick(contacts.rigid_contact_margin0),
            pick(contacts.rigid_contact_margin1),
        )

    def contacts_of(self, kept):
        found = [len(step[1]) for step in kept]
        if not any(found):
            return b"", found
        step = np.repeat(np.arange(len(kept)), found)
        poses, first, second, on_first, on_second, normals, forces, inside, outside = (
            np.concatenate(arrays) for arrays in zip(*kept)
        )
        # A contact without two shapes is none.
        is_used = (first >= 0) & (second >= 0)
        if not is_used.all():
            step, first, second, on_first, on_second, normals, forces, inside, outside = (
                array[is_used]
                for array in (step, first, second, on_first, on_second, normals, forces, inside, outside)
            )
        a, b = self.body_of_shape[first], self.body_of_shape[second]
        on_first = self.in_world(poses, step, first, on_first)
        on_second = self.in_world(poses, step, second, on_second)
        normals = -normals.astype(float)
        gaps = (on_first - on_second) * normals
        found = np.empty((len(a), 14))
        found[:, 0], found[:, 1] = a, b
        found[:, 2:5] = 0.5 * (on_first + on_second)
        found[:, 5:8] = normals
        found[:, 8] = gaps[:, 0] + gaps[:, 1] + gaps[:, 2] - inside - outside
        rigor_shape.split_forces(found, forces[:, :3].astype(float), normals)
        found[:, 13] = self.coefficients(a, b)
        return rigor_peer.packed(found), np.bincount(step, minlength=len(kept)).tolist()

    def in_world(self, poses, step, shapes, points):
        """Returns points in the world: those of shapes of a body are in its frame, those of no body are in the world."""
        moved = points.astype(float)
        links = self.link_of_shape[shapes]
        moves = links >= 0
        # The poses of all bodies follow each other step by step.
        at = poses[links[moves] + len(self.index) * step[moves]].astype(float)
        moved[moves] = at[:, 0:3] + rigor_shape.rotated(at[:, [6, 3, 4, 5]], moved[moves])
        return moved

    def coefficients(self, a, b):
        first, second = self.friction[a], self.friction[b]
        return np.sqrt(first * second) if self.solver_name == "vbd" else 0.5 * (first + second)

    def read_back(self, scene):
        model = self.model
        masses, coms = model.body_mass.numpy(), model.body_com.numpy()
        inertias, frictions = model.body_inertia.numpy(), model.shape_material_mu.numpy()
        link = {i: k for k, i in enumerate(self.index)}
        bodies = []
        for i, shapes in enumerate(self.shapes_of):
            used = {"mass": None, "com": None, "inertia": None, "friction": None}
            if shapes:
                used["friction"] = float(frictions[shapes[0]])
            if i in link:
                used["mass"] = float(masses[link[i]])
                used["com"] = coms[link[i]].tolist()
                used["inertia"] = rigor_shape.six(inertias[link[i]])
            bodies.append(used)
        gravity = model.gravity.numpy()[0].tolist()
        return {"gravity": gravity, "dt": self.dt, "bodies": bodies}


def transform(position, q):
    w, x, y, z = q
    return wp.transform(wp.vec3(*position), wp.quat(x, y, z, w))


def mesh(vertices, triangles):
    return newton.Mesh(
        np.array(vertices, dtype=np.float32), np.array(triangles, dtype=np.int32).flatten(), compute_inertia=False
    )


rigor_peer.serve(Newton(sys.argv[1]))
