"""Plans of many runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _rigor
from .compare import View
from .scene import plain

if TYPE_CHECKING:
    import pandas


class Study:
    """The results of a study: rows, and files in its folder."""

    def __init__(self, folder: Path, text: str) -> None:
        data = json.loads(text)
        #: The folder, with ``report.html``, ``results.csv``, ``results.parquet`` and ``runs``.
        self.folder = folder
        #: One dictionary per run.
        self.rows: list[dict[str, Any]] = data["rows"]
        #: One dictionary per search of a plan with ``[bisect]``.
        self.criticals: list[dict[str, Any]] = data["criticals"]
        #: Number of runs that were found from an earlier time.
        self.found: int = data["found"]

    def frame(self) -> pandas.DataFrame:
        """The table as a pandas ``DataFrame``: keys, outcome, every figure, costs."""
        import pandas

        return pandas.read_csv(self.folder / "results.csv")

    @property
    def report(self) -> View:
        """The page."""
        return View((self.folder / "report.html").read_text(encoding="utf-8"))

    def __len__(self) -> int:
        return len(self.rows)


def study(plan: str | PathLike[str] | Mapping[str, object], out: str | PathLike[str], jobs: int = 1) -> Study:
    """Carries out a plan: the path of a TOML file, or its tables as a dictionary.

    Runs are records under ``out``; those that are there already are not made again. Ctrl-C ends it; the next call goes on.

    >>> import tempfile
    >>> plan = {
    ...     "study": {"scenes": ["bouncing/ball"], "duration": 0.05},
    ...     "method": [{"name": "xpbd"}],
    ...     "sweep": {"time.dt": [0.01, 0.005]},
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     len(study(plan, folder)), study(plan, folder).found
    (2, 2)
    """
    folder = Path(fspath(out))
    folder.mkdir(parents=True, exist_ok=True)
    is_text = isinstance(plan, Mapping)
    text = json.dumps(plain(plan)) if isinstance(plan, Mapping) else fspath(plan)
    return Study(folder, _rigor.study(text, is_text, fspath(folder), jobs))
