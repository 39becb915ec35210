"""Compare collision detection over an array with the same loop in Rust, in turns: python measure/ccd.py [QUERIES] [TURNS]."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import rigor

ROOT = Path(__file__).parents[3]
LOOP = ["cargo", "run", "--release", "--quiet", "-p", "rigor-ccd", "--example", "edges_in_turns", "--"]


def main(n: int = 10**6, turns: int = 21) -> None:
    random = np.random.default_rng(7)
    start = random.uniform(-1.0, 1.0, (n, 4, 3))
    end = start + random.uniform(-0.5, 0.5, (n, 4, 3))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "queries"
        path.write_bytes(start.astype("<f8").tobytes() + end.astype("<f8").tobytes())
        loop = subprocess.Popen([*LOOP, path], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert loop.stdin is not None and loop.stdout is not None
        times: dict[str, list[float]] = {"Rust": [], "Python": []}
        for _ in range(turns):
            loop.stdin.write("go\n")
            loop.stdin.flush()
            seconds, hits = loop.stdout.readline().split()
            times["Rust"].append(float(seconds))
            began = time.thread_time()
            answer = rigor.ccd.linear("edge-edge", start, end)
            times["Python"].append(time.thread_time() - began)
            assert int((answer.code == 1).sum()) == int(hits), "both find the same impacts"
        loop.stdin.close()
        loop.wait()
    rust, python = min(times["Rust"]), min(times["Python"])
    print(f"{n} queries, CPU time, shortest of {turns}: Python {python:.3f} s, Rust {rust:.3f} s, ratio {python / rust:.3f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
