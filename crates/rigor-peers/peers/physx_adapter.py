"""PhysX 5 for Rigor, through sapien.

Its contact reports have no friction forces, so none are passed on.
"""

import rigor_peer
import rigor_shape

import numpy as np
import sapien
from sapien import physx


# The parameters of the two sets of settings; the setting `tuning` replaces single ones.
PARAMETERS = {
    "default": {
        "position_iterations": 10,
        "velocity_iterations": 1,
        "bounce_threshold": 2.0,
        "ccd": 0,
        "pcm": 1,
        "tgs": 1,
    },
    "best": {
        "position_iterations": 50,
        "velocity_iterations": 10,
        "bounce_threshold": 0.02,
        "ccd": 1,
        "pcm": 1,
        "tgs": 1,
    },
}


class PhysX(rigor_peer.Engine):
    name = "physx"
    version = sapien.__version__

    def load(self, scene):
        self.use = rigor_peer.tuned(scene, PARAMETERS[scene["setting"]])
        physx.set_scene_config(
            gravity=scene["gravity"],
            bounce_threshold=self.use["bounce_threshold"],
            enable_ccd=bool(self.use["ccd"]),
            enable_pcm=bool(self.use["pcm"]),
            enable_tgs=bool(self.use["tgs"]),
        )
        self.system = physx.PhysxCpuSystem()
        self.system.timestep = scene["dt"]
        self.world = sapien.Scene([self.system])
        self.loaded = scene["bodies"]
        groups = sorted({body["group"] for body in self.loaded})
        self.groups = {group: k for k, group in enumerate(groups)}
        self.bodies = [self.add(body, scene["concave"]) for body in self.loaded]
        self.dynamic = [
            (component, tuple(body["com"]))
            for component, body in zip(self.bodies, self.loaded)
            if body["role"] == "dynamic"
        ]
        self.loads = [
            (component, body["force"], body["torque"])
            for component, body in zip(self.bodies, self.loaded)
            if body["role"] == "dynamic" and any(body["force"] + body["torque"])
        ]
        return self.read_back(scene)

    def add(self, body, concave):
        is_static = body["role"] == "static"
        component = physx.PhysxRigidStaticComponent() if is_static else physx.PhysxRigidDynamicComponent()
        material = physx.PhysxMaterial(body["static_friction"], body["friction"], body["restitution"])
        for shape in self.shapes(body, concave, material):
            # Bodies whose third words have a bit in common and whose fourth words are equal are kept apart.
            shape.set_collision_groups([1, 1, 1, self.groups[body["group"]]])
            component.attach(shape)
        entity = sapien.Entity()
        entity.add_component(component)
        entity.set_pose(self.pose(body, body["state"]))
        self.world.add_entity(entity)
        if is_static:
            return component
        component.set_sleep_threshold(0.0)
        component.set_linear_damping(0.0)
        component.set_angular_damping(0.0)
        component.set_solver_position_iterations(int(self.use["position_iterations"]))
        component.set_solver_velocity_iterations(int(self.use["velocity_iterations"]))
        if body["role"] == "kinematic":
            component.set_kinematic(True)
            return component
        component.set_mass(body["mass"])
        component.set_cmass_local_pose(sapien.Pose(body["com"], body["axes"]))
        component.set_inertia(body["inertia"])
        component.set_linear_velocity(body["state"][7:10])
        component.set_angular_velocity(body["state"][10:13])
        if any(body["fixed_translation"] + body["fixed_rotation"]):
            component.set_locked_motion_axes(body["fixed_translation"] + body["fixed_rotation"])
        return component

    def shapes(self, body, concave, material):
        shapes = []
        for part in body["parts"]:
            if part["kind"] == "box":
                shape = physx.PhysxCollisionShapeBox(part["half_extents"], material)
                shape.set_local_pose(sapien.Pose(part["position"], part["rotation"]))
                shapes.append(shape)
            elif part["kind"] in ("ball", "capsule"):
                if part["kind"] == "ball":
                    shape = physx.PhysxCollisionShapeSphere(part["radius"], material)
                else:
                    shape = physx.PhysxCollisionShapeCapsule(part["radius"], part["half_length"], material)
                shape.set_local_pose(sapien.Pose(part["position"], rigor_shape.turn(part, "x")))
                shapes.append(shape)
            elif body["role"] != "dynamic" and part["kind"] in ("concave", "open"):
                vertices = np.array(part["vertices"], dtype=np.float32)
                triangles = np.array(part["triangles"], dtype=np.uint32)
                shapes.append(
                    physx.PhysxCollisionShapeTriangleMesh(
                        vertices=vertices, triangles=triangles, scale=np.ones(3), material=material
                    )
                )
            else:
                for vertices, _ in rigor_shape.pieces(part, concave):
                    shapes.append(
                        physx.PhysxCollisionShapeConvexMesh(
                            vertices=vertices.astype(np.float32), scale=np.ones(3), material=material
                        )
                    )
        return shapes

    def pose(self, body, row):
        q = row[3:7]
        r = rigor_shape.rotate(q, body["com"])
        return sapien.Pose([x - y for x, y in zip(row[:3], r)], q)

    def step(self, goals):
        for i, row in goals.items():
            self.bodies[i].set_kinematic_target(self.pose(self.loaded[i], row))
        for component, force, torque in self.loads:
            component.add_force_torque(force, torque)
        self.system.step()

    def rows(self):
        rows = []
        for component, com in self.dynamic:
            pose = component.get_entity_pose()
            q = pose.q.tolist()
            r = rigor_shape.rotate(q, com)
            position = [x + y for x, y in zip(pose.p.tolist(), r)]
            rows.append(
                position + q + component.linear_velocity.tolist() + component.angular_velocity.tolist()
            )
        return rows

    def read_back(self, scene):
        bodies = []
        for component, body in zip(self.bodies, self.loaded):
            used = {"mass": None, "com": None, "inertia": None, "friction": None}
            shapes = component.get_collision_shapes()
            if shapes:
                used["friction"] = float(shapes[0].physical_material.dynamic_friction)
            if body["role"] == "dynamic":
                frame = component.get_cmass_local_pose()
                used["mass"] = float(component.get_mass())
                used["com"] = frame.p.tolist()
                used["inertia"] = rigor_shape.tensor(frame.q.tolist(), component.get_inertia().tolist())
            bodies.append(used)
        gravity = [float(x) for x in self.system.config.gravity]
        return {"gravity": gravity, "dt": float(self.system.timestep), "bodies": bodies}


rigor_peer.serve(PhysX())
