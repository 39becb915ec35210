"""Comparison of runs, and playback."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from . import _rigor
from .judge import Judge
from .run import Run

#: Figures in the table of a comparison.
COLUMNS: tuple[str, ...] = (
    "intersection.frames",
    "penetration.deepest",
    "tunnelling.centre_crossings",
    "distance.smallest",
    "energy.rise_relative",
)


class View:
    """A page on runs: judgement, plots and playback. A notebook shows it in a frame."""

    def __init__(self, page: str, height: int = 720) -> None:
        #: The page, a self-contained HTML document.
        self.html = page
        self.height = height

    def save(self, path: str | PathLike[str]) -> Path:
        """Writes the page to a file that opens offline."""
        path = Path(fspath(path))
        path.write_text(self.html, encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        source = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{source}" style="width:100%;height:{self.height}px;border:0" sandbox="allow-scripts"></iframe>'


class Comparison(View):
    """Runs side by side, under the same judges."""

    def __init__(self, runs: Sequence[Run], judges: Sequence[type[Judge]], title: str, height: int) -> None:
        self.runs = list(runs)
        self.judgements = [run.judge([judge() for judge in judges]) for run in self.runs]
        super().__init__(_page(self.runs, title), height)
        names = {judge.name for judge in judges}
        self._columns = list(COLUMNS)
        for judgement in self.judgements:
            for figure in judgement.of_scene():
                if figure.partition(".")[0] in names and figure not in self._columns:
                    self._columns.append(figure)

    @property
    def table(self) -> list[dict[str, Any]]:
        """One row per run."""
        rows = []
        for run, judgement in zip(self.runs, self.judgements):
            found = judgement.of_scene()
            row: dict[str, Any] = {"scene": run.scene.name, "method": run.label, "dt": run.dt, "outcome": run.outcome}
            row |= {figure: found.get(figure) for figure in self._columns}
            steps = max(len(run.t) - 1, 1)
            row |= {"ms_per_step": 1e3 * run.seconds / steps if run.seconds else None, "ok": judgement.ok}
            rows.append(row)
        return rows

    def frame(self, all_figures: bool = False) -> Any:
        """The table as a pandas ``DataFrame``; with ``all_figures``, one line per run and figure."""
        import pandas as pd

        if not all_figures:
            return pd.DataFrame(self.table)
        lines = [
            {"scene": run.scene.name, "method": run.label, "dt": run.dt, **finding}
            for run, judgement in zip(self.runs, self.judgements)
            for finding in judgement
        ]
        return pd.DataFrame(lines)

    def __repr__(self) -> str:
        rows = [[str(cell) if not isinstance(cell, float) else f"{cell:.4g}" for cell in row.values()] for row in self.table]
        head = list(self.table[0]) if self.runs else []
        widths = [max(len(line[i]) for line in [head, *rows]) for i in range(len(head))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in [head, *rows])


def compare(
    runs: Iterable[Run], *, judges: Sequence[type[Judge]] = (), title: str = "Comparison", height: int = 720
) -> Comparison:
    """Judges runs alike and sets them side by side. ``judges`` are classes: each run gets judges of its own.

    >>> import rigor
    >>> scene = rigor.Scene.case("bouncing/ball")
    >>> comparison = compare([rigor.run(scene, method, duration=0.1) for method in ("xpbd", "rapier")])
    >>> [row["method"] for row in comparison.table]
    ['xpbd', 'rapier']
    """
    return Comparison(list(runs), judges, title, height)


def view(*runs: Run, title: str | None = None, height: int = 720) -> View:
    """Plays runs: returns a page that a notebook shows, and that :meth:`View.save` writes."""
    for run in runs:
        if run.judgement is None:
            run.judge()
    return View(_page(runs, title or (runs[0].scene.name if runs else "Runs")), height)


def _page(runs: Sequence[Run], title: str) -> str:
    return _rigor.page(title, [run._native for run in runs], [run.label for run in runs])
