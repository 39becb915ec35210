"""IPC Toolkit: `linear` (Tight Inclusion), `additive` (ACCD) and `nonlinear` (rigid bodies), each as its documentation calls it."""

import sys

from rigor_ccd import KINDS, serve

import numpy as np  # noqa: I001
import ipctk


def array(points):
    return [np.array(point, dtype=float) for point in points]


def call(ccd, query, points, **more):
    """Calls the method for the kind of the query."""
    method = getattr(ccd, query.kind.replace("-", "_") + "_ccd")
    is_hit, t = method(*points, **more)
    return t if is_hit else None


def straight(ccd):
    def answer(query):
        points = array(query.start) + array(query.end)
        return call(ccd, query, points, min_distance=query.d_min)

    return answer


class Trajectory(ipctk.NonlinearTrajectory):
    """A point of a rigid body.

    Between two times the way leaves its chord by at most (Δt)²/8 times the largest second derivative. With θ linear in time that of
    R(θ) x is at most ‖θ₁ − θ₀‖² ‖x‖.
    """

    def __init__(self, motion, point):
        super().__init__()
        self.motion, self.point = motion, point
        rate_sq = sum((b - a) ** 2 for a, b in zip(*motion.theta))
        self.bend = rate_sq * float(np.linalg.norm(point)) / 8.0

    def __call__(self, t):
        return np.array(self.motion.place(self.point, t))

    def max_distance_from_linear(self, t0, t1):
        # Rounded up: the product and the norm have a few roundings.
        return self.bend * (t1 - t0) ** 2 * (1.0 + 1e-12)


def curved(query):
    points = [Trajectory(query.motion_a, p) for p in query.points_a]
    points += [Trajectory(query.motion_b, p) for p in query.points_b]
    return call(ipctk.NonlinearCCD(), query, points, min_distance=query.d_min)


def main(which):
    about = f"ipctk {ipctk.__version__} with the default settings of the class; t_safe is its time of impact"
    common = {"version": ipctk.__version__, "d_min": True, "batch": 1}
    if which == "linear":
        serve(straight(ipctk.TightInclusionCCD()), "ipctk-tight-inclusion", linear=KINDS, about=about, **common)
    elif which == "additive":
        serve(straight(ipctk.AdditiveCCD()), "ipctk-additive", linear=KINDS, about=about, **common)
    else:
        about += "; points move in Python, so that its times are not those of the library"
        serve(curved, "ipctk-nonlinear", rigid=KINDS, about=about, **common)


main(sys.argv[1])
