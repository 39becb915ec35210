"""Body frames in the centre of mass, for engines that integrate the motion of a body's frame.

Such an engine moves the origin of the frame along, and the centre of mass of a body that spins about another point
then drifts: a brick whose shape is 1 m beside its author's origin gained 4 % of energy in 2 s. With the origin in the
centre of mass its integrator does what it is made for.
"""

import rigor_peer
import rigor_shape

import numpy as np

# A turn whose matrix has entries this near 0, 1 and -1 only permutes the axes.
EXACT = 1e-12


class Centred(rigor_peer.Engine):
    """An engine that is given every moving body in a frame whose origin is the centre of mass and whose axes are
    principal; what it returns is in the author's frames again."""

    def __init__(self, engine):
        self.engine, self.name, self.version = engine, engine.name, engine.version

    def load(self, scene):
        self.turns = [turn(body) for body in scene["bodies"]]
        centred = {
            **scene,
            "bodies": [centre(body, q) for body, q in zip(scene["bodies"], self.turns)],
            "joints": [self.joint(scene, joint) for joint in scene["joints"]],
        }
        moving = [i for i, body in enumerate(scene["bodies"]) if body["role"] == "dynamic"]
        back = np.array([rigor_shape.inverse(self.turns[i]) for i in moving]).reshape(-1, 4)
        self.back = back if (back[:, 1:] != 0.0).any() else None
        used = self.engine.load(centred)
        bodies = zip(used["bodies"], scene["bodies"], self.turns)
        return {**used, "bodies": [authored(row, body, q) for row, body, q in bodies]}

    def joint(self, scene, joint):
        frames = {}
        for side in ("a", "b"):
            i, frame = joint[f"body_{side}"], joint[f"frame_{side}"]
            frames[f"frame_{side}"] = frame if i is None else local(scene["bodies"][i], self.turns[i], frame)
        return {**joint, **frames}

    def step(self, goals):
        turned = {i: [*row[:3], *rigor_shape.product(row[3:7], self.turns[i]), *row[7:]] for i, row in goals.items()}
        self.engine.step(turned)

    def keep_rows(self):
        return self.engine.keep_rows()

    def rows_of(self, kept):
        packed = self.engine.rows_of(kept)
        if self.back is None or not packed:
            return packed
        rows = np.frombuffer(packed, dtype="<f8").reshape(len(kept), len(self.back), 13).copy()
        # Element by element: products of matrices round otherwise for another number of rows.
        (aw, ax, ay, az), (bw, bx, by, bz) = np.moveaxis(rows[:, :, 3:7].copy(), 2, 0), self.back.T
        rows[:, :, 3] = aw * bw - ax * bx - ay * by - az * bz
        rows[:, :, 4] = aw * bx + ax * bw + ay * bz - az * by
        rows[:, :, 5] = aw * by - ax * bz + ay * bw + az * bx
        rows[:, :, 6] = aw * bz + ax * by - ay * bx + az * bw
        return rigor_peer.packed(rows)

    def keep_contacts(self):
        return self.engine.keep_contacts()

    def contacts_of(self, kept):
        return self.engine.contacts_of(kept)


def turn(body):
    """Returns the rotation of the engine's frame in the author's: the principal axes, unless those are the author's in
    another order, so that shapes along the axes stay so to the bit."""
    if body["role"] == "static":
        return (1.0, 0.0, 0.0, 0.0)
    m = rigor_shape.matrix(body["axes"])
    is_permutation = (np.abs(m - np.round(m)) <= EXACT).all()
    return (1.0, 0.0, 0.0, 0.0) if is_permutation else tuple(body["axes"])


def centre(body, q):
    """Returns a body in the engine's frame; the bodies that never move keep their author's."""
    if body["role"] == "static":
        return body
    return {
        **body,
        "com": [0.0, 0.0, 0.0],
        "axes": list(rigor_shape.product(rigor_shape.inverse(q), body["axes"])),
        "state": [*body["state"][:3], *rigor_shape.product(body["state"][3:7], q), *body["state"][7:]],
        "parts": [part_in(body, q, part) for part in body["parts"]],
    }


def part_in(body, q, part):
    if part["kind"] in ("box", "ball", "capsule"):
        # A ball has no rotation of its own.
        return {**part, **local(body, q, {"rotation": [1.0, 0.0, 0.0, 0.0], **part})}
    vertices = np.array(part["vertices"], dtype=float).reshape(-1, 3) - np.array(body["com"])
    if any(q[1:]):
        vertices = vertices @ rigor_shape.matrix(q)
    return {**part, "vertices": vertices.tolist()}


def local(body, q, frame):
    """Returns a frame of a body in the engine's frame."""
    if body["role"] == "static":
        return frame
    back = rigor_shape.inverse(q)
    position = [x - c for x, c in zip(frame["position"], body["com"])]
    rotation = frame["rotation"]
    if any(q[1:]):
        position, rotation = rigor_shape.rotate(back, position), rigor_shape.product(back, rotation)
    return {**frame, "position": list(position), "rotation": list(rotation)}


def authored(used, body, q):
    """Returns what the engine uses of a body in the author's frame."""
    if body["role"] != "dynamic":
        return used
    r = rigor_shape.matrix(q)
    shifted = dict(used)
    if used["com"] is not None:
        shifted["com"] = [float(c) for c in np.array(body["com"]) + r @ np.array(used["com"])]
    if used["inertia"] is not None:
        xx, yy, zz, xy, xz, yz = used["inertia"]
        shifted["inertia"] = rigor_shape.six(r @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ r.T)
    return shifted


def serve(engine):
    """Serves an engine that is given centred frames."""
    rigor_peer.serve(Centred(engine))
