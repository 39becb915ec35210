"""Property test of a collision detection: is any impact reported late, or not at all?

`sampled` looks at a number of moments, as many programs do. Its answers are compared with the conservative ones of Rigor.

python examples/collision_detection.py [number]
"""

from __future__ import annotations

import sys
import time

import numpy as np

import rigor
from rigor.geometry import distance_sq

#: Distance (m) at which two edges are in contact.
D_MIN = 1e-3


def sampled(start: np.ndarray, end: np.ndarray, moments: int) -> np.ndarray:
    """Times of impact by looking at so many moments; infinite where none is found."""
    hit = np.full(len(start), np.inf)
    for t in np.linspace(1.0, 0.0, moments):
        hit[distance_sq("edge-edge", (1 - t) * start + t * end) <= D_MIN**2] = t
    return hit


def main(number: str = "100000") -> dict[int, float]:
    """Returns the share of the impacts that are missed, by the number of moments."""
    n = int(number)
    rng = np.random.default_rng(1)
    start = rng.normal(size=(n, 4, 3))
    end = start + 0.5 * rng.normal(size=(n, 4, 3))
    began = time.perf_counter()
    answer = rigor.ccd.linear("edge-edge", start, end, d_min=D_MIN)
    print(f"{n / (time.perf_counter() - began):.3g} queries/s: {(~answer.is_free).sum()} of {n} are not proven free")
    meet = np.flatnonzero(answer.code == 1)
    missed = {}
    for moments in (10, 100, 1000):
        hit = sampled(start[meet], end[meet], moments)
        # The property: what is seen at a moment was announced before it.
        assert np.all(answer.t_safe[meet] <= hit), "an impact was announced late"
        missed[moments] = float(np.isinf(hit).mean())
        print(f"{moments:5} moments miss {100 * missed[moments]:5.1f} % of {len(meet)} impacts")
    return missed


if __name__ == "__main__":
    main(*sys.argv[1:])
