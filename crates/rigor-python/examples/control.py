"""Steps one at a time: a search through futures from one state.

python examples/control.py
"""

from __future__ import annotations

import numpy as np

import rigor


def main() -> float:
    """Finds, by trial, the velocity that throws a ball highest after its bounce. Returns the height (m)."""
    scene = rigor.Scene.case("bouncing/ball")
    ball = scene.body("ball").index
    simulation = rigor.Simulation(scene, "xpbd", dt=0.01)
    simulation.step(5)
    here = simulation.state
    heights = []
    for speed in np.linspace(0.0, 4.0, 9):
        state = here.copy()
        state.v[ball] = [0.0, -speed, 0.0]
        simulation.state = state
        top = 0.0
        for _ in range(100):
            simulation.step()
            top = max(top, float(simulation.state.x[ball, 1]))
        heights.append(top)
        print(f"{speed:.1f} m/s down: {top:.3f} m up")
    return max(heights)


if __name__ == "__main__":
    main()
