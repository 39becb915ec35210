"""Methods: by name, and written in Python."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from . import _rigor
from ._rigor import State
from .rows import Array
from .scene import Scene, plain


def methods() -> dict[str, str]:
    """Names and descriptions of all methods.

    >>> "xpbd" in methods()
    True
    """
    return dict(_rigor.methods())


@dataclass
class Contact:
    """A contact that a method reports. Vectors are in world axes; forces are means over the step, on the first body."""

    body_a: int
    body_b: int
    #: Contact point (m).
    point: object
    #: Unit normal, from b towards a.
    normal: object
    #: Gap (m); negative for penetration.
    distance: float = 0.0
    #: Normal force on a (N, at least 0).
    normal_force: float = 0.0
    #: Friction force on a (N).
    friction_force: object = (0.0, 0.0, 0.0)
    #: Tangential velocity of a against b (m/s).
    slip_velocity: object = (0.0, 0.0, 0.0)
    #: Coulomb coefficients: static, dynamic.
    friction: object = (0.0, 0.0)

    def row(self) -> Array:
        """The contact as numbers."""
        parts = [
            [self.body_a, self.body_b],
            self.point,
            self.normal,
            [self.distance, self.normal_force],
            self.friction_force,
            self.slip_velocity,
            self.friction,
        ]
        row = np.concatenate([np.asarray(part, dtype=float).ravel() for part in parts])
        if len(row) != 18:
            raise ValueError("a contact has vectors of three numbers and two coefficients of friction")
        return row


@dataclass
class Flaw:
    """What a step fell short of: of a kind that Rigor knows, such as ``"too_fast"``, or one of the method's own."""

    #: One word of letters, digits and ``_``.
    name: str
    #: How much, in ``unit``; larger is worse.
    amount: float
    #: The first part of a sentence that ends in "in 3 of 100 steps"; not used for kinds that Rigor knows.
    what: str = ""
    #: Unit of the amount; not used for kinds that Rigor knows.
    unit: str = "1"


@dataclass
class Report:
    """What a method says about a step; everything is optional."""

    iterations: int = 0
    #: Residual of the method's own equations.
    residual: float | None = None
    #: Smallest distance seen (m).
    min_distance: float | None = None
    #: Contacts; the judges of contact forces and friction need them.
    contacts: list[Contact] = field(default_factory=list)
    #: Flaws of the step.
    flaws: list[Flaw] = field(default_factory=list)
    #: Energy (J) that springs of the method's own contacts released in the step, ``math.inf`` if unknown; ``None`` if its
    #: contacts are rigid and store none.
    released: float | None = None


class Method:
    """A method written in Python: a class with a name and a step.

    >>> class Euler(Method):
    ...     name = "euler"
    ...     def step(self, scene, state, dt):
    ...         state.v += dt * np.asarray(scene.gravity)
    ...         state.x += dt * state.v
    >>> import rigor
    >>> run = rigor.run(Scene.case("free/symmetric-top", {"gravity": [0, -10, 0]}), Euler(), dt=0.1, duration=0.2)
    >>> float(np.round(run.v[-1, 0, 1], 12))
    -2.0

    Rules: all memory between steps is in ``state.memory``, an array of float64 by name; the same state gives the same step; time
    and step number are advanced for you, and static and kinematic bodies are moved for you. A step that cannot be completed raises
    :class:`rigor.StepError`: the run then ends as *stopped*. Any other exception ends ``rigor.run`` itself.
    """

    #: What the method is called in tables.
    name: ClassVar[str] = "python"

    def supports(self, scene: Scene) -> str | None:
        """Returns what of the scene the method lacks, as a noun; ``None`` if it can simulate the scene."""
        return None

    def notices(self, scene: Scene, dt: float) -> list[str]:
        """Returns what the method ignores of the scene, one line each."""
        return []

    def settings(self) -> dict[str, object]:
        """Returns the settings, for records: by default the public attributes."""
        return {key: value for key, value in vars(self).items() if not key.startswith("_")}

    def step(self, scene: Scene, state: State, dt: float) -> Report | None:
        """Advances ``state`` by ``dt`` (s), in place."""
        raise NotImplementedError

    def _settings(self) -> str:
        return json.dumps(plain(self.settings()), default=str)

    def _step(
        self, scene: Scene, state: State, dt: float
    ) -> tuple[int, float | None, float | None, Array, list[tuple[str, str, str, float]], float | None]:
        report = self.step(scene, state, dt) or Report()
        contacts = np.array([contact.row() for contact in report.contacts]).reshape(-1, 18)
        flaws = [(flaw.name, flaw.what or flaw.name, flaw.unit, float(flaw.amount)) for flaw in report.flaws]
        return (report.iterations, report.residual, report.min_distance, contacts, flaws, report.released)
