"""Runs: a scene, a method, and what happened."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _rigor
from ._rigor import State, StepError
from .judge import Judge
from .judgement import Judgement
from .method import Method
from .rows import CONTACT, JOINT, PARTICLE_CONTACT, Array, Structured, stepped, structured
from .scene import Scene, check_finite, plain


def run(
    scene: Scene | str | PathLike[str],
    method: str | Method = "xpbd",
    *,
    dt: float | None = None,
    duration: float | None = None,
    every: int = 1,
    out: str | PathLike[str] | None = None,
    **settings: object,
) -> Run:
    """Simulates a scene from its initial state.

    ``scene`` is a scene, a file, or the name of a case, as :meth:`Scene.load` takes it. ``method`` is a name of :func:`rigor.methods`, or an object of a class derived from :class:`rigor.Method`. ``settings`` are those of the
    method, as under ``[method.NAME]`` in scene files; they replace the scene's. ``dt`` and ``duration`` (s) default to the scene's.
    States and reports are kept for each ``every``-th step; the judges see those. With ``out``, the run is also written to a folder, as
    ``rigor run`` does it.

    Other threads of Python run meanwhile. Ctrl-C ends the run after its current step; the ``KeyboardInterrupt`` has the steps until
    then as its attribute ``run`` (in a notebook ``sys.last_value.run``), and ``out`` a run that ``rigor run --resume`` continues.

    >>> len(run("bouncing/ball", "xpbd", dt=0.01, duration=0.1))
    11

    >>> run(Scene.case("bouncing/ball"), "xpbd", substeps=0)
    Traceback (most recent call last):
    rigor.MethodError: method.xpbd: substeps is 0: it must be between 1 and 100000
    """
    check_finite(settings, "", _rigor.MethodError)
    scene = scene if isinstance(scene, Scene) else Scene.load(scene)
    label = method.name if isinstance(method, Method) else None
    try:
        made = _rigor.Run(
            scene,
            method,
            json.dumps(plain(settings)),
            scene.dt if dt is None else float(dt),
            scene.duration if duration is None else float(duration),
            every,
            None if out is None else fspath(out),
        )
    except KeyboardInterrupt as stopped:
        until = getattr(stopped, "run", None)
        if until is not None:
            stopped.run = Run(until, label)  # type: ignore[attr-defined]
        raise
    return Run(made, label)


@dataclass(frozen=True)
class Frame:
    """A kept state of a run. Arrays have one row per body and cannot be written to."""

    #: Step number.
    step: int
    #: Time (s).
    t: float
    #: Centres of mass (b × 3, m).
    x: Array
    #: Quaternions (w, x, y, z) of the principal frames (b × 4).
    q: Array
    #: Velocities of the centres of mass (b × 3, m/s).
    v: Array
    #: Angular velocities (b × 3, rad/s, world).
    omega: Array


def _fixed(array: Array) -> Array:
    """The array, which can be read only: the judges see what the method computed."""
    array.setflags(write=False)
    return array


class Run:
    """A finished run. Arrays have one row per kept state, the initial one first; n states, b bodies, p particles. They can be read
    only: copies can be changed. A run is a sequence of its states (:class:`Frame`).

    >>> import rigor
    >>> made = rigor.run(Scene.case("bouncing/ball"), "xpbd", duration=0.1)
    >>> bool(np.all(np.diff(made.t) > 0)), made.x.shape[2], made.q.shape[2]
    (True, 3, 4)
    >>> len(made) == len(made.t), bool(made[-1].t == made.t[-1]), sum(1 for frame in made) == len(made)
    (True, True, True)
    """

    def __init__(self, native: _rigor.Run, label: str | None = None) -> None:
        self._native = native
        self._head: dict[str, Any] = json.loads(native.head())
        #: What the run is called in tables.
        self.label: str = label or str(self._head["method"])
        #: What the judges found when they were last asked.
        self.judgement: Judgement | None = None

    def __len__(self) -> int:
        return len(self.step)

    def __getitem__(self, index: int) -> Frame:
        n = len(self)
        if not -n <= index < n:
            raise IndexError(f"there is no state {index} of {n}")
        return Frame(int(self.step[index]), float(self.t[index]), self.x[index], self.q[index], self.v[index], self.omega[index])

    def __iter__(self) -> Iterator[Frame]:
        return (self[index] for index in range(len(self)))

    @staticmethod
    def load(folder: str | PathLike[str]) -> Run:
        """Reads the folder of a run that the program or :func:`rigor.run` wrote. Reports of steps stay on the disk."""
        return Run(_rigor.Run.read(fspath(folder)))

    def save(self, folder: str | PathLike[str]) -> None:
        """Writes the states to a folder, as a trajectory: ``rigor audit``, ``rigor report`` and ``rigor view`` read it."""
        self._native.save(fspath(folder))

    @cached_property
    def scene(self) -> Scene:
        """The scene, with the settings of the run."""
        return Scene("of", self._native.scene())

    @property
    def method(self) -> str:
        """Name of the method."""
        return str(self._head["method"])

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the method, including defaults."""
        settings: dict[str, Any] = self._head["settings"] or {}
        return settings

    @property
    def dt(self) -> float:
        """Δt (s)."""
        return float(self._head["dt"])

    @property
    def outcome(self) -> str:
        """How it ended: "completed", "stopped: …", "interrupted: …"."""
        return str(self._head["outcome"])

    @property
    def completed(self) -> bool:
        """Whether every step was taken."""
        return self.outcome == "completed"

    def check(self) -> Run:
        """Raises :class:`rigor.StepError` unless every step was taken; returns the run."""
        if not self.completed:
            raise StepError(self.outcome)
        return self

    @property
    def seconds(self) -> float:
        """Wall time of all steps (s)."""
        return float(self._head["seconds"])

    @property
    def notices(self) -> list[str]:
        """What the method ignores of the scene."""
        return list(self._head["notices"])

    @property
    def flaws(self) -> list[dict[str, Any]]:
        """Flaws of its steps, by kind: ``name``, ``what``, ``steps`` and ``of`` (how many), and ``worst``, with ``amount``,
        ``unit``, ``subject`` and ``step``."""
        return list(self._head["flaws"])

    @property
    def flawed_steps(self) -> int:
        """Number of steps with a flaw of any kind."""
        return int(self._head["flawed_steps"])

    @property
    def state_hash(self) -> str:
        """Hash of the bits of the last state: that of ``run.json``."""
        return self._native.state_hash()

    @property
    def last(self) -> State:
        """The last state, with all that the method remembers."""
        return self._native.last()

    @cached_property
    def step(self) -> npt.NDArray[np.int64]:
        """Step numbers (n)."""
        step = self._native.step().astype(np.int64)
        step.setflags(write=False)
        return step

    @cached_property
    def t(self) -> Array:
        """Times (n, s)."""
        return _fixed(self._native.time())

    @cached_property
    def _bodies(self) -> Array:
        return _fixed(self._native.bodies())

    @property
    def x(self) -> Array:
        """Centres of mass (n × b × 3, m)."""
        return self._bodies[:, :, 0:3]

    @property
    def q(self) -> Array:
        """Quaternions (w, x, y, z) of the principal frames (n × b × 4)."""
        return self._bodies[:, :, 3:7]

    @property
    def v(self) -> Array:
        """Velocities of the centres of mass (n × b × 3, m/s)."""
        return self._bodies[:, :, 7:10]

    @property
    def omega(self) -> Array:
        """Angular velocities (n × b × 3, rad/s, world)."""
        return self._bodies[:, :, 10:13]

    @cached_property
    def _particles(self) -> Array:
        return _fixed(self._native.particles())

    @property
    def particle_x(self) -> Array:
        """Positions of particles (n × p × 3, m)."""
        return self._particles[:, :, 0:3]

    @property
    def particle_v(self) -> Array:
        """Velocities of particles (n × p × 3, m/s)."""
        return self._particles[:, :, 3:6]

    @cached_property
    def strain(self) -> Array:
        """Strains E of affine bodies in their principal frames (n × b × 3 × 3); zero for rigid ones."""
        n, b = self._bodies.shape[:2]
        found = self._native.strains()
        return _fixed((found if len(found) else np.zeros((n, b, 9))).reshape(n, b, 3, 3))

    @cached_property
    def _energies(self) -> Array:
        return _fixed(self._native.energies())

    @property
    def kinetic(self) -> Array:
        """Kinetic energy (n, J)."""
        return self._energies[:, 0]

    @property
    def potential(self) -> Array:
        """Potential energy (n, J): of gravity, constant forces, bonds and springs."""
        return self._energies[:, 1]

    @property
    def energy(self) -> Array:
        """Total energy (n, J)."""
        total: Array = self._energies.sum(axis=1)
        return total

    def _table(self, rows: Array, dtype: np.dtype[Any]) -> Structured:
        index = rows[:, 0].astype(int) + 1
        dated = np.column_stack([self.step[index].astype(np.float64), self.t[index], rows[:, 1:]]) if len(rows) else np.zeros((0, rows.shape[1] + 1))
        return structured(dated, stepped(dtype))

    @cached_property
    def contacts(self) -> Structured:
        """All contacts that the method reported, as a structured array; forces are means over the step."""
        return self._table(self._native.contacts(), CONTACT)

    @cached_property
    def joints(self) -> Structured:
        """Forces and errors of joints, as a structured array."""
        return self._table(self._native.joints(), JOINT)

    @cached_property
    def particle_contacts(self) -> Structured:
        """Contacts of particles with bodies, as a structured array."""
        return self._table(self._native.particle_contacts(), PARTICLE_CONTACT)

    @cached_property
    def reports(self) -> dict[str, Array]:
        """What the method reported of each kept step after the first: iterations, residual, … (NaN where nothing)."""
        rows = self._native.reports()
        names = ["iterations", "residual", "min_distance", "ccd_queries"]
        own = [name for name, _ in self._head["quantities"]]
        columns = {name: rows[:, i] for i, name in enumerate(names)}
        values = self._native.quantities()
        return columns | {name: values[:, i] for i, name in enumerate(own)}

    def contact_force(self, body: str | int, other: str | int | None = None) -> Array:
        """Sum of the normal and friction forces on a body (N) in each kept step after the first, from one other body or from all."""
        names = [item.name for item in self.scene.bodies]
        a = names.index(body) if isinstance(body, str) else body
        b = names.index(other) if isinstance(other, str) else other
        table = self.contacts
        total: Array = np.zeros((len(self.t) - 1, 3))
        force = table["normal"] * table["normal_force"][:, None] + table["friction_force"]
        for ours, theirs, sign in (("body_a", "body_b", 1.0), ("body_b", "body_a", -1.0)):
            mine = (table[ours] == a) & ((table[theirs] == b) if b is not None else True)
            index = np.searchsorted(self.step[1:], table["step"][mine])
            np.add.at(total, index, sign * force[mine])
        return total

    def picture(self, index: int = -1, size: tuple[int, int] = (640, 400)) -> bytes:
        """A picture of a kept state as PNG; ``size`` is in pixels. ``IPython.display.Image(run.picture())`` shows it."""
        n = len(self)
        if not -n <= index < n:
            raise IndexError(f"there is no state {index} of {n}")
        return _rigor.picture(self._native, index % n, list(size))

    def judge(self, judges: Sequence[Judge] = (), judge_every: int | None = None) -> Judgement:
        """Asks the judges of the program, and these. Judges of surfaces see each ``judge_every``-th step [default: one per 0.01 s]."""
        self.judgement = Judgement(self._native.judge(judge_every, self.scene, list(judges)))
        return self.judgement

    def __reduce__(self) -> tuple[object, ...]:
        native = self._native
        arrays = [
            native.step(),
            native.time(),
            native.bodies(),
            native.particles(),
            native.contacts(),
            native.joints(),
            native.particle_contacts(),
            native.reports(),
            native.quantities(),
            native.strains(),
        ]
        return (_restored, (self.scene, native.head(), arrays, self.last, self.label))

    def _repr_html_(self) -> str:
        from .compare import view

        return view(self)._repr_html_()

    def __repr__(self) -> str:
        return f"<Run of {self.scene.name!r} by {self.label!r}: {len(self.t)} states, {self.outcome}>"


def _restored(scene: Scene, head: str, arrays: list[Array], last: State, label: str) -> Run:
    return Run(_rigor.Run.of_parts(scene, head, arrays, last), label)
