"""The order of convergence of methods: a pendulum against its run with a small time step.

python examples/convergence.py
"""

from __future__ import annotations

import numpy as np

import rigor

METHODS = ("free", "xpbd")
STEPS = (0.02, 0.01, 0.005)


def main() -> dict[str, float]:
    """Returns the observed order of each method on a spinning body in flight."""
    scene = rigor.Scene.case("free/dzhanibekov")
    exact = rigor.run(scene, "free", dt=1e-3, duration=0.5).q[-1, 0]
    orders = {}
    for method in METHODS:
        ends = [rigor.run(scene, method, dt=dt, duration=0.5).q[-1, 0] for dt in STEPS]
        errors = [2 * np.arccos(min(1.0, abs(float(q @ exact)))) for q in ends]
        orders[method] = float(np.polyfit(np.log(STEPS), np.log(errors), 1)[0])
        print(f"{method:5} errors {', '.join(f'{e:.2e}' for e in errors)} rad, order {orders[method]:.2f}")
    return orders


if __name__ == "__main__":
    main()
