"""A million queries of continuous collision detection.

python examples/collision_detection.py [number]
"""

from __future__ import annotations

import sys
import time

import numpy as np

import rigor


def main(number: str = "100000") -> float:
    """Returns the queries per second."""
    n = int(number)
    rng = np.random.default_rng(1)
    start = rng.normal(size=(n, 4, 3))
    end = start + 0.5 * rng.normal(size=(n, 4, 3))
    began = time.perf_counter()
    answer = rigor.ccd.linear("edge-edge", start, end)
    rate = n / (time.perf_counter() - began)
    words, counts = np.unique(answer.verdict, return_counts=True)
    print(f"{rate:.3g} queries/s:", ", ".join(f"{count} {word}" for word, count in zip(words, counts)))
    return rate


if __name__ == "__main__":
    main(*sys.argv[1:])
