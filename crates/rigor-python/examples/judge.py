"""A judge of your own: how far does a tower lean?

python examples/judge.py [picture.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import rigor
from rigor.geometry import rotate


class Upright(rigor.Judge):
    """Measures how far the tower leans: the angle between the axis y of each brick and the vertical."""

    name = "upright"

    def __init__(self) -> None:
        self.worst = 0.0
        self.body: int | None = None
        self.at = (0, 0.0)

    def observe(self, frame: rigor.Frame) -> dict[str, tuple[float, str]]:
        bricks = [body for body in frame.scene.bodies if body.is_dynamic]
        up = np.array([rotate(body.axes * [1, -1, -1, -1], [0.0, 1.0, 0.0]) for body in bricks])
        now = rotate(frame.state.q[[body.index for body in bricks]], up)[:, 1]
        angles = np.degrees(np.arccos(np.clip(now, -1.0, 1.0)))
        if angles.max() > self.worst:
            worst = int(angles.argmax())
            self.worst, self.body = float(angles[worst]), bricks[worst].index
            self.at = (frame.state.step, frame.state.time)
        return {"upright.lean": (float(angles.max()), "deg")}

    def findings(self, scene: rigor.Scene) -> list[rigor.Finding]:
        detail = "" if self.body is None else scene.bodies[self.body].name
        return [rigor.Finding("upright.worst", self.worst, "deg", at=self.at, detail=detail)]


def tower() -> rigor.Scene:
    """Five bricks, each a little off the one below."""
    builder = rigor.Scene.builder("tower", time={"dt": 0.01, "duration": 1.0})
    builder.body("floor", {"plane": {"size": [4, 4]}}, role="static", friction=0.5)
    for k in range(5):
        place = [0.02 * (-1) ** k, 0.1 * k + 0.05, 0]
        builder.body(f"brick-{k}", {"box": {"size": [0.3, 0.1, 0.15]}}, position=place, friction=0.5)
    return builder.build()


def main(path: str | None = None) -> dict[str, float]:
    """Returns the worst lean (degrees) by method."""
    scene, leans = tower(), {}
    for method in ("xpbd", "rapier", "ipc"):
        run = rigor.run(scene, method)
        found = run.judge([Upright()]).find("upright.worst")
        leans[method] = float(found["value"])
        print(f"{method:6}  {leans[method]:8.4f}°  {found.get('detail', '')} at {found.get('time', 0.0):.2f} s")
        if path and method == "xpbd":
            Path(path).write_bytes(run.picture(size=(480, 300)))
    return leans


if __name__ == "__main__":
    main(*sys.argv[1:])
