"""One step at a time."""

from __future__ import annotations

import json

from . import _rigor
from .method import Method
from .rows import CONTACT, Structured, structured
from .scene import Scene, plain


class Simulation(_rigor.Simulation):
    """A scene and a method, advanced step by step.

    >>> scene = Scene.case("bouncing/ball")
    >>> simulation = Simulation(scene, "xpbd", dt=0.01)
    >>> simulation.step(10)
    >>> kept = simulation.state
    >>> simulation.step()
    >>> later = simulation.state_hash
    >>> simulation.state = kept
    >>> simulation.step()
    >>> simulation.state_hash == later
    True
    """

    scene: Scene

    def __new__(
        cls, scene: Scene, method: str | Method = "xpbd", *, dt: float | None = None, **settings: object
    ) -> Simulation:
        made = super().__new__(cls, scene, method, json.dumps(plain(settings)), scene.dt if dt is None else float(dt))
        made.scene = scene
        return made

    @property
    def contacts(self) -> Structured:
        """The contacts of the last step, as a structured array."""
        return structured(self.contact_rows(), CONTACT)

    @property
    def report(self) -> dict[str, float]:
        """What the method reported of the last step (NaN where nothing)."""
        return dict(zip(("iterations", "residual", "min_distance", "ccd_queries"), self.report_row()))

    @property
    def flaws(self) -> list[dict[str, object]]:
        """The flaws of the last step: name, what, amount, unit and subject of each."""
        return list(json.loads(self.flaws_json()))

    @property
    def energy(self) -> float:
        """Kinetic and potential energy (J)."""
        return sum(self.scene.energy(self.state))

    def __repr__(self) -> str:
        return f"<Simulation of {self.scene.name!r} at {self.time} s>"
