"""Rotations, inertia, round parts and convex stand-ins for surfaces, shared by the adapters."""

import numpy as np

HALF = 0.5**0.5

# What turns the axis x or z, along which an engine has its capsules, to y, along which a part has its own.
TO_Y = {"x": (HALF, 0.0, 0.0, HALF), "y": (1.0, 0.0, 0.0, 0.0), "z": (HALF, -HALF, 0.0, 0.0)}

# Depth (m) of the slab that stands for an open surface.
SLAB = 1.0


def matrix(q):
    """Returns the rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def product(a, b):
    """Returns the product of two quaternions (w, x, y, z)."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def inverse(q):
    """Returns the inverse of a unit quaternion."""
    return (q[0], -q[1], -q[2], -q[3])


def rotate(q, v):
    """Returns a vector turned by a unit quaternion."""
    w, x, y, z = q
    tx, ty, tz = 2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])
    return (
        v[0] + w * tx + y * tz - z * ty,
        v[1] + w * ty + z * tx - x * tz,
        v[2] + w * tz + x * ty - y * tx,
    )


def turn(part, axis="y"):
    """Returns the rotation of a part for an engine that has capsules along `axis`; that of a ball is none."""
    if part["kind"] == "capsule":
        return product(part["rotation"], TO_Y[axis])
    return part.get("rotation", TO_Y["y"])


def tensor(axes, moments):
    """Returns xx, yy, zz, xy, xz, yz of the inertia with these principal axes and moments."""
    r = matrix(axes)
    return six(r @ np.diag(moments) @ r.T)


def six(i):
    """Returns xx, yy, zz, xy, xz, yz of a symmetric matrix."""
    return [float(i[0][0]), float(i[1][1]), float(i[2][2]), float(i[0][1]), float(i[0][2]), float(i[1][2])]


def pieces(part, concave):
    """Returns convex stand-ins of a part that has triangles: a list of (vertices, triangles).

    The hull of the vertices is the piece. The triangles name all vertices, for engines that need some.
    """
    vertices = np.array(part["vertices"], dtype=float)
    triangles = np.array(part["triangles"], dtype=int)
    if part["kind"] == "open":
        return slabs(vertices, triangles)
    if part["kind"] == "convex" or concave == "hull":
        return [(vertices, triangles)]
    import coacd

    coacd.set_log_level("error")
    return [(np.array(v), np.array(t)) for v, t in coacd.run_coacd(coacd.Mesh(vertices, triangles))]


def slabs(vertices, triangles):
    """Returns what lies up to SLAB below an open surface: one slab for a flat convex one, else a prism per
    triangle."""
    corners = vertices[triangles]
    areas = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    total = areas.sum(axis=0)
    if np.linalg.norm(total) > 0.0:
        normal = total / np.linalg.norm(total)
        used = vertices[np.unique(triangles)]
        heights = used @ normal
        size = np.ptp(used, axis=0).max()
        is_flat = np.ptp(heights) <= 1e-9 * size
        if is_flat and _hull_area(used, normal) <= np.linalg.norm(total) * (1 + 1e-9):
            return [_fan(np.vstack([used, used - SLAB * normal]))]
    prisms = []
    for triangle, area in zip(corners, areas):
        length = np.linalg.norm(area)
        if length > 0.0:
            prisms.append(_fan(np.vstack([triangle, triangle - SLAB * area / length])))
    return prisms


def _fan(vertices):
    """Returns the vertices with triangles that name all of them."""
    return vertices, np.array([(0, i, i + 1) for i in range(1, len(vertices) - 1)])


def _hull_area(points, normal):
    """Returns the area of the convex hull of points in a plane."""
    u = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    u /= np.linalg.norm(u)
    v = np.cross(normal, u)
    flat = sorted(set(map(tuple, np.column_stack([points @ u, points @ v]).tolist())))

    def half(points):
        chain = []
        for p in points:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]

    hull = half(flat) + half(flat[::-1])
    return 0.5 * sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(hull, hull[1:] + hull[:1]))


def _turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _products():
    """Returns the 16 x 9 matrix that turns the products of the elements of a quaternion into its rotation matrix."""
    terms = np.zeros((4, 4, 3, 3))
    for i in range(4):
        for j in range(4):
            # matrix() is a constant plus a quadratic form, whose mixed parts are found by polarization.
            a, b = np.eye(4)[i], np.eye(4)[j]
            mixed = matrix(a + b) - matrix(a) - matrix(b) + np.eye(3)
            terms[i, j] = 0.5 * mixed
    # On unit quaternions the constant 1 is the sum of the squares.
    for i in range(4):
        terms[i, i] += np.eye(3)
    return terms.reshape(16, 9)


