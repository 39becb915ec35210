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

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

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


#: A generated query with its proven truth. ``type``, ``kind``, ``family``, ``motion_class``, ``label`` and ``d_min`` (m) tell what it is,
#: ``t_true`` bounds the time of contact (None: they stay apart), ``at(t)`` has the points in the world. A linear query has ``start`` and
#: ``end``; a rigid one ``points`` in the frames of the bodies, and ``motion_a`` and ``motion_b``: positions, rotation vectors, orientation.
Query = _rigor.CcdQuery


def queries(type: str = "linear", *, n: int = 10, families: Iterable[str] = (), seed: int = 1) -> list[Query]:
    """Queries 0 to n - 1 of each family, all if there is none, with a truth proven by exact arithmetic.

    >>> [query.label for query in queries("rigid", n=2, families=["far"])]
    ['far 1 0', 'far 1 1']
    """
    return _rigor.ccd_queries(type, list(families), n, seed)


@dataclass(frozen=True)
class Fault:
    """An answer that no implementation may give."""

    #: The query.
    query: Query
    #: What the implementation returned.
    answer: object
    #: "miss", "late", "malformed" or "failed".
    verdict: str
    #: t_safe minus a proven time of contact; 0 unless it is late, as for the next two.
    delay: float = 0.0
    #: A bound of the way of points since contact, in units of the size of the primitives.
    overrun: float = 0.0
    #: How far below d_min they are by then, in units of d_min: 1 if they touch.
    depth: float = 0.0


@dataclass
class Judgement:
    """What the answers of an implementation are."""

    #: Number of answers with each verdict.
    counts: Counter[str] = field(default_factory=Counter)
    #: Every fault.
    faults: list[Fault] = field(default_factory=list)
    #: t_safe/t_true of answers that are not late, where t_true is known.
    ratios: list[float] = field(default_factory=list)
    #: CPU time (s) of each answer.
    seconds: list[float] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """Whether there is no fault."""
        return not self.faults


def judge(function: Callable[[Query], object], asked: Iterable[Query]) -> Judgement:
    """Judges a function from a query to an answer: None (they stay apart), t_safe, or (t_safe, t_hit).

    It is called in this process, so that nothing ends one that hangs; ``rigor ccd judge`` asks a process, with a limit.

    >>> judgement = judge(lambda query: None, queries(families=["transversal"]))
    >>> judgement.is_clean, judgement.faults[0].verdict
    (False, 'miss')
    >>> judge(lambda query: 0.0, queries()).is_clean
    True
    """
    judgement = Judgement()
    for query in asked:
        start = time.process_time()
        try:
            answer = function(query)
        except Exception as why:
            judgement.counts["failed"] += 1
            judgement.faults.append(Fault(query, why, "failed"))
            continue
        judgement.seconds.append(time.process_time() - start)
        t_safe, t_hit = answer if isinstance(answer, tuple) else (answer, None)
        verdict, is_fault, late, ratio = query.rule(t_safe, t_hit)
        judgement.counts[verdict] += 1
        if is_fault:
            judgement.faults.append(Fault(query, answer, verdict, *(late or ())))
        if ratio is not None:
            judgement.ratios.append(ratio)
    return judgement
