"""What the comparisons with other readers have in common: their arguments, how numbers differ, and the table of rows."""

import argparse
import csv
import math
import sys

import numpy as np

TOLERANCE = 1e-6


def arguments(text, table):
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--rigor", default="target/release/rigor")
    parser.add_argument("--csv", default=table)
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def difference(a, b, least):
    """The largest difference by the largest number, which counts as at least `least`."""
    a, b = np.ravel(np.array(a, float)), np.ravel(np.array(b, float))
    equal = np.isinf(a) & (a == b)
    a, b = np.where(equal, 0.0, a), np.where(equal, 0.0, b)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return math.inf
    return float(np.abs(a - b).max(initial=0.0) / max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0), least))


def finish(path, keys, rows):
    """Writes the rows, counts their outcomes, and ends the program: with 1 if one is silent."""
    with open(path, "w", newline="") as out:
        writer = csv.DictWriter(out, keys)
        writer.writeheader()
        writer.writerows(rows)
    outcomes = [row["outcome"] for row in rows]
    for outcome in sorted(set(outcomes)):
        print(f"{outcomes.count(outcome):5} {outcome}")
    sys.exit(1 if "SILENT" in outcomes else 0)
