"""Continuous collision detection over arrays of queries.

A query asks when two primitives, moving during a step, come within ``d_min`` (m) of each other. Answers never come late: the
primitives are proven to stay apart on [0, ``t_safe``].

>>> import numpy as np
>>> start = np.array([[[0.0, 0, 0], [1, 0, 0]]])         # two points, 1 m apart,
>>> end = np.array([[[1.0, 0, 0], [0, 0, 0]]])           # that fly at each other
>>> answer = linear("point-point", start, end)
>>> bool(0.499 < answer.t_safe[0] < 0.5), str(answer.verdict[0])
(True, 'hit')
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from . import _rigor
from .rows import Array

_VERDICTS = np.array(["free", "hit", "undecided"])

#: The methods for points on straight lines, and for points of rigid bodies; the default first.
LINEAR_METHODS, RIGID_METHODS = (tuple(names) for names in _rigor.ccd_methods())
#: Kinds of pairs of primitives.
KINDS = ("point-point", "point-edge", "point-triangle", "edge-edge")


@dataclass(frozen=True)
class Answer:
    """Answers to n queries. Times are fractions of the step."""

    #: Proven: the primitives stay apart on [0, t_safe].
    t_safe: Array
    #: Estimated time of impact; NaN where there is none.
    t_hit: Array
    #: 0: free up to the horizon; 1: they meet, or come so close that the method cannot rule it out; 2: undecided.
    code: npt.NDArray[np.uint8]

    @property
    def is_free(self) -> npt.NDArray[np.bool_]:
        """Whether the primitives are proven to stay apart up to the horizon."""
        is_free: npt.NDArray[np.bool_] = self.code == 0
        return is_free

    @property
    def verdict(self) -> npt.NDArray[np.str_]:
        """"free", "hit" or "undecided"."""
        return _VERDICTS[self.code]

    def __len__(self) -> int:
        return len(self.t_safe)


def _flat(array: npt.ArrayLike) -> Array:
    return np.ascontiguousarray(array, dtype=np.float64)


def _distances(d_min: npt.ArrayLike, n: int) -> Array:
    return np.ascontiguousarray(np.broadcast_to(np.asarray(d_min, dtype=np.float64), (n,)))


def linear(
    kind: str,
    start: npt.ArrayLike,
    end: npt.ArrayLike,
    d_min: npt.ArrayLike = 0.0,
    *,
    horizon: float = 1.0,
    method: str = LINEAR_METHODS[0],
    threads: int = 1,
) -> Answer:
    """Primitives whose points move along straight lines, from ``start`` to ``end`` (n × k × 3, m): the points of A, then of B.

    k is 2, 3, 4, 4 for the :data:`KINDS`. The order of the answers does not depend on ``threads``.
    """
    a, b = _flat(start), _flat(end)
    return Answer(*_rigor.ccd_linear(kind, a, b, _distances(d_min, len(a)), horizon, method, threads))


def motion(
    position_t0: npt.ArrayLike,
    position_t1: npt.ArrayLike,
    theta_t0: npt.ArrayLike = (0.0, 0.0, 0.0),
    theta_t1: npt.ArrayLike = (0.0, 0.0, 0.0),
    orientation: npt.ArrayLike = (1.0, 0.0, 0.0, 0.0),
) -> Array:
    """Rigid motions x(t) = R(θ(t)) Q x̂ + p(t) with θ and p linear in t, as rows of 16 numbers; arguments broadcast.

    ``orientation`` is the quaternion (w, x, y, z) of Q.
    """
    parts = [np.asarray(part, dtype=np.float64) for part in (position_t0, position_t1, theta_t0, theta_t1, orientation)]
    n = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    rows = np.concatenate([np.broadcast_to(part, (*n, part.shape[-1])) for part in parts], axis=-1)
    return np.ascontiguousarray(np.atleast_2d(rows))


def rigid(
    kind: str,
    motion_a: npt.ArrayLike,
    motion_b: npt.ArrayLike,
    points: npt.ArrayLike,
    d_min: npt.ArrayLike = 0.0,
    *,
    horizon: float = 1.0,
    method: str = RIGID_METHODS[0],
    threads: int = 1,
) -> Answer:
    """Primitives of two rigid bodies that move along curves: ``points`` (n × k × 3, m) in the frames of their bodies.

    >>> turn = motion([[0.0, 0, 0]], [[0.0, 0, 0]], theta_t1=[[0, 0, np.pi]])       # a hand makes half a turn
    >>> still = motion([[0.0, 0.5, 0]], [[0.0, 0.5, 0]])
    >>> bar = [[[0.0, 0, 0], [1, 0, 0], [0, 0, -1], [0, 0, 1]]]
    >>> bool(0.4999 < rigid("edge-edge", turn, still, bar).t_safe[0] < 0.5)
    True
    """
    local = _flat(points)
    n = len(local)
    a, b = (np.ascontiguousarray(np.broadcast_to(_flat(rows), (n, 16))) for rows in (motion_a, motion_b))
    return Answer(*_rigor.ccd_rigid(kind, a, b, local, _distances(d_min, n), horizon, method, threads))
