"""Rows of numbers as structured arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Structured = npt.NDArray[np.void]

_TOUCH = [
    ("point", "f8", (3,)),
    ("normal", "f8", (3,)),
    ("distance", "f8"),
    ("normal_force", "f8"),
    ("friction_force", "f8", (3,)),
    ("slip_velocity", "f8", (3,)),
    ("friction", "f8", (2,)),
]

#: A contact: point (m), unit normal from b towards a, gap (m), forces on a (N) and slip of a against b (m/s), all in world axes.
CONTACT = np.dtype([("body_a", "i8"), ("body_b", "i8"), *_TOUCH])
#: The contact of a particle with a body; forces are those on the particle.
PARTICLE_CONTACT = np.dtype([("particle", "i8"), ("body", "i8"), *_TOUCH])
#: A joint: force (N) and torque (N m) on its first body, drift (m, rad), turn (rad, NaN where it is not counted), and
#: whether it is broken.
JOINT = np.dtype(
    [
        ("joint", "i8"),
        ("force", "f8", (3,)),
        ("torque", "f8", (3,)),
        ("position_error", "f8"),
        ("angle_error", "f8"),
        ("turn", "f8"),
        ("broken", "?"),
    ]
)


def stepped(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of rows that begin with the number and the time of their step."""
    fields: list[Any] = [("step", "i8"), ("time", "f8")]
    return np.dtype(fields + [(name, dtype[name]) for name in dtype.names or ()])


def structured(rows: Array, dtype: np.dtype[Any]) -> Structured:
    """Rows of numbers as a structured array."""
    table: Structured = np.zeros(len(rows), dtype)
    column = 0
    for name in dtype.names or ():
        shape = dtype[name].shape
        width = int(np.prod(shape, dtype=int))
        table[name] = rows[:, column : column + width] if shape else rows[:, column]
        column += width
    return table
