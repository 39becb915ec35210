"""The loop of the protocol of Rigor's peers, version 2: docs/peer-protocol.md.

An adapter imports this module before its engine, since engines print to standard output, which belongs to the
protocol. It derives a class from Engine and calls serve with an instance.
"""

import binascii
import gc
import json
import os
import signal
import struct
import sys
import time

try:
    import resource
except ImportError:
    resource = None

PROTOCOL = 2

# Standard output is the protocol's alone: whatever an engine prints, also from C, goes to standard error.
_replies = os.fdopen(os.dup(1), "wb", buffering=0)
os.dup2(2, 1)
sys.stdout = sys.stderr


# An interrupt from the keyboard is meant for Rigor, which then ends the engine itself.
signal.signal(signal.SIGINT, signal.SIG_IGN)

# A row of a body and a row of a contact, as bytes.
_ROW = struct.Struct("<13d").pack
_CONTACT = struct.Struct("<14d").pack

_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


class Refused(Exception):
    """The engine cannot do what was asked; `bodies` are indices of the bodies involved."""

    def __init__(self, why, bodies=()):
        super().__init__(why)
        self.bodies = list(bodies)


class Engine:
    """An engine. Rows (13 numbers) and contacts (14) are those of docs/peer-protocol.md."""

    name = ""
    version = ""

    @property
    def capabilities(self):
        """What the engine can do: its row in the table of engines."""
        table = os.path.join(os.path.dirname(os.path.abspath(__file__)), "capabilities.json")
        with open(table, encoding="utf-8") as file:
            return json.load(file)[self.name]

    def load(self, scene):
        """Builds a world and returns gravity, dt and bodies as the engine uses them."""
        raise NotImplementedError

    def step(self, goals):
        """Takes one step; `goals` maps kinematic bodies to their rows at its end."""
        raise NotImplementedError

    def rows(self):
        """Returns the rows of the dynamic bodies."""
        raise NotImplementedError

    def contacts(self):
        """Returns the contacts of the last step."""
        return []

    # An adapter that converts several steps at once calls engine and numpy fewer times, and with warm caches. What it
    # returns must not depend on how steps are put together, so that it may use operations element by element only:
    # products of matrices round otherwise for another number of rows.

    def keep_rows(self):
        """Returns what rows_of needs of the present state, which later steps must not change."""
        return self.rows()

    def rows_of(self, kept):
        """Returns the rows of steps, one after the other as bytes."""
        return b"".join(map(packed, kept))

    def keep_contacts(self):
        """Returns what contacts_of needs of the last step, which later steps must not change."""
        return self.contacts()

    def contacts_of(self, kept):
        """Returns the contacts of steps, one after the other as bytes, and how many belong to each."""
        return b"".join(map(packed, kept)), [len(contacts) for contacts in kept]


def tuned(scene, chosen):
    """Returns the parameters of a set of settings with those of the scene in place of its own, and refuses others."""
    tuning = scene.get("tuning") or {}
    unknown = sorted(set(tuning) - set(chosen))
    if unknown:
        raise Refused(f"there is no parameter {unknown[0]!r}: the adapter has {', '.join(sorted(chosen))}")
    return {**chosen, **tuning}


def serve(engine):
    """Replies to requests until there are no more."""
    # Rows and contacts make no circles, and a collection in a step would be taken for the engine's time.
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["do"] == "bye":
            return
        try:
            reply = _reply(engine, request)
        except Refused as refused:
            reply = {"error": str(refused), "bodies": refused.bodies}
        _send(reply if isinstance(reply, bytes) else _encode(reply).encode("utf-8"))


def _send(reply):
    """Writes a line; a pipe may take only a part of it at once."""
    line = memoryview(reply + b"\n")
    while line:
        line = line[_replies.write(line) :]


def _reply(engine, request):
    do = request["do"]
    if do == "hello":
        return {
            "protocol": PROTOCOL,
            "engine": engine.name,
            "version": engine.version,
            "capabilities": engine.capabilities,
        }
    if do == "load":
        return {**engine.load(request), "process": time.process_time()}
    if do == "advance":
        return _advance(engine, request)
    if do == "state":
        return {"bodies": _text(engine.rows_of([engine.keep_rows()])).decode("ascii")}
    if do == "contacts":
        contacts, _ = engine.contacts_of([engine.keep_contacts()])
        return {"contacts": _text(contacts).decode("ascii")}
    raise Refused(f"there is no request {do!r}")


def _advance(engine, request):
    goals = {goal["body"]: goal["state"] for goal in request["goals"]}
    clock, is_asked = time.process_time, request["contacts"]
    cpu, rows, kept = [], [], []
    for _ in range(request["n"]):
        start = clock()
        engine.step(goals)
        cpu.append(clock() - start)
        rows.append(engine.keep_rows())
        if is_asked:
            kept.append(engine.keep_contacts())
    contacts, counts = engine.contacts_of(kept) if is_asked else (b"", [])
    numbers = b'"cpu":%b,"process":%r,"memory":%b' % (_encode(cpu).encode(), clock(), _encode(_memory()).encode())
    touching = b',"contact_counts":%b,"contacts":"%b"' % (_encode(counts).encode(), _text(contacts))
    # Written by hand: an encoder looks at every letter of the long texts.
    return b'{%b,"bodies":"%b"%b}' % (numbers, _text(engine.rows_of(rows)), touching)


def _memory():
    """Returns the peak memory of this process (bytes), or None where the system does not tell."""
    if resource is None:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak if sys.platform == "darwin" else 1024 * peak)


def packed(rows):
    """Returns the bytes of numbers; `rows` is a list of lists or an array of numpy, which is faster."""
    if hasattr(rows, "tobytes"):
        return rows.astype("<f8", copy=False).tobytes()
    pack = _CONTACT if rows and len(rows[0]) == 14 else _ROW
    return b"".join([pack(*row) for row in rows])


def _text(numbers):
    """Returns the base64 text (ASCII) of bytes, which is ten times as fast as digits."""
    return binascii.b2a_base64(numbers, newline=False)


def may_collide(scene):
    """Returns a function that tells whether two bodies of the scene may collide."""
    apart = {frozenset(pair) for pair in scene["apart"]}
    bodies = scene["bodies"]

    def may(a, b):
        return (
            a != b
            and "dynamic" in (bodies[a]["role"], bodies[b]["role"])
            and bodies[a]["group"] != bodies[b]["group"]
            and frozenset((a, b)) not in apart
        )

    return may
