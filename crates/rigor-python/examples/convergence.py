"""The order of convergence of a method: a body that turns freely, against its exact motion.

python examples/convergence.py
"""

from __future__ import annotations

import numpy as np

import rigor

STEPS = (0.02, 0.01, 0.005)


def main() -> dict[str, float]:
    """Returns the largest error of ``free`` (rad), which is exact at every time step, and the observed order of ``xpbd``."""
    scene = rigor.Scene.case("free/dzhanibekov")
    exact = rigor.run(scene, "free", dt=1e-3, duration=0.5).q[-1, 0]

    def errors(method: str) -> list[float]:
        ends = [rigor.run(scene, method, dt=dt, duration=0.5).q[-1, 0] for dt in STEPS]
        return [2 * float(np.arccos(min(1.0, abs(float(q @ exact))))) for q in ends]

    most, shrinking = max(errors("free")), errors("xpbd")
    order = float(np.polyfit(np.log(STEPS), np.log(shrinking), 1)[0])
    print(f"free: at most {most:.0e} rad; xpbd: {', '.join(f'{e:.2e}' for e in shrinking)} rad, order {order:.2f}")
    return {"free": most, "xpbd": order}


if __name__ == "__main__":
    main()
