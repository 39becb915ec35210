"""Judges written in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from . import _rigor
from ._rigor import State
from .rows import CONTACT, Array, Structured, structured
from .scene import Scene


def figures() -> dict[str, tuple[str, str]]:
    """Units and meanings of all figures of the judges of the program.

    >>> figures()["penetration.deepest"][0]
    'm'
    """
    return {name: (unit, meaning) for name, unit, meaning in _rigor.figures()}


@dataclass(frozen=True)
class Frame:
    """What a judge sees: the state after a step."""

    scene: Scene
    state: State
    #: Contacts of the step that ended here; ``None`` for the first frame, and for trajectories from elsewhere.
    contacts: Structured | None


@dataclass(frozen=True)
class Finding:
    """One measured number."""

    #: ``judge.figure``.
    figure: str
    value: float
    unit: str = "1"
    #: Index of the body it concerns; ``None`` for the scene.
    body: int | None = None
    #: Step and time (s) at which it was found.
    at: tuple[int, float] | None = None
    #: Names of the bodies involved.
    detail: str = ""


class Judge:
    """A judge written in Python: it sees the frames in order and says what it found.

    >>> class Height(Judge):
    ...     name = "height"
    ...     def __init__(self):
    ...         self.top = float("-inf")
    ...     def observe(self, frame):
    ...         self.top = max(self.top, float(frame.state.x[:, 1].max()))
    ...         return {"height.now": (float(frame.state.x[:, 1].max()), "m")}
    ...     def findings(self, scene):
    ...         return [Finding("height.top", self.top, "m")]
    >>> import rigor
    >>> run = rigor.run(Scene.case("bouncing/ball"), "xpbd", duration=0.05)
    >>> bool(run.judge([Height()])["height.top"] == run.x[:, :, 1].max())
    True
    """

    #: The part of its figures' names before the dot.
    name: ClassVar[str] = "python"

    def observe(self, frame: Frame) -> dict[str, tuple[float, str]] | None:
        """Sees a frame. Returns values to plot over time with their units, by name, if there are any."""
        raise NotImplementedError

    def findings(self, scene: Scene) -> list[Finding]:
        """Returns what was found so far."""
        raise NotImplementedError

    def _observe(self, scene: Scene, state: State, rows: Array | None) -> list[tuple[str, str, float]]:
        contacts = None if rows is None else structured(rows, CONTACT)
        values = self.observe(Frame(scene, state, contacts)) or {}
        return [(self._own(name), unit, float(value)) for name, (value, unit) in values.items()]

    def _findings(self, scene: Scene) -> list[tuple[str, str, float, int | None, tuple[int, float] | None, str]]:
        return [
            (self._own(found.figure), found.unit, float(found.value), found.body, found.at, found.detail)
            for found in self.findings(scene)
        ]

    def _own(self, figure: str) -> str:
        if not figure.startswith(self.name + "."):
            raise ValueError(f"the figure {figure!r} of the judge {self.name!r} must begin with {self.name + '.'!r}")
        return figure
