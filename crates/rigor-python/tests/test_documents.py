"""Docstrings, README, examples, types and the tutorial."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rigor

ROOT = Path(__file__).parent.parent
GUIDE = ROOT.parent.parent / "docs" / "guide" / "python.md"
MODULES = ["", ".ccd", ".compare", ".geometry", ".judge", ".judgement", ".method", ".paper", ".run", ".scene", ".simulation", ".study", ".trajectory"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings_hold(name: str) -> None:
    module = importlib.import_module("rigor" + name) if name not in (".compare", ".run", ".study") else sys.modules["rigor" + name]
    result = doctest.testmod(module)
    assert result.failed == 0 and result.attempted > 0


@pytest.mark.parametrize("page", [ROOT / "README.md", GUIDE], ids=["README", "guide"])
def test_blocks_of_pages_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not page.exists():
        pytest.skip("a checkout is needed")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize("name", ["collision_detection", "control", "convergence", "judge", "parameters", "robot"])
def test_examples_run(name: str) -> None:
    example = importlib.import_module(name)
    result = example.main(*(["2000"] if name == "collision_detection" else []))
    if name == "convergence":
        assert result["free"] < 1e-7 and 1.7 < result["xpbd"] < 2.3
    elif name == "control":
        assert 0.0 < result < 5.0
    elif name == "parameters":
        assert result[0][1] > 10 * result[2][1]
    elif name == "collision_detection":
        assert result[10] > 0.5 and result[10] > result[100] >= result[1000]
    elif name == "judge":
        assert set(result) == {"xpbd", "rapier", "ipc"} and max(result.values()) < 1.0
    elif name == "robot":
        (row,) = result
        assert (row["bodies"], row["joints"], row["left out"]) == (2, 2, 0)
        # Against MuJoCo, where it is installed.
        assert row.get("share", 0.0) < 1e-2


def test_the_tutorial_runs_to_its_end(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(ROOT / "examples" / "tutorial.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert all("output_type" not in o or o.output_type != "error" for cell in notebook.cells for o in cell.get("outputs", []))


def test_types_are_right() -> None:
    pytest.importorskip("mypy")
    result = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_every_public_name_has_a_docstring() -> None:
    bare = [name for name in rigor.__all__ if not name.startswith("__") and not getattr(rigor, name).__doc__]
    assert bare == []
