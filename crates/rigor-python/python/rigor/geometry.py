"""Distances and meshes over arrays.

>>> distance_sq("point-point", [[[0.0, 0, 0], [3, 4, 0]]])
array([25.])
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from . import _rigor
from .rows import Array


def distance_sq(kind: str, points: npt.ArrayLike) -> Array:
    """Squared distances (n, m²) of pairs of primitives: ``points`` is n × k × 3 (m), the points of A, then of B."""
    return _rigor.distance_sq(kind, np.ascontiguousarray(points, dtype=np.float64))


def distance_sq_gradient(kind: str, points: npt.ArrayLike) -> Array:
    """Gradients of the squared distances by the points (n × k × 3, m).

    >>> distance_sq_gradient("point-point", [[[0.0, 0, 0], [3, 4, 0]]])[0, 0]
    array([-6., -8.,  0.])
    """
    return _rigor.distance_sq_gradient(kind, np.ascontiguousarray(points, dtype=np.float64))


@dataclass(frozen=True)
class Mass:
    """Mass properties of a mesh."""

    #: Mass (kg).
    mass: float
    #: Centre of mass (m).
    center: Array
    #: Inertia about the centre of mass (3 × 3, kg m²).
    inertia: Array


def _vertices(array: npt.ArrayLike) -> Array:
    return np.ascontiguousarray(array, dtype=np.float64)


def _triangles(array: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    return np.ascontiguousarray(array, dtype=np.uint32)


def mass_properties(vertices: npt.ArrayLike, triangles: npt.ArrayLike, density: float | None = None) -> Mass:
    """Mass properties of a closed mesh (solid) or an open one (shell) of uniform density (kg/m³ or kg/m²).

    The default, 1000 kg/m³, is for closed meshes only.

    >>> tetrahedron = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> mass = mass_properties(tetrahedron, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], density=6.0)
    >>> round(mass.mass, 12), mass.center.round(12)
    (1.0, array([0.25, 0.25, 0.25]))
    """
    return Mass(*_rigor.mass_properties(_vertices(vertices), _triangles(triangles), density))


def winding_numbers(points: npt.ArrayLike, vertices: npt.ArrayLike, triangles: npt.ArrayLike) -> Array:
    """Winding numbers of a mesh about points (n × 3): about 1 inside of a closed mesh, about 0 outside."""
    return _rigor.winding_numbers(_vertices(points), _vertices(vertices), _triangles(triangles))


def meshes_touch(
    vertices_a: npt.ArrayLike, triangles_a: npt.ArrayLike, vertices_b: npt.ArrayLike, triangles_b: npt.ArrayLike
) -> bool:
    """Whether two surfaces touch or intersect; the test is exact."""
    return _rigor.meshes_touch(_vertices(vertices_a), _triangles(triangles_a), _vertices(vertices_b), _triangles(triangles_b))


def rotate(q: npt.ArrayLike, vectors: npt.ArrayLike) -> Array:
    """Vectors (… × 3) turned by unit quaternions (w, x, y, z); shapes broadcast.

    >>> abs(rotate([np.sqrt(0.5), 0, 0, np.sqrt(0.5)], [1.0, 0, 0])).round(12)
    array([0., 1., 0.])
    """
    q, v = np.asarray(q, dtype=np.float64), np.asarray(vectors, dtype=np.float64)
    w, axis = q[..., :1], q[..., 1:]
    turned: Array = v + 2 * np.cross(axis, w * v + np.cross(axis, v))
    return turned
