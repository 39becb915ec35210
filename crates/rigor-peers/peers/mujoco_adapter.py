"""MuJoCo for Rigor."""

import rigor_frame
import rigor_joint
import rigor_peer
import rigor_shape

import mujoco
import numpy as np

# Mass of a kinematic body over that of all dynamic ones.
HEAVY = 1e6

# The parameters of the two sets of settings; the setting `tuning` replaces single ones.
PARAMETERS = {
    "default": {
        "integrator": "euler",
        "cone": "pyramidal",
        "impratio": 1.0,
        "iterations": 100,
        "tolerance": 1e-8,
        "noslip_iterations": 0,
        "solref_steps": 0,
        "solimp_min": 0.9,
        "solimp_max": 0.95,
    },
    "best": {
        "integrator": "implicitfast",
        "cone": "elliptic",
        "impratio": 10.0,
        "iterations": 200,
        "tolerance": 1e-12,
        "noslip_iterations": 0,
        "solref_steps": 2,
        "solimp_min": 0.99,
        "solimp_max": 0.999,
    },
}

# Warnings since the last step. MuJoCo would append them to a file in the current folder.
WARNINGS = []
mujoco.set_mju_user_warning(WARNINGS.append)


class MuJoCo(rigor_peer.Engine):
    name = "mujoco"
    version = mujoco.__version__

    def load(self, scene):
        bodies = scene["bodies"]
        spec = mujoco.MjSpec()
        self.settings(spec, scene)
        total = sum(body["mass"] for body in bodies if body["role"] == "dynamic")
        self.meshes = 0
        self.edges, loops = rigor_joint.forest(scene, ("fixed", "ball", "hinge", "slider"))
        if loops:
            names = ", ".join(joint["name"] for joint in loops)
            raise rigor_peer.Refused(f"the adapter has joints in trees only, and {names} close loops")
        hung = {edge.child: edge for edge in self.edges}
        order = [i for i in range(len(bodies)) if i not in hung] + list(hung)
        self.added = {}
        for i in order:
            self.add(spec, scene, i, bodies[i], total, hung.get(i))
        may = rigor_peer.may_collide(scene)
        moving = [i for i, body in enumerate(bodies) if body["role"] != "static"]
        for a in moving:
            for b in range(len(bodies)):
                if a != b and not may(a, b) and (a < b or bodies[b]["role"] == "static"):
                    spec.add_exclude(bodyname1=str(a), bodyname2=str(b))
        try:
            self.model = spec.compile()
        except ValueError as error:
            raise rigor_peer.Refused(f"MuJoCo refuses the model: {error}") from error
        self.data = mujoco.MjData(self.model)
        self.ids = [self.model.body(str(i)).id for i in range(len(bodies))]
        self.start(bodies)
        return self.read_back(scene)

    def settings(self, spec, scene):
        option = spec.option
        option.timestep = scene["dt"]
        option.gravity = scene["gravity"]
        use = rigor_peer.tuned(scene, PARAMETERS[scene["setting"]])
        option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{use['integrator'].upper()}")
        option.cone = getattr(mujoco.mjtCone, f"mjCONE_{use['cone'].upper()}")
        option.impratio = use["impratio"]
        option.iterations = int(use["iterations"])
        option.tolerance = use["tolerance"]
        option.noslip_iterations = int(use["noslip_iterations"])
        # A step that diverges is an error here: the engine would go back to its initial state.
        option.disableflags = mujoco.mjtDisableBit.mjDSBL_AUTORESET
        if scene["joints"]:
            # The scene says which bodies collide.
            option.disableflags |= mujoco.mjtDisableBit.mjDSBL_FILTERPARENT
        # The time constant of contacts in steps; 0 leaves it to the engine.
        steps = use["solref_steps"]
        self.solref = [steps * scene["dt"], 1] if steps else None
        self.solimp = [use["solimp_min"], use["solimp_max"], 0.001, 0.5, 2]

    def add(self, spec, scene, i, body, total, edge):
        q = body["state"][3:7]
        com = np.array(body["com"])
        origin = np.array(body["state"][:3]) - rigor_shape.rotate(q, com)
        if edge is not None and edge.parent is not None:
            added = self.hang(scene["bodies"][edge.parent], edge, i, origin, q)
        else:
            added = spec.worldbody.add_body(name=str(i), pos=origin, quat=q)
        self.added[i] = added
        if edge is not None:
            add_joint(added, edge)
        if body["role"] != "static":
            if edge is None:
                added.add_freejoint()
            added.explicitinertial = True
            added.ipos, added.iquat = com, body["axes"]
            if body["role"] == "dynamic":
                added.mass, added.inertia = body["mass"], body["inertia"]
            else:
                # It moves as prescribed: before each step its velocity is set, and contact hardly changes it.
                factor = HEAVY * max(total, 1.0)
                added.mass, added.inertia, added.gravcomp = factor, [factor] * 3, 1.0
        for part in body["parts"]:
            for shape in self.shapes(spec, part, scene["concave"]):
                geom = added.add_geom(**shape)
                geom.friction = [body["friction"], 0.0, 0.0]
                # A contact has the larger of its bodies' friction and dimension. Without friction it has no tangents: the
                # engine would raise a coefficient of 0 to 1e-5, and a pyramid so narrow has forces that mean nothing.
                geom.condim = 3 if body["friction"] > 0.0 else 1
                geom.solimp = self.solimp
                if self.solref:
                    geom.solref = self.solref

    def hang(self, parent, edge, i, origin, q):
        """Adds a body inside of its parent, whose frame is its author's."""
        back = rigor_shape.inverse(parent["state"][3:7])
        at = np.array(parent["state"][:3]) - rigor_shape.rotate(parent["state"][3:7], parent["com"])
        pos, quat = rigor_shape.rotate(back, origin - at), rigor_shape.product(back, q)
        return self.added[edge.parent].add_body(name=str(i), pos=pos, quat=quat)

    def shapes(self, spec, part, concave):
        if part["kind"] == "box":
            return [
                {
                    "type": mujoco.mjtGeom.mjGEOM_BOX,
                    "size": part["half_extents"],
                    "pos": part["position"],
                    "quat": part["rotation"],
                }
            ]
        if part["kind"] == "ball":
            return [{"type": mujoco.mjtGeom.mjGEOM_SPHERE, "size": [part["radius"], 0, 0], "pos": part["position"]}]
        if part["kind"] == "capsule":
            return [
                {
                    "type": mujoco.mjtGeom.mjGEOM_CAPSULE,
                    "size": [part["radius"], part["half_length"], 0],
                    "pos": part["position"],
                    "quat": rigor_shape.turn(part, "z"),
                }
            ]
        shapes = []
        for vertices, _ in rigor_shape.pieces(part, concave):
            name = f"mesh{self.meshes}"
            self.meshes += 1
            # Mass and inertia are those of the scene; with the legacy rule a thin mesh is no error.
            spec.add_mesh(
                name=name,
                uservert=vertices.flatten(),
                inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX,
            )
            shapes.append({"type": mujoco.mjtGeom.mjGEOM_MESH, "meshname": name})
        return shapes

    def start(self, bodies):
        model, data = self.model, self.data
        self.dofs, self.qposs = {}, {}
        self.coms = {i: np.array(body["com"]) for i, body in enumerate(bodies)}
        hung = {edge.child: edge for edge in self.edges}
        for i, body in enumerate(bodies):
            if body["role"] == "dynamic":
                data.xfrc_applied[self.ids[i], :3] = body["force"]
                data.xfrc_applied[self.ids[i], 3:] = body["torque"]
            if i in hung:
                self.start_hung(bodies, hung[i])
            if body["role"] == "static" or i in hung:
                continue
            joint = model.body_jntadr[self.ids[i]]
            self.qposs[i] = model.jnt_qposadr[joint]
            self.dofs[i] = model.jnt_dofadr[joint]
            self.place(i, body["state"])
        free = [i for i, body in enumerate(bodies) if body["role"] == "dynamic"]
        self.moving = [self.ids[i] for i in free]
        free = [i for i in free if i not in hung]
        self.positions = np.array([[self.qposs[i] + k for k in range(7)] for i in free], dtype=int).reshape(-1, 7)
        self.velocities = np.array([[self.dofs[i] + k for k in range(6)] for i in free], dtype=int).reshape(-1, 6)
        coms = np.array([bodies[i]["com"] for i in free], dtype=float).reshape(-1, 3)
        self.offsets = coms if coms.any() else None
        index = {id: i for i, id in enumerate(self.ids)}
        self.body_of = np.array([index[id] for id in model.geom_bodyid.tolist()])
        self.is_elliptic = model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
        self.edges_of_cone = np.arange(3 if self.is_elliptic else 4)
        mujoco.mj_forward(model, data)

    def start_hung(self, bodies, edge):
        """Sets the velocity of a joint; its coordinate is 0 at the start."""
        if edge.joint["kind"] == "fixed":
            return
        dof = self.model.jnt_dofadr[self.model.body_jntadr[self.ids[edge.child]]]
        omega, v = rigor_joint.rates(bodies, edge)
        back = rigor_shape.inverse(bodies[edge.child]["state"][3:7])
        axis = rigor_joint.axis(edge.frame)
        if edge.joint["kind"] == "ball":
            self.data.qvel[dof : dof + 3] = rigor_shape.rotate(back, omega)
        else:
            rate = omega if edge.joint["kind"] == "hinge" else v
            self.data.qvel[dof] = np.dot(axis, rigor_shape.rotate(back, rate))

    def place(self, i, row):
        """Sets pose and velocity. The engine's are those of the frame's origin, with omega in body axes."""
        q, v, omega = row[3:7], np.array(row[7:10]), np.array(row[10:13])
        r = np.array(rigor_shape.rotate(q, self.coms[i]))
        at, dof = self.qposs[i], self.dofs[i]
        self.data.qpos[at : at + 3] = np.array(row[:3]) - r
        self.data.qpos[at + 3 : at + 7] = q
        self.data.qvel[dof : dof + 3] = v - np.cross(omega, r)
        self.data.qvel[dof + 3 : dof + 6] = rigor_shape.rotate(rigor_shape.inverse(q), omega)

    def step(self, goals):
        for i, row in goals.items():
            # The pose stays that of the last goal; the velocity is that of this step.
            at = self.qposs[i]
            q = self.data.qpos[at + 3 : at + 7]
            r = np.array(rigor_shape.rotate(q, self.coms[i]))
            position = self.data.qpos[at : at + 3] + r
            self.place(i, [*position, *q, *row[7:]])
        mujoco.mj_step(self.model, self.data)
        if WARNINGS:
            raise rigor_peer.Refused(f"MuJoCo warns: {WARNINGS.pop()}")
        for i, row in goals.items():
            self.place(i, row)

    def rows(self):
        if self.edges:
            return self.rows_of_trees()
        data = self.data
        return rigor_shape.rows_from_origins(data.qpos[self.positions], data.qvel[self.velocities], self.offsets)

    def rows_of_trees(self):
        """Returns rows from poses in the world, which the engine has not computed since it moved."""
        model, data, rows = self.model, self.data, []
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        velocity = np.zeros(6)
        for id in self.moving:
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, id, velocity, 0)
            rows.append([*data.xipos[id], *data.xquat[id], *velocity[3:], *velocity[:3]])
        return [[float(x) for x in row] for row in rows]

    def contacts(self):
        data = self.data
        n = data.ncon
        if n == 0:
            return []
        all = data.contact
        frames, mu = all.frame, all.friction[:, 0]
        mu = np.where(all.dim == 1, 0.0, mu)
        normal, t1, t2 = self.forces(all.efc_address, all.dim == 1, mu)
        found = np.empty((n, 14))
        # The engine's normal points from its first geometry to its second.
        found[:, 0:2] = self.body_of[all.geom[:, ::-1]]
        found[:, 2:5] = all.pos
        found[:, 5:8] = frames[:, 0:3]
        found[:, 8] = all.dist
        found[:, 9] = normal
        found[:, 10:13] = t1[:, None] * frames[:, 3:6] + t2[:, None] * frames[:, 6:9]
        found[:, 13] = mu
        return found

    def forces(self, address, is_smooth, mu):
        """Returns the force of each contact along its normal and its two tangents: the solver's own numbers for the
        elliptic cone, and for the pyramid sums of those along its edges, which are the normal plus and minus mu times
        a tangent. A contact without friction has the normal alone, and one without an address no force."""
        solved = self.data.efc_force
        if solved.size == 0:
            # Bodies that touch without a force have contacts, and the solver has nothing to solve.
            return (np.zeros(len(mu)),) * 3
        rows = solved.take(address[:, None] + self.edges_of_cone, mode="clip")
        if address.min() < 0:
            rows[address < 0] = 0.0
        # The rows after the first belong to other contacts.
        rows[is_smooth, 1:] = 0.0
        if self.is_elliptic:
            return rows[:, 0], rows[:, 1], rows[:, 2]
        return rows.sum(axis=1), mu * (rows[:, 0] - rows[:, 1]), mu * (rows[:, 2] - rows[:, 3])

    def read_back(self, scene):
        model, bodies = self.model, []
        for i, body in enumerate(scene["bodies"]):
            id = self.ids[i]
            first, count = model.body_geomadr[id], model.body_geomnum[id]
            used = {
                "mass": None,
                "com": None,
                "inertia": None,
                "friction": float(model.geom_friction[first][0]) if count else None,
            }
            if body["role"] == "dynamic":
                used["mass"] = float(model.body_mass[id])
                used["com"] = model.body_ipos[id].tolist()
                used["inertia"] = rigor_shape.tensor(model.body_iquat[id], model.body_inertia[id])
            bodies.append(used)
        return {"gravity": model.opt.gravity.tolist(), "dt": model.opt.timestep, "bodies": bodies}


def add_joint(body, edge):
    """Adds the joint of a body to its parent; without one they are one piece."""
    kinds = {
        "hinge": mujoco.mjtJoint.mjJNT_HINGE,
        "slider": mujoco.mjtJoint.mjJNT_SLIDE,
        "ball": mujoco.mjtJoint.mjJNT_BALL,
    }
    if edge.joint["kind"] in kinds:
        kind = kinds[edge.joint["kind"]]
        body.add_joint(type=kind, pos=edge.frame["position"], axis=rigor_joint.axis(edge.frame))


rigor_frame.serve(MuJoCo())
