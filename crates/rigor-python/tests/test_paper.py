"""Figures of papers."""

from __future__ import annotations

from pathlib import Path

import pytest

import rigor


def test_papers_have_figures_with_claims() -> None:
    papers = rigor.papers()
    assert {"ferguson2021", "mueller2020", "harada2007"} <= set(papers)
    assert all(figure.claim and (figure.cases or figure.lacking or figure.id) for figures in papers.values() for figure in figures)


def test_a_figure_is_run_and_judged(tmp_path: Path) -> None:
    made = rigor.reproduce("mueller2020", "6", out=tmp_path)
    attempt = made["6"]
    assert made.ok and attempt.outcome == "held" and attempt.path.is_file()
    assert attempt.rows and attempt.tables and "<h1>" in attempt.page.html and (tmp_path / "index.html").is_file()
    assert list(attempt.tables[0].frame().columns) == attempt.tables[0].heading
    assert attempt.outcome_as_printed in ("held", "not held")
    here = rigor.reproduce("mueller2020", "6", out=tmp_path, form="here")
    assert here["6"].outcome == "held" and here["6"].outcome_as_printed is None
    cut = rigor.reproduce("mueller2020", ["6"], out=tmp_path / "cut", steps=1)
    assert [one.outcome for one in cut] == ["not judged"]


def test_mistakes_are_named(tmp_path: Path) -> None:
    with pytest.raises(rigor.StudyError, match="the papers are ferguson2021"):
        rigor.reproduce("nobody1900", out=tmp_path)
    with pytest.raises(rigor.StudyError, match=r"there is no figure \"99\""):
        rigor.reproduce("mueller2020", "99", out=tmp_path)
    with pytest.raises(ValueError, match="form is"):
        rigor.reproduce("mueller2020", "6", out=tmp_path, form="there")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not both"):
        rigor.reproduce("mueller2020", "6", out=tmp_path, steps=1, time=1.0)
    with pytest.raises(ValueError, match="time is NaN"):
        rigor.reproduce("mueller2020", "6", out=tmp_path, time=float("nan"))
