"""Figures of papers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from . import _rigor
from .compare import View
from .scene import Changes, change_lines


@dataclass(frozen=True)
class Figure:
    """A figure of a paper."""

    id: str
    title: str
    #: The claim of the paper, in our own words.
    claim: str
    #: The scenes that test it.
    cases: list[str]
    #: Why it is not reproduced; empty if it is.
    lacking: str


@dataclass(frozen=True)
class Numbers:
    """A table that sets numbers beside those of the paper, or methods beside each other."""

    title: str
    note: str
    #: What is not as claimed.
    complaints: list[str]
    heading: list[str]
    rows: list[list[str]]

    def frame(self) -> Any:
        """The table as a pandas ``DataFrame`` of words."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=self.heading)


@dataclass(frozen=True)
class Attempt:
    """A figure that was run."""

    figure: str
    title: str
    claim: str
    #: As here: "held", "not held", "not judged" or "not run"; None if it was only run as printed.
    outcome: str | None
    #: As printed; None if it was only run as here.
    outcome_as_printed: str | None
    #: Why the claim did not hold or was not judged.
    why: list[str]
    #: The runs, as dictionaries.
    rows: list[dict[str, Any]]
    tables: list[Numbers]
    path: Path

    @property
    def page(self) -> View:
        """The page of the figure: claim, pictures, plots, playback."""
        return View(self.path.read_text(encoding="utf-8"))


class Reproduction:
    """Figures of a paper that were run."""

    def __init__(self, paper: str, folder: Path, text: str) -> None:
        #: The name of the paper.
        self.paper = paper
        #: The folder, with ``index.html``, a page for each figure, and ``runs``.
        self.folder = folder
        #: The figures in the order in which they were run.
        self.attempts = [_attempt(item, folder) for item in json.loads(text)]

    @property
    def ok(self) -> bool:
        """Whether no claim failed: as here, or as printed where only that was run."""
        return all((attempt.outcome or attempt.outcome_as_printed) != "not held" for attempt in self.attempts)

    def __getitem__(self, figure: str) -> Attempt:
        """The attempt at one figure."""
        for attempt in self.attempts:
            if attempt.figure == figure:
                return attempt
        raise KeyError(figure)

    def __iter__(self) -> Iterator[Attempt]:
        return iter(self.attempts)

    def __len__(self) -> int:
        return len(self.attempts)

    def __repr__(self) -> str:
        told = ", ".join(f"{attempt.figure} {attempt.outcome or attempt.outcome_as_printed}" for attempt in self.attempts)
        return f"<Reproduction of {self.paper!r}: {told}>"


def _attempt(item: dict[str, Any], folder: Path) -> Attempt:
    tables = [Numbers(**table) for table in item["tables"]]
    parts = {name: item[name] for name in ("figure", "title", "claim", "outcome", "outcome_as_printed", "why", "rows")}
    return Attempt(**parts, tables=tables, path=folder / item["page"])


def papers() -> dict[str, list[Figure]]:
    """The papers whose figures can be reproduced.

    >>> [figure.claim for figure in papers()["ferguson2021"] if figure.id == "18"][0][:10]
    'On a slope'
    """
    return {paper["name"]: [Figure(**figure) for figure in paper["figures"]] for paper in json.loads(_rigor.papers())}


def reproduce(
    paper: str,
    figures: str | Sequence[str] = (),
    *,
    out: str | PathLike[str],
    form: Literal["both", "printed", "here"] = "both",
    changes: Changes | None = None,
    data: str | PathLike[str] | None = None,
    steps: int | None = None,
    time: float | None = None,
    timed: bool = False,
) -> Reproduction:
    """Runs figures of a paper with the paper's method, judges their claims, and writes a page for each to ``out``.

    ``paper`` is a name or a file. ``figures`` are ids such as "13" or "2a"; none stands for all. ``form`` is that of the method: as
    printed, as it is here, or both. ``changes`` are keys of the scenes with new values. ``steps`` or
    ``time`` (s) cut the runs short; claims are then not judged. ``data`` is a folder with the paper's own scenes. ``timed`` makes runs of
    studies one after another, so that claims about time are judged. Runs that are in ``out`` already are not made again.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     reproduce("mueller2020", "6", out=folder, steps=2)
    <Reproduction of 'mueller2020': 6 not judged>
    """
    folder = Path(fspath(out))
    wanted = [figures] if isinstance(figures, str) else list(figures)
    place = None if data is None else fspath(data)
    text = _rigor.reproduce(paper, wanted, fspath(folder), form, change_lines(changes), place, steps, time, timed)
    return Reproduction(paper, folder, text)
