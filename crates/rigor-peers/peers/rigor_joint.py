"""Joints as trees of bodies, for engines whose joints connect a body to its parent."""

import math

import rigor_shape


class Edge:
    """The joint of a body to its parent in a tree: `child` and `parent` are indices, None is the world."""

    def __init__(self, joint, child, parent):
        self.joint, self.child, self.parent = joint, child, parent
        own, other = ("frame_a", "frame_b") if child == joint["body_a"] else ("frame_b", "frame_a")
        self.frame, self.parent_frame = joint[own], joint[other]


def forest(scene, kinds):
    """Returns the edges of bodies in trees, parents first, and the joints of other kinds or in loops.

    The roots are the world and bodies that are not dynamic; a component without them hangs from its first body.
    """
    bodies = scene["bodies"]
    usable = [joint for joint in scene["joints"] if joint["kind"] in kinds]
    reached = {None} | {i for i, body in enumerate(bodies) if body["role"] != "dynamic"}
    edges, used = [], set()

    def grow():
        has_grown = True
        while has_grown:
            has_grown = False
            for k, joint in enumerate(usable):
                a, b = joint["body_a"], joint["body_b"]
                if k in used or (a in reached) == (b in reached):
                    continue
                child, parent = (b, a) if a in reached else (a, b)
                edges.append(Edge(joint, child, parent))
                reached.add(child)
                used.add(k)
                has_grown = True

    grow()
    for i in range(len(bodies)):
        if i not in reached:
            reached.add(i)
            grow()
    held = {id(edge.joint) for edge in edges}
    return edges, [joint for joint in scene["joints"] if id(joint) not in held]


def placed(body, frame):
    """Returns position and rotation of a frame of a body in the world; of the world's frame for None."""
    if body is None:
        return tuple(frame["position"]), tuple(frame["rotation"])
    q = body["state"][3:7]
    from_com = [x - c for x, c in zip(frame["position"], body["com"])]
    r = rigor_shape.rotate(q, from_com)
    return tuple(x + y for x, y in zip(body["state"][:3], r)), rigor_shape.product(q, frame["rotation"])


def axis(frame):
    """Returns the x axis of a frame in the frame of its body."""
    return rigor_shape.rotate(frame["rotation"], (1.0, 0.0, 0.0))


def coordinate(bodies, edge):
    """Returns turn (rad) and slide (m) of the child along the x axis of the parent's frame."""
    parent = None if edge.parent is None else bodies[edge.parent]
    p, f = placed(parent, edge.parent_frame)
    c, m = placed(bodies[edge.child], edge.frame)
    w, x, _, _ = rigor_shape.product(rigor_shape.inverse(f), m)
    along = rigor_shape.rotate(f, (1.0, 0.0, 0.0))
    return 2.0 * math.atan2(x, w), sum(u * (s - t) for u, s, t in zip(along, c, p))


def rates(bodies, edge):
    """Returns the angular velocity of the child relative to its parent and the relative velocity of its joint's
    origin (world)."""
    at, _ = placed(bodies[edge.child], edge.frame)
    v, omega = velocity(bodies[edge.child], at)
    if edge.parent is None:
        return omega, v
    u, spin = velocity(bodies[edge.parent], at)
    return [x - y for x, y in zip(omega, spin)], [x - y for x, y in zip(v, u)]


def velocity(body, at):
    """Returns the velocity of a body at a point and its angular velocity."""
    if body["role"] == "static":
        return [0.0] * 3, [0.0] * 3
    (wx, wy, wz), v = body["state"][10:13], body["state"][7:10]
    rx, ry, rz = (x - c for x, c in zip(at, body["state"][:3]))
    turned = (wy * rz - wz * ry, wz * rx - wx * rz, wx * ry - wy * rx)
    return [x + y for x, y in zip(v, turned)], [wx, wy, wz]


def second_point(body, frame):
    """Returns a second point on the x axis of a frame of a body, as far from the first as the body's radius of
    gyration: two points that stay together make a hinge."""
    length = math.sqrt(max(body["inertia"]) / body["mass"])
    return [x + length * u for x, u in zip(frame["position"], axis(frame))]


def same_point(bodies, joint, point):
    """Returns a point of body a, in its author's frame, in the frame of body b."""
    at, _ = placed(bodies[joint["body_a"]], {"position": point, "rotation": (1.0, 0.0, 0.0, 0.0)})
    if joint["body_b"] is None:
        return list(at)
    other = bodies[joint["body_b"]]
    back = rigor_shape.inverse(other["state"][3:7])
    local = rigor_shape.rotate(back, [x - y for x, y in zip(at, other["state"][:3])])
    return [x + c for x, c in zip(local, other["com"])]
