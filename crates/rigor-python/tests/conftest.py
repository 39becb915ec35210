"""Scenes and runs that tests share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import rigor

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "examples"))


@pytest.fixture(scope="session")
def ball() -> rigor.Scene:
    return rigor.Scene.case("bouncing/ball")


@pytest.fixture(scope="session")
def drop() -> rigor.Scene:
    """A box that falls on a floor."""
    return (
        rigor.Scene.builder("drop", time={"dt": 0.01, "duration": 0.4})
        .body("floor", {"plane": {"size": [4, 4]}}, role="static", friction=0.5)
        .body("box", {"box": {"size": [0.2, 0.2, 0.2]}}, position=[0, 0.2, 0], friction=0.5)
        .build()
    )


@pytest.fixture(scope="session")
def fall(drop: rigor.Scene) -> rigor.Run:
    return rigor.run(drop, "xpbd")