_PRODUCTS = _products()


def matrices(q):
    """Returns the rotation matrices of unit quaternions (w, x, y, z), the rows of an array."""
    n = len(q)
    return ((q[:, :, None] * q[:, None, :]).reshape(n, 16) @ _PRODUCTS).reshape(n, 3, 3)


def quaternions(vectors):
    """Returns the unit quaternions (w, x, y, z) of rotation vectors, the rows of an array: (cos θ/2, sin θ/2 v/θ)."""
    half = 0.5 * np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    q = np.empty((len(vectors), 4))
    q[:, 0] = np.cos(half)
    # numpy's sinc(x) is sin(πx)/(πx), which is 1 at 0.
    q[:, 1:4] = (0.5 * np.sinc(half / np.pi))[:, None] * vectors
    return q


def rows_from_origins(poses, velocities, coms):
    """Returns the rows of bodies as row_from_origin does for one, as an array: `poses` has origins and quaternions,
    `velocities` those of the origins in the world and angular ones in body axes."""
    turns = matrices(poses[:, 3:7])
    rows = np.empty((len(poses), 13))
    rows[:, 0:7] = poses
    rows[:, 7:10] = velocities[:, 0:3]
    rows[:, 10:13] = (turns @ velocities[:, 3:6, None])[:, :, 0]
    if coms is not None:
        add_arms(rows, (turns @ coms[:, :, None])[:, :, 0])
    return rows


def rows_from_world(origins, q, velocities, omegas, coms):
    """Returns the rows of bodies as an array: origins, quaternions, and both velocities, all in the world."""
    rows = np.empty((len(q), 13))
    rows[:, 0:3] = origins
    rows[:, 3:7] = q
    rows[:, 7:10] = velocities
    rows[:, 10:13] = omegas
    if coms is not None:
        add_arms(rows, rotated(q, coms))
    return rows


def add_arms(rows, r):
    """Moves rows of origins by the vectors `r` in the world: x + r and v + omega x r."""
    omega = rows[:, 10:13]
    rows[:, 0:3] += r
    rows[:, 7] += omega[:, 1] * r[:, 2] - omega[:, 2] * r[:, 1]
    rows[:, 8] += omega[:, 2] * r[:, 0] - omega[:, 0] * r[:, 2]
    rows[:, 9] += omega[:, 0] * r[:, 1] - omega[:, 1] * r[:, 0]


def rotated(q, v):
    """Returns vectors turned by unit quaternions (w, x, y, z), the rows of arrays, element by element."""
    w, x, y, z = q.T
    vx, vy, vz = v.T
    tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
    turned = np.empty((len(q), 3))
    turned[:, 0] = vx + w * tx + y * tz - z * ty
    turned[:, 1] = vy + w * ty + z * tx - x * tz
    turned[:, 2] = vz + w * tz + x * ty - y * tx
    return turned


def split_forces(found, forces, normals):
    """Writes the parts of forces along and across the normals into contacts.

    Products are written out, since those of numpy may round otherwise for another number of rows.
    """
    along = forces[:, 0] * normals[:, 0] + forces[:, 1] * normals[:, 1] + forces[:, 2] * normals[:, 2]
    found[:, 9] = along
    found[:, 10:13] = forces - along[:, None] * normals


def stacked(vectors, width=3):
    """Returns a list of arrays as the rows of one; numpy's own function for it is slower."""
    return np.concatenate(vectors).reshape(-1, width)


def row_from_origin(origin, q, velocity, local, com):
    """Returns the row of a body from its author's frame: the velocity is that of the frame's origin in the world,
    `local` the angular velocity in body axes.

    The velocity of the centre of mass is v + omega x r.
    """
    rx, ry, rz = rotate(q, com)
    wx, wy, wz = rotate(q, local)
    x, y, z = origin
    vx, vy, vz = velocity
    return [
        x + rx,
        y + ry,
        z + rz,
        *q,
        vx + wy * rz - wz * ry,
        vy + wz * rx - wx * rz,
        vz + wx * ry - wy * rx,
        wx,
        wy,
        wz,
    ]
