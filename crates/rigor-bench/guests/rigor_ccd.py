"""The loop of the protocol of `rigor ccd judge`, version 1: docs/ccd-protocol.md.

An adapter imports this module before its library, since libraries print to standard output, which belongs to the protocol. It
calls serve with a function from a Query to an answer:

    None                 they stay apart during the whole step
    t_safe               they stay apart on [0, t_safe], and meet after it
    (t_safe, t_hit)      the same, with an estimated time of the impact
    Undecided(t_safe)    the search ended without a result

An exception other than Skip is a failure, and is counted.
"""

import json
import math
import os
import sys
import time

PROTOCOL = 1
KINDS = ("point-point", "point-edge", "point-triangle", "edge-edge")
SIZES = {"point-point": (1, 1), "point-edge": (1, 2), "point-triangle": (1, 3), "edge-edge": (2, 2)}

# Standard output is the protocol's alone: whatever a library prints, also from C, goes to standard error.
_replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
sys.stdout = sys.stderr


class Skip(Exception):
    """The library cannot answer this query."""


class Undecided:
    """The search ended; the primitives stay apart on [0, t_safe]."""

    def __init__(self, t_safe=0.0):
        self.t_safe = t_safe


class Motion:
    """x(t) = R(theta(t)) Q x + position(t), with theta and position linear in t, and Q the orientation (w, x, y, z)."""

    def __init__(self, told):
        self.position = told["position"]
        self.theta = told["theta"]
        self.orientation = told["orientation"]

    def place(self, point, t):
        """Returns the place of a point of the body at t."""
        w, x, y, z = self.orientation
        turned = _turn(point, w, (x, y, z), w * w + x * x + y * y + z * z)
        theta = _mix(self.theta, t)
        half = 0.5 * math.sqrt(sum(c * c for c in theta))
        k = 0.5 if half == 0.0 else 0.5 * math.sin(half) / half
        turned = _turn(turned, math.cos(half), tuple(k * c for c in theta), 1.0)
        return tuple(a + b for a, b in zip(turned, _mix(self.position, t)))


class Query:
    """A query. `points_a` and `points_b` are those of the primitives: of a linear query at t = 0, of a rigid one in the bodies."""

    def __init__(self, told):
        self.told = told
        self.type = told["type"]
        self.kind = told["kind"]
        self.d_min = told["d_min"]
        n_a, self.n_b = SIZES[self.kind]
        self.n_a = n_a
        if self.type == "linear":
            self.start, self.end = told["start"], told["end"]
            points = self.start
        else:
            self.motion_a, self.motion_b = Motion(told["motion_a"]), Motion(told["motion_b"])
            points = self.points = told["points"]
        self.points_a, self.points_b = points[:n_a], points[n_a:]

    def at(self, t):
        """Returns the points at t in the world, those of the first primitive first."""
        if self.type == "linear":
            return [_mix(ends, t) for ends in zip(self.start, self.end)]
        a, b = self.motion_a, self.motion_b
        return [a.place(p, t) for p in self.points_a] + [b.place(p, t) for p in self.points_b]


def serve(answer, name, version="", linear=(), rigid=(), motions=None, d_min=False, batch=64, about=""):
    """Replies to requests until there are no more."""
    hello = {
        "protocol": PROTOCOL,
        "name": name,
        "version": version,
        "linear": list(linear),
        "rigid": list(rigid),
        "motions": None if motions is None else list(motions),
        "d_min": d_min,
        "batch": batch,
        "about": about,
    }
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["do"] == "bye":
            return
        if request["do"] == "hello":
            reply = hello
        elif request["do"] == "ask":
            reply = {"answers": [_told(answer, Query(query)) for query in request["queries"]]}
        else:
            reply = {"error": f"there is no request {request['do']!r}"}
        _replies.write(json.dumps(reply, allow_nan=False) + "\n")
        _replies.flush()


def _told(answer, query):
    start = time.process_time()
    try:
        found = answer(query)
    except Skip:
        return {"answer": "skipped"}
    except Exception as why:  # whatever a library raises is its answer
        return {"answer": "failed", "why": f"{type(why).__name__}: {why}"[:400]}
    reply = {"seconds": time.process_time() - start}
    if found is None:
        return {"answer": "free", **reply}
    if isinstance(found, Undecided):
        return {"answer": "undecided", "t_safe": _number(found.t_safe), **reply}
    t_safe, t_hit = found if isinstance(found, tuple) else (found, None)
    return {"answer": "hit", "t_safe": _number(t_safe), "t_hit": _number(t_hit), **reply}


def _number(x):
    """JSON has no NaN: it is null."""
    return None if x is None or not math.isfinite(x) else float(x)


def _mix(ends, t):
    return tuple((1.0 - t) * a + t * b for a, b in zip(*ends))


def _turn(x, c, w, norm_sq):
    """x + 2 w × (c x + w × x)/norm_sq."""
    inner = tuple(c * a + b for a, b in zip(x, _cross(w, x)))
    return tuple(a + 2.0 * b / norm_sq for a, b in zip(x, _cross(w, inner)))


def _cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
