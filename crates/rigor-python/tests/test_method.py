"""Methods and judges written in Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rigor


class Euler(rigor.Method):
    name = "euler"

    def step(self, scene: rigor.Scene, state: rigor.State, dt: float) -> None:
        state.v += dt * np.asarray(scene.gravity)
        state.x += dt * state.v


def test_euler_converges_with_order_one(drop: rigor.Scene) -> None:
    box = drop.body("box").index
    ends = [rigor.run(drop, Euler(), dt=dt, duration=0.1).x[-1, box, 1] for dt in (0.01, 0.005)]
    errors = [abs(end - (0.2 - 0.5 * 9.81 * 0.01)) for end in ends]
    assert np.isclose(errors[0] / errors[1], 2)


def test_obstacles_are_moved_for_the_method(drop: rigor.Scene) -> None:
    run = rigor.run(drop, Euler(), duration=0.1)
    floor = drop.body("floor").index
    assert np.array_equal(run.x[-1, floor], run.x[0, floor])


def test_what_a_method_raises_ends_the_run_or_the_call(drop: rigor.Scene) -> None:
    class Stops(Euler):
        def step(self, scene: rigor.Scene, state: rigor.State, dt: float) -> None:
            if state.step == 3:
                raise rigor.StepError("no more")
            super().step(scene, state, dt)

    run = rigor.run(drop, Stops())
    assert run.outcome == "stopped: no more" and len(run.t) == 4
    with pytest.raises(rigor.StepError, match="no more"):
        run.check()

    class Wrong(Euler):
        def step(self, scene: rigor.Scene, state: rigor.State, dt: float) -> None:
            raise ZeroDivisionError("a mistake")

    with pytest.raises(ZeroDivisionError, match="a mistake"):
        rigor.run(drop, Wrong())

    class Lost(Euler):
        def step(self, scene: rigor.Scene, state: rigor.State, dt: float) -> None:
            state.v[1] = np.nan

    assert "not a finite number" in rigor.run(drop, Lost()).outcome or "finite" in rigor.run(drop, Lost()).outcome

    class Lacks(Euler):
        def supports(self, scene: rigor.Scene) -> str | None:
            return "floors"

    with pytest.raises(rigor.UnsupportedError, match="euler does not support floors"):
        rigor.run(drop, Lacks())

    class Bad(Euler):
        def step(self, scene: rigor.Scene, state: rigor.State, dt: float) -> rigor.Report:
            state.x = np.zeros((1, 3))
            return rigor.Report()

    with pytest.raises(ValueError, match="x has the shape"):
        rigor.run(drop, Bad())

    class Ghost(Euler):
        def step(self, scene: rigor.Scene, state: rigor.State, dt: float) -> rigor.Report:  # type: ignore[override]
            return rigor.Report(contacts=[rigor.Contact(0, 99, [0, 0, 0], [0, 1, 0])])

    with pytest.raises(ValueError, match="names a body that does not exist"):
        rigor.run(drop, Ghost())


def test_memory_lives_in_the_state(drop: rigor.Scene) -> None:
    class Counts(Euler):
        def step(self, scene: rigor.Scene, state: rigor.State, dt: float) -> None:
            state.memory["counts/steps"] = state.memory.get("counts/steps", np.zeros(1)) + 1

    assert rigor.run(drop, Counts(), dt=0.01, duration=0.1).last.memory["counts/steps"] == 10


def test_method_and_judge_stand_beside_others(tmp_path: Path) -> None:
    import penalty

    comparison = penalty.main(str(tmp_path / "report.html"))
    rows = {row["method"]: row for row in comparison.table}
    assert {"penalty", "ipc", "xpbd", "rapier"} <= rows.keys()
    assert all(row["outcome"] == "completed" for row in rows.values())
    assert rows["penalty"]["lowest.depth"] > 1e-4 and rows["ipc"]["lowest.depth"] < 1e-9
    run = comparison.runs[0]
    # The box ends at rest, and its contact carries its weight.
    box = run.scene.body("box")
    assert abs(run.v[-1, box.index]).max() < 0.1
    assert np.isclose(run.contact_force("box")[-20:, 1].mean(), box.mass * 9.81, rtol=0.1)
    page = (tmp_path / "report.html").read_text()
    assert "lowest" in page and "penalty" in page
    table = comparison.frame()
    assert list(table["method"])[:2] == ["penalty", "ipc"]


def test_what_a_judge_raises_is_raised(fall: rigor.Run) -> None:
    class Broken(rigor.Judge):
        name = "broken"

        def observe(self, frame: rigor.Frame) -> None:
            raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        fall.judge([Broken()])

    class Misnamed(rigor.Judge):
        name = "misnamed"

        def observe(self, frame: rigor.Frame) -> None:
            pass

        def findings(self, scene: rigor.Scene) -> list[rigor.Finding]:
            return [rigor.Finding("other.figure", 1.0)]

    with pytest.raises(ValueError, match="must begin with 'misnamed.'"):
        fall.judge([Misnamed()])


def test_a_judge_sees_every_frame_with_its_contacts(fall: rigor.Run) -> None:
    class Sees(rigor.Judge):
        name = "sees"

        def __init__(self) -> None:
            self.times: list[float] = []
            self.forces = 0.0

        def observe(self, frame: rigor.Frame) -> None:
            self.times.append(frame.state.time)
            if frame.contacts is not None:
                self.forces += float(frame.contacts["normal_force"].sum())

        def findings(self, scene: rigor.Scene) -> list[rigor.Finding]:
            return [rigor.Finding("sees.forces", self.forces, "N", body=1, at=(3, 0.03), detail="all")]

    judge = Sees()
    found = fall.judge([judge]).find("sees.forces", "box")
    assert judge.times == fall.t.tolist()
    assert np.isclose(found["value"], fall.contacts["normal_force"].sum()) and found["step"] == 3


def test_flaws_of_a_method_are_counted_and_the_worst_is_kept(drop: rigor.Scene) -> None:
    class Flawed(Euler):
        name = "flawed"
        flaws: list[rigor.Flaw] = []

        def step(self, scene: rigor.Scene, state: rigor.State, dt: float) -> rigor.Report:
            super().step(scene, state, dt)
            return rigor.Report(flaws=self.flaws if state.step < 2 else [])

    method = Flawed()
    method.flaws = [rigor.Flaw("too_fast", 3.0), rigor.Flaw("late", 0.5, "it was late", "s")]
    run = rigor.run(drop, method, duration=0.1)
    told = {flaw["name"]: flaw for flaw in run.flaws}
    assert told["late"]["steps"] == 2 and told["late"]["what"] == "it was late"
    assert told["late"]["worst"] == {"amount": 0.5, "unit": "s", "subject": "", "step": 1}
    assert told["too_fast"]["what"].startswith("bodies moved faster")
    assert run.flawed_steps == 2
    method.flaws = [rigor.Flaw("two words", 1.0)]
    with pytest.raises(ValueError, match="one word"):
        rigor.run(drop, method, duration=0.1)
