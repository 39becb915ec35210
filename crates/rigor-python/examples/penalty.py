"""A method of your own: penalty contact in thirty lines, and a judge of your own, beside other methods in one report.

python examples/penalty.py [report.html]
"""

from __future__ import annotations

import math
import sys

import numpy as np

import rigor
from rigor.geometry import rotate


class Penalty(rigor.Method):
    """Springs and dampers between vertices and the plane y = 0; symplectic Euler in substeps."""

    name = "penalty"

    def __init__(self, stiffness: float = 2e5, damping: float = 4e2, substeps: int = 20) -> None:
        self.stiffness, self.damping, self.substeps = stiffness, damping, substeps

    def supports(self, scene: rigor.Scene) -> str | None:
        return "joints" if scene.joints else None

    def notices(self, scene: rigor.Scene, dt: float) -> list[str]:
        return ["contact between moving bodies: not simulated", "friction: viscous"]

    def step(self, scene: rigor.Scene, state: rigor.State, dt: float) -> rigor.Report:
        h, force = dt / self.substeps, np.zeros(len(scene.bodies))
        for _ in range(self.substeps):
            for i, body in enumerate(self._moving(scene)):
                r = rotate(state.q[body.index], self._corners[i])
                depth = np.maximum(-(state.x[body.index] + r)[:, 1], 0.0)
                velocity = state.v[body.index] + np.cross(state.omega[body.index], r)
                push = self.stiffness * depth[:, None] * [0.0, 1.0, 0.0] - self.damping * (depth > 0)[:, None] * velocity
                push[:, 1] = np.maximum(push[:, 1], 0.0)
                state.v[body.index] += h * (np.asarray(scene.gravity) + push.sum(axis=0) / body.mass)
                axes = rotate(state.q[body.index], np.eye(3))                     # rows: principal axes in the world
                torque = axes @ np.cross(r, push).sum(axis=0) / body.inertia
                state.omega[body.index] += h * axes.T @ torque
                state.x[body.index] += h * state.v[body.index]
                w, *v = state.q[body.index]
                turn = 0.5 * h * state.omega[body.index]
                q = np.array([w - turn @ v, *(np.asarray(v) + w * turn + np.cross(turn, v))])
                state.q[body.index] = q / np.linalg.norm(q)
                force[body.index] += push[:, 1].sum() / self.substeps
        floor = next(body.index for body in scene.bodies if not body.is_dynamic)
        touching = [i for i in np.flatnonzero(force > 0)]
        contacts = [rigor.Contact(int(i), floor, state.x[i], [0, 1, 0], 0.0, force[i]) for i in touching]
        return rigor.Report(iterations=self.substeps, contacts=contacts, released=math.inf)

    def _moving(self, scene: rigor.Scene) -> list[rigor.Body]:
        if not hasattr(self, "_bodies"):
            self._bodies = [body for body in scene.bodies if body.is_dynamic]
            self._corners = [body.vertices for body in self._bodies]
        return self._bodies


class Lowest(rigor.Judge):
    """Measures how far the lowest vertex is below the plane y = 0."""

    name = "lowest"

    def __init__(self) -> None:
        self.worst = 0.0

    def observe(self, frame: rigor.Frame) -> dict[str, tuple[float, str]]:
        state = frame.state
        moving = [body for body in frame.scene.bodies if body.is_dynamic]
        bottoms = [(state.x[b.index] + rotate(state.q[b.index], b.vertices))[:, 1].min() for b in moving]
        self.worst = max(self.worst, -float(min(bottoms)))
        return {"lowest.height": (float(min(bottoms)), "m")}

    def findings(self, scene: rigor.Scene) -> list[rigor.Finding]:
        return [rigor.Finding("lowest.depth", self.worst, "m")]


def main(path: str = "penalty.html") -> rigor.Comparison:
    """Drops a box with four methods."""
    scene = (
        rigor.Scene.builder("drop", time={"dt": 0.01, "duration": 1.0})
        .body("floor", {"plane": {"size": [4, 4]}}, role="static", friction=0.5)
        .body("box", {"box": {"size": [0.2, 0.2, 0.2]}}, position=[0, 0.3, 0], rotation_deg=[20, 0, 10], friction=0.5)
        .build()
    )
    runs = [rigor.run(scene, method) for method in (Penalty(), "ipc", "xpbd", "rapier")]
    try:
        runs.append(rigor.run(scene, "mujoco"))
    except rigor.UnsupportedError as error:
        print(error)
    comparison = rigor.compare(runs, judges=[Lowest], title="Penalty contact beside other methods")
    print(comparison)
    comparison.save(path)
    return comparison


if __name__ == "__main__":
    main(*sys.argv[1:])
