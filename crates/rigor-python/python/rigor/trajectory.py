"""Trajectories from elsewhere."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path

import numpy as np
import numpy.typing as npt

from . import _rigor
from .run import Run
from .scene import Scene


class Trajectory(Run):
    """The motion of a scene as computed by another program, judged and compared like a run.

    ``position`` is n × b × 3 (m), ``quaternion`` n × b × 4; without ``names``, the bodies are all of the scene or all that move, in its
    order. ``order`` is "wxyz" or "xyzw". ``origin`` says what positions are of: "centre_of_mass", or "author" for the origin of the body's
    own frame. Quaternions turn that frame into the world. Without velocities, they become differences of positions.

    >>> t = np.linspace(0, 1, 101)
    >>> y = 2 - 0.5 * 9.81 * t**2
    >>> fall = Trajectory(
    ...     Scene.from_toml("[[body]]\\nname = 'stone'\\n[[body.shape]]\\nbox = { size = [1, 1, 1] }\\n"),
    ...     t,
    ...     np.stack([0 * t, y, 0 * t], axis=1)[:, None, :],
    ...     np.tile([1.0, 0, 0, 0], (101, 1, 1)),
    ...     label="by hand",
    ... )
    >>> fall.judge()["energy.drift"] < 0.02
    True
    """

    def __init__(
        self,
        scene: Scene,
        time: npt.ArrayLike,
        position: npt.ArrayLike,
        quaternion: npt.ArrayLike,
        *,
        velocity: npt.ArrayLike | None = None,
        omega: npt.ArrayLike | None = None,
        names: Sequence[str] | None = None,
        order: str = "wxyz",
        origin: str = "centre_of_mass",
        label: str = "trajectory",
    ) -> None:
        if (velocity is None) != (omega is None):
            raise ValueError("velocity and omega are given together or not at all")
        fields = {"time": time, "position": position, "quaternion": quaternion}
        if velocity is not None and omega is not None:
            fields |= {"linear_velocity": velocity, "angular_velocity": omega}
        arrays: dict[str, npt.NDArray[np.generic]] = {name: np.asarray(array, dtype=float) for name, array in fields.items()}
        if names is not None:
            arrays["body_name"] = np.array(list(names))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trajectory.npz"
            np.savez(path, allow_pickle=False, **arrays)
            super().__init__(_rigor.Run.adopted(scene, fspath(path), label, [], order, origin), label)

    @staticmethod
    def read(
        scene: Scene,
        path: str | PathLike[str],
        *,
        label: str = "trajectory",
        names: Mapping[str, str] | None = None,
        order: str = "wxyz",
        origin: str | None = None,
    ) -> Run:
        """Reads an ``.npz`` or a ``.csv`` file; ``names`` are names of arrays or columns by field, such as ``{"time": "t"}``."""
        fields = list((names or {}).items())
        return Run(_rigor.Run.adopted(scene, fspath(path), label, fields, order, origin), label)
