"""Studies, comparisons and pages."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import rigor


def test_a_study_is_made_once(tmp_path: Path) -> None:
    plan = {
        "study": {"scenes": ["bouncing/ball"], "duration": 0.05},
        "method": [{"name": "xpbd"}, {"name": "rapier"}],
        "sweep": {"time.dt": [0.01, 0.005]},
        "plot": [{"x": "time.dt", "y": "cost.iterations"}],
    }
    study = rigor.study(plan, tmp_path, jobs=2)
    assert len(study) == 4 and study.found == 0
    table = study.frame()
    assert len(table) == 4 and {"method", "outcome", "energy.drift [1]"} <= set(table.columns)
    assert "<svg" in study.report.html
    assert rigor.study(plan, tmp_path).found == 4
    file = tmp_path / "plan.toml"
    file.write_text('[study]\nscenes = ["bouncing/ball"]\nduration = 0.05\n[[method]]\nname = "xpbd"\n')
    assert len(rigor.study(file, tmp_path / "two")) == 1
    with pytest.raises(rigor.StudyError, match="nothing/here"):
        rigor.study({**plan, "study": {"scenes": ["nothing/here"]}}, tmp_path / "three")
    with pytest.raises(rigor.StudyError, match="unknown field"):
        rigor.study({**plan, "sweeps": {}}, tmp_path / "four")


def test_pages_play_runs(drop: rigor.Scene, fall: rigor.Run, tmp_path: Path) -> None:
    view = rigor.view(fall)
    assert view._repr_html_().startswith("<iframe srcdoc=") and "sandbox" in view._repr_html_()
    assert view.save(tmp_path / "run.html").stat().st_size == len(view.html.encode())
    assert "<canvas" in view.html or "player" in view.html
    with pytest.raises(ValueError, match="give them names"):
        other = rigor.Scene.from_dict({"name": "drop", "body": [{"name": "b", "shape": [{"box": {"size": [1, 1, 1]}}]}]})
        rigor.compare([fall, rigor.run(other, "free", duration=0.1)])


def test_comparisons_are_tables(drop: rigor.Scene, fall: rigor.Run) -> None:
    comparison = rigor.compare([fall, rigor.run(drop, "rapier")])
    frame = comparison.frame()
    assert list(frame["method"]) == ["xpbd", "rapier"] and frame["ok"].all()
    assert len(comparison.frame(all_figures=True)) > 50
    assert "xpbd" in repr(comparison) and not math.isnan(frame["energy.rise_relative"][0])
    assert comparison.judgements[0].frame()["figure"].is_unique is False
