"""A study: at which friction does a box stay on a slope?

python examples/parameters.py [folder]
"""

from __future__ import annotations

import sys
import tempfile

import rigor


def main(folder: str | None = None) -> list[tuple[float, float]]:
    """Returns pairs of friction and displacement."""
    plan = {
        "study": {"title": "Boxes on a slope", "scenes": ["friction/incline-mu-0.5"], "duration": 0.3},
        "method": [{"name": "xpbd"}],
        "sweep": {"body.box.friction": [0.3, 0.45, 0.6]},
        "plot": [{"x": "body.box.friction", "y": "motion.displacement:box", "linear": [True, True]}],
    }
    study = rigor.study(plan, folder or tempfile.mkdtemp())
    print(study.folder / "report.html")
    table = study.frame()
    pairs = list(zip(table["body.box.friction"].astype(float), table["motion.displacement:box [m]"].astype(float)))
    for friction, way in pairs:
        print(f"friction {friction:.2f}: {way:.4f} m")
    return pairs


if __name__ == "__main__":
    main(*sys.argv[1:])
