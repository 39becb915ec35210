"""What judges found in a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Expectation:
    """What the scene expects, and the verdict: "held", "failed" or "not_measured"."""

    figure: str
    body: str | None
    bound: str
    verdict: str
    value: float | None
    #: Whether the method claims to meet it, so that a violation is a failure.
    is_claimed: bool
    because: str


class Judgement:
    """Findings by figure, and verdicts on what the scene expects.

    >>> import rigor
    >>> judgement = rigor.run(rigor.Scene.case("bouncing/ball"), "xpbd", duration=0.1).judge()
    >>> judgement["intersection.frames"]
    0.0
    >>> judgement.unit("energy.scale")
    'J'
    """

    def __init__(self, text: str) -> None:
        data = json.loads(text)
        #: All findings as dictionaries: figure, value, unit, and where given body, step, time, detail.
        self.findings: list[dict[str, Any]] = data["findings"]
        #: The scene's expectations.
        self.expectations = [
            Expectation(
                item["figure"],
                item.get("body"),
                item["bound"],
                item["verdict"],
                item.get("value"),
                item["is_claimed"],
                item["because"],
            )
            for item in data["expectations"]
        ]

    @property
    def ok(self) -> bool:
        """Whether every expectation that the method claims to meet was judged, and held."""
        return all(item.verdict == "held" for item in self.expectations if item.is_claimed)

    def find(self, figure: str, body: str | None = None) -> dict[str, Any]:
        """The finding of a figure, on the scene or on a body."""
        for finding in self.findings:
            if finding["figure"] == figure and finding.get("body") == body:
                return finding
        raise KeyError(figure if body is None else f"{figure} of {body}")

    def unit(self, figure: str) -> str:
        """The unit of a figure."""
        return str(next(finding["unit"] for finding in self.findings if finding["figure"] == figure))

    def __getitem__(self, figure: str) -> float:
        """The value of a figure on the whole scene, or of one body: ``judgement["motion.displacement:box"]``."""
        name, _, body = figure.partition(":")
        value = self.find(name, body or None)["value"]
        return float("nan") if value is None else float(value)

    def __contains__(self, figure: object) -> bool:
        return any(finding["figure"] == figure and finding.get("body") is None for finding in self.findings)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def of_scene(self) -> dict[str, float]:
        """Values of all figures on the whole scene."""
        of_scene = [finding for finding in self.findings if finding.get("body") is None]
        return {f["figure"]: float("nan") if f["value"] is None else float(f["value"]) for f in of_scene}

    def frame(self) -> Any:
        """The findings as a pandas table."""
        import pandas as pd

        return pd.DataFrame(self.findings)

    def __repr__(self) -> str:
        failed = [item.figure for item in self.expectations if item.verdict == "failed"]
        told = f"failed: {', '.join(failed)}" if failed else f"{len(self.expectations)} expectations, none failed"
        return f"<Judgement: {len(self.findings)} findings; {told}>"
