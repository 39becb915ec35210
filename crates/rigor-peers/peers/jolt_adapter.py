"""Jolt for Rigor, through culverin.

The package has no way to read masses, so they are measured: impulses act on each body alone, and the velocities that
follow tell its mass and inertia. It has no way to set damping either; what the engine will take away is added to the
velocities before each step.
"""

import rigor_peer
import rigor_shape

import culverin
import numpy as np

# The engine's damping (1/s), the same for both velocities: v is multiplied by 1 - DAMPING * dt after forces have acted.
DAMPING = 0.05

# The parts that the package has, with its words for them; its capsules are along y.
SHAPES = {"box": culverin.SHAPE_BOX, "ball": culverin.SHAPE_SPHERE, "capsule": culverin.SHAPE_CAPSULE}

# A category for bodies whose group has no other member: it meets everything.
COMMON = 1 << 15
ALL = 0xFFFF


class Jolt(rigor_peer.Engine):
    name = "jolt"
    version = culverin.__version__.split()[0]

    def load(self, scene):
        self.bodies, self.dt = scene["bodies"], scene["dt"]
        self.best = scene["setting"] == "best"
        self.gravity = np.array(scene["gravity"])
        self.world = self.make_world(scene["gravity"])
        filters = self.filters()
        self.handles = [
            self.add(self.world, i, body, filters[i], place(body)) for i, body in enumerate(self.bodies)
        ]
        free = [i for i, body in enumerate(self.bodies) if body["role"] == "dynamic"]
        self.free = [self.handles[i] for i in free]
        self.loads = [(self.handles[i], self.bodies[i]["force"], self.bodies[i]["torque"]) for i in free]
        masses = np.array([self.bodies[i]["mass"] for i in free]).reshape(-1, 1)
        forces = np.array([self.bodies[i]["force"] for i in free]).reshape(-1, 3)
        self.pushed = (self.gravity + forces / masses) * self.dt
        used = self.read_back(free)
        for i, handle in zip(free, self.free):
            state = self.bodies[i]["state"]
            self.world.set_linear_velocity(handle, *state[7:10])
            self.world.set_angular_velocity(handle, *state[10:13])
        self.world.step(0.0)
        self.indices = [self.world.get_index(handle) for handle in self.free]
        return used

    def make_world(self, gravity):
        """A step without time passes velocities on; it also starts the engine."""
        slop = {"penetration_slop": 0.001} if self.best else {}
        return culverin.PhysicsWorld(settings={"gravity": tuple(gravity), "num_threads": 1, **slop})

    def filters(self):
        """Returns category and mask of each body: groups with several members have a category of their own."""
        groups = [body["group"] for body in self.bodies]
        is_static = [body["role"] == "static" for body in self.bodies]
        shared = sorted(
            {
                group
                for group in groups
                if groups.count(group) > 1 and not all(s for g, s in zip(groups, is_static) if g == group)
            }
        )
        if len(shared) > 15:
            raise rigor_peer.Refused("it has categories for 15 groups of bodies")
        own = {group: 1 << k for k, group in enumerate(shared)}
        return [(own[g], ALL ^ own[g]) if g in own else (COMMON, ALL) for g in groups]

    def add(self, world, index, body, filter, at):
        """Adds a body and returns its handle; a static one may be several bodies."""
        category, mask = filter
        given = {
            "motion": culverin.MOTION_DYNAMIC if body["role"] == "dynamic" else culverin.MOTION_STATIC,
            "category": category,
            "mask": mask,
            "friction": body["friction"],
            "restitution": body["restitution"],
            "ccd": self.best,
        }
        origin, q = at
        if body["role"] == "dynamic":
            given["mass"] = body["mass"]
            return self.add_one(world, index, body, given, origin, q)
        handle = None
        for part in body["parts"]:
            handle = self.add_part(world, part, given, origin, q)
        return handle

    def add_one(self, world, index, body, given, origin, q):
        parts = body["parts"]
        if all(part["kind"] in SHAPES for part in parts):
            is_turned = parts[0]["kind"] == "capsule" and any(abs(x) > 1e-12 for x in parts[0]["rotation"][1:])
            if len(parts) == 1 and not any(parts[0]["position"]) and not is_turned:
                return self.add_part(world, parts[0], given, origin, q)
            joined = [
                (tuple(part["position"]), xyzw(rigor_shape.turn(part)), SHAPES[part["kind"]], size(part))
                for part in parts
            ]
            return world.create_compound_body(tuple(origin), xyzw(q), joined, **given)
        if len(parts) > 1:
            why = "the package joins only boxes, balls and capsules in one moving body"
            raise rigor_peer.Refused(f"{body['name']!r}: {why}", [index])
        return self.add_hull(world, parts[0]["vertices"], given, origin, q)

    def add_part(self, world, part, given, origin, q):
        """Adds one part as a body, or several for a part that is not convex."""
        if part["kind"] in SHAPES:
            centre = rigor_shape.rotate(q, part["position"])
            position = tuple(x + y for x, y in zip(origin, centre))
            turn = xyzw(rigor_shape.product(q, rigor_shape.turn(part)))
            return world.create_body(pos=position, rot=turn, size=size(part), shape=SHAPES[part["kind"]], **given)
        handle = None
        for vertices, _ in rigor_shape.pieces(part, "pieces"):
            handle = self.add_hull(world, vertices, given, origin, q)
        return handle

    def add_hull(self, world, vertices, given, origin, q):
        points = np.array(vertices, dtype=np.float32)
        return world.create_convex_hull(tuple(origin), xyzw(q), points, **given)

    def step(self, goals):
        positions, velocities, omegas = self.now()
        kept = 1.0 - DAMPING * self.dt
        velocities = (velocities + self.pushed) / kept - self.pushed
        omegas = omegas / kept
        for handle, v, omega in zip(self.free, velocities.tolist(), omegas.tolist()):
            self.world.set_linear_velocity(handle, *v)
            self.world.set_angular_velocity(handle, *omega)
            self.world.activate(handle)
        for handle, force, torque in self.loads:
            if any(force):
                self.world.apply_force(handle, *force)
            if any(torque):
                self.world.apply_torque(handle, *torque)
        self.world.step(self.dt)

    def now(self):
        """Returns centres of mass with orientations (x, y, z, w), velocities and angular velocities."""
        return read(self.world, self.indices)

    def rows(self):
        poses, velocities, omegas = self.now()
        return np.concatenate([poses[:, 0:3], poses[:, [6, 3, 4, 5]], velocities, omegas], axis=1)

    def read_back(self, free):
        """Measures mass, centre and inertia of each dynamic body in a world where nothing meets."""
        world = self.make_world((0.0, 0.0, 0.0))
        handles = [
            self.add(world, i, self.bodies[i], (COMMON, 0), ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))) for i in free
        ]
        world.step(0.0)
        at = [world.get_index(handle) for handle in handles]
        n = len(free)
        centres = read(world, at)[0][:, 0:3]
        masses = [self.bodies[i]["mass"] for i in free]
        moments = [float(np.mean(self.bodies[i]["inertia"])) for i in free]
        for handle, mass in zip(handles, masses):
            world.apply_impulse(handle, mass, 0.0, 0.0)
        world.step(0.0)
        found = read(world, at)[1][:, 0]
        columns = np.zeros((n, 3, 3))
        for axis in range(3):
            for handle, moment in zip(handles, moments):
                world.set_angular_velocity(handle, 0.0, 0.0, 0.0)
            world.step(0.0)
            for handle, moment in zip(handles, moments):
                world.apply_angular_impulse(handle, *(moment * np.eye(3)[axis]).tolist())
            world.step(0.0)
            columns[:, :, axis] = read(world, at)[2] / np.array(moments).reshape(-1, 1)
        used = [{"mass": None, "com": None, "inertia": None, "friction": None} for _ in self.bodies]
        for k, i in enumerate(free):
            used[i]["mass"] = masses[k] / float(found[k])
            used[i]["com"] = centres[k].tolist()
            used[i]["inertia"] = rigor_shape.six(np.linalg.inv(columns[k]))
            self.check_inertia(i, used[i])
        return {"gravity": list(self.world.get_gravity()), "dt": self.dt, "bodies": used}


    def check_inertia(self, index, used):
        body = self.bodies[index]
        asked = np.array(rigor_shape.tensor(body["axes"], body["inertia"]))
        size = np.sqrt(asked.max() / body["mass"])
        off = np.abs(asked - used["inertia"]).max() / asked.max()
        shift = np.abs(np.array(body["com"]) - used["com"]).max() / size
        if max(off, shift) > 1e-3:
            why = "the package takes mass centre and inertia from the shapes, and those of the scene differ"
            raise rigor_peer.Refused(f"{body['name']!r}: {why}", [index])


def size(part):
    """Returns the numbers of a part that the package has."""
    if part["kind"] == "box":
        return tuple(part["half_extents"])
    if part["kind"] == "ball":
        return (part["radius"],)
    return (part["half_length"], part["radius"])


def place(body):
    """Returns the author's origin and orientation of a body at the start."""
    q = body["state"][3:7]
    r = rigor_shape.rotate(q, body["com"])
    return [x - y for x, y in zip(body["state"][:3], r)], q


def read(world, indices):
    """Returns poses (position, x, y, z, w), velocities and angular velocities of these bodies."""
    pick = lambda numbers, kind: np.frombuffer(numbers, dtype=kind).reshape(-1, 4)[indices].astype(float)
    poses = np.concatenate(
        [pick(world.positions, np.float64)[:, 0:3], pick(world.rotations, np.float32)], axis=1
    )
    return poses, pick(world.velocities, np.float32)[:, 0:3], pick(world.angular_velocities, np.float32)[:, 0:3]


def xyzw(q):
    return (q[1], q[2], q[3], q[0])


rigor_peer.serve(Jolt())
