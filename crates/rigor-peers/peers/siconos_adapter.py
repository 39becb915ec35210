"""Siconos for Rigor: the time stepping of Moreau and Jean with exact Coulomb friction."""

import rigor_peer
import rigor_shape

import subprocess

import numpy as np
import siconos.kernel as kernel
import siconos.numerics as numerics
from siconos.io.io_base import MechanicsIO
from siconos.mechanics.collision import (
    RigidBodyDS,
    SiconosBox,
    SiconosContactor,
    SiconosContactorSet,
    SiconosConvexHull,
    SiconosMesh,
)
from siconos.mechanics.collision.bullet import SiconosBulletCollisionManager, SiconosBulletOptions

# Parameters of the time stepping in siconos.io.mechanics_run.
THETA, NEWTON_ITERATIONS = 0.50001, 20

# Depth of the collision margin below a convex surface, as a part of the body's least width.
MARGIN = 0.02


def installed_version():
    """Returns the version of the Debian package; the modules do not tell theirs."""
    query = ["dpkg-query", "--show", "--showformat", "${Version}", "python3-siconos"]
    text = subprocess.run(query, capture_output=True, text=True, check=False).stdout
    return text.split("+")[0].split("-")[0]


class Siconos(rigor_peer.Engine):
    name = "siconos"
    version = installed_version()

    def load(self, scene):
        self.best = scene["setting"] == "best"
        self.bodies, self.dt, self.gravity = scene["bodies"], scene["dt"], np.array(scene["gravity"])
        # The engine's end of time is never reached: it would stop there.
        self.nsds = kernel.NonSmoothDynamicalSystem(0.0, 1e9 * self.dt)
        options = SiconosBulletOptions()
        self.manager = SiconosBulletCollisionManager(options)
        self.manager.useEqualityConstraints(False)
        self.kept = []
        groups = self.groups = self.laws(scene)
        self.systems = [self.add(i, body, groups[i], scene["concave"]) for i, body in enumerate(self.bodies)]
        self.integrator = kernel.MoreauJeanOSI(THETA)
        self.integrator.setConstraintActivationThreshold(0.0)
        self.simulation = kernel.TimeStepping(self.nsds, kernel.TimeDiscretisation(0.0, self.dt))
        self.simulation.insertIntegrator(self.integrator)
        self.simulation.insertNonSmoothProblem(self.problem())
        self.simulation.insertInteractionManager(self.manager)
        self.simulation.setNewtonOptions(kernel.SICONOS_TS_NONLINEAR)
        self.simulation.setNewtonMaxIteration(NEWTON_ITERATIONS)
        self.simulation.setNewtonTolerance(1e-10)
        self.io = MechanicsIO()
        self.static = [(i, *bounds(body)) for i, body in enumerate(self.bodies) if body["role"] == "static"]
        # The engine's own arrays of each dynamic body: position and quaternion, then velocity and the angular velocity
        # in axes of the body.
        moving = [system for system in self.systems if system is not None]
        self.states = [part for system in moving for part in (system.q(), system.twist())] or [np.empty(0)]
        return self.read_back()

    def problem(self):
        options = kernel.solver_options_create(numerics.SICONOS_FRICTION_3D_NSGS)
        if self.best:
            options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = 10000
            options.dparam[numerics.SICONOS_DPARAM_TOL] = 1e-10
        problem = kernel.FrictionContact(3, options)
        problem.setMaxSize(0)
        problem.setMStorageType(numerics.NM_SPARSE_BLOCK)
        problem.setKeepLambdaAndYState(True)
        self.kept += [options, problem]
        return problem

    def laws(self, scene):
        """Returns a collision group for each body. Every two groups that may collide have a law with their mean
        coefficients; groups without a law do not collide."""
        special = {i for pair in scene["apart"] for i in pair}
        kinds, groups, self.law_of = {}, [], {}
        for i, body in enumerate(self.bodies):
            kind = (body["role"], body["group"], body["friction"], body["restitution"], i if i in special else -1)
            groups.append(kinds.setdefault(kind, len(kinds)))
        members = {group: i for i, group in enumerate(groups)}
        apart = {frozenset(pair) for pair in scene["apart"]}
        for a, i in members.items():
            for b, j in members.items():
                first, second = self.bodies[i], self.bodies[j]
                moves = "dynamic" in (first["role"], second["role"])
                if b > a or not moves or first["group"] == second["group"] or frozenset((i, j)) in apart:
                    continue
                e, mu = (0.5 * (first[key] + second[key]) for key in ("restitution", "friction"))
                law = kernel.NewtonImpactFrictionNSL(e, 0.0, mu, 3)
                self.kept.append(law)
                self.law_of[a], self.law_of[b] = (law, j), (law, i)
                self.manager.insertNonSmoothLaw(law, a, b)
        return groups

    def add(self, i, body, group, concave):
        contactors = SiconosContactorSet()
        for shape, offset in self.shapes(i, body, concave):
            contactors.append(SiconosContactor(shape, offset, group))
            self.kept.append(shape)
        self.kept.append(contactors)
        place = list(body["state"][:7])
        if body["role"] == "static":
            self.manager.insertStaticContactorSet(contactors, place)
            return None
        r = rigor_shape.matrix(body["axes"])
        inertia = r @ np.diag(body["inertia"]) @ r.T
        # The engine's angular velocity is in the axes of the body.
        omega = rigor_shape.rotate(rigor_shape.inverse(body["state"][3:7]), body["state"][10:13])
        system = RigidBodyDS(place, [*body["state"][7:10], *omega], body["mass"], inertia)
        system.setUseContactorInertia(False)
        system.setContactors(contactors)
        system.setNumber(i)
        force = body["mass"] * self.gravity + np.array(body["force"])
        self.kept.append(force)
        system.setFExtPtr(force)
        if any(body["torque"]):
            torque = np.array(body["torque"])
            self.kept.append(torque)
            system.setIsMextExpressedInInertialFrame(True)
            system.setMExtPtr(torque)
        self.nsds.insertDynamicalSystem(system)
        return system

    def shapes(self, i, body, concave):
        """Returns shapes with their frames relative to the centre of mass."""
        com = body["com"]
        shapes = []
        for part in body["parts"]:
            if part["kind"] == "box":
                shape = SiconosBox([2 * h for h in part["half_extents"]])
                margins(shape, 2 * min(part["half_extents"]))
                offset = [p - c for p, c in zip(part["position"], com)] + list(part["rotation"])
                shapes.append((shape, offset))
            elif body["role"] != "dynamic" and part["kind"] in ("concave", "open"):
                points = np.array(part["vertices"]) - com
                indices = [v for triangle in part["triangles"] for v in triangle]
                mesh = SiconosMesh(indices, points.T.copy())
                margins(mesh, 0.0)
                shapes.append((mesh, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))
            else:
                for vertices, _ in rigor_shape.pieces(part, concave):
                    hull = SiconosConvexHull((vertices - com).tolist())
                    margins(hull, np.ptp(vertices, axis=0).min())
                    shapes.append((hull, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))
        return shapes

    def step(self, goals):
        self.simulation.computeOneStep()
        self.simulation.clearNSDSChangeLog()
        self.simulation.nextStep()

    def keep_rows(self):
        return np.concatenate(self.states)

    def rows_of(self, kept):
        rows = np.concatenate(kept).reshape(-1, 13)
        rows[:, 10:13] = rigor_shape.rotated(rows[:, 3:7], rows[:, 10:13])
        return rigor_peer.packed(rows)

    def keep_contacts(self):
        return self.io.contactPoints(self.nsds, 1)

    def contacts_of(self, kept):
        counts = [0 if points is None else len(points) for points in kept]
        if not any(counts):
            return b"", counts
        points = np.concatenate([points for points in kept if points is not None])
        # The coefficient, points on both bodies, the normal towards the first, the impulse on it in the world, the gap.
        on_b, normals, forces = points[:, 4:7], points[:, 7:10], points[:, 10:13] / self.dt
        found = np.empty((len(points), 14))
        found[:, 0:2] = points[:, 23:25]
        for k in np.flatnonzero(points[:, 23] == points[:, 24]):
            found[k, 1] = self.nearest_static(on_b[k])
        found[:, 2:5] = 0.5 * (points[:, 1:4] + on_b)
        found[:, 5:8] = normals
        found[:, 8] = points[:, 13]
        rigor_shape.split_forces(found, forces, normals)
        found[:, 13] = points[:, 0]
        # The engine keeps contacts in an order of addresses.
        step = np.repeat(np.arange(len(counts)), counts)
        order = np.lexsort([*found.T[::-1], step])
        return rigor_peer.packed(found[order]), counts

    def nearest_static(self, point):
        """Returns the static body whose bounding box is nearest: the engine tells dynamic bodies only."""
        if len(self.static) == 1:
            return self.static[0][0]
        away = lambda box: np.linalg.norm(np.maximum(np.maximum(box[1] - point, point - box[2]), 0.0))
        return min(self.static, key=away)[0]

    def read_back(self):
        bodies = []
        for system, body, group in zip(self.systems, self.bodies, self.groups):
            used = {"mass": None, "com": None, "inertia": None, "friction": None}
            if group in self.law_of:
                # The law of a pair has the mean of two coefficients.
                law, other = self.law_of[group]
                used["friction"] = 2 * law.mu() - self.bodies[other]["friction"]
            if system is not None:
                used["mass"] = system.scalarMass()
                used["com"] = body["com"]
                used["inertia"] = rigor_shape.six(system.inertia())
            bodies.append(used)
        gravity = self.gravity.tolist()
        for system, body in zip(self.systems, self.bodies):
            if system is not None:
                gravity = ((system.fExt() - body["force"]) / system.scalarMass()).tolist()
                break
        return {"gravity": gravity, "dt": self.simulation.timeStep(), "bodies": bodies}


def bounds(body):
    """Returns the bounding box of a body in the world."""
    corners = [np.zeros((0, 3))]
    for part in body["parts"]:
        if part["kind"] == "box":
            signs = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
            local = signs * part["half_extents"] @ rigor_shape.matrix(part["rotation"]).T + part["position"]
        else:
            local = np.array(part["vertices"])
        corners.append((local - body["com"]) @ rigor_shape.matrix(body["state"][3:7]).T + body["state"][:3])
    corners = np.concatenate(corners)
    return corners.min(axis=0, initial=np.inf), corners.max(axis=0, initial=-np.inf)


def margins(shape, size):
    """Lets surfaces collide where they are. Inside of them the collision detection needs a margin; the default of
    0.1 m is more than half of many bodies."""
    shape.setInsideMargin(MARGIN * size)
    shape.setOutsideMargin(0.0)


rigor_peer.serve(Siconos())
