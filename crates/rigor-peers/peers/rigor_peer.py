"""The loop of the protocol of Rigor's peers, version 1: docs/peer-protocol.md.

An adapter imports this module before its engine, since engines print to standard output, which belongs to the
protocol. It derives a class from Engine and calls serve with an instance.
"""

import binascii
import gc
import itertools
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

PROTOCOL = 1

# Standard output is the protocol's alone: whatever an engine prints, also from C, goes to standard error.
_replies = os.fdopen(os.dup(1), "wb", buffering=0)
os.dup2(2, 1)
sys.stdout = sys.stderr


# An interrupt from the keyboard is meant for Rigor, which then ends the engine itself.
signal.signal(signal.SIGINT, signal.SIG_IGN)

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
    capabilities = {}

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


def serve(engine):
    """Replies to requests until there are no more."""
    # Rows and contacts make no circles, and a collection in a step would be taken for the engine's time.
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
    for line in sys.stdin:
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
        return engine.load(request)
    if do == "advance":
        return _advance(engine, request)
    if do == "state":
        return {"bodies": _packed(engine.rows()).decode("ascii")}
    if do == "contacts":
        return {"contacts": _packed(engine.contacts()).decode("ascii")}
    raise Refused(f"there is no request {do!r}")


def _advance(engine, request):
    goals = {goal["body"]: goal["state"] for goal in request["goals"]}
    start = time.process_time()
    for _ in range(request["n"]):
        engine.step(goals)
    cpu = time.process_time() - start
    # Written by hand: an encoder looks at every letter of the long texts.
    contacts = b',"contacts":"%b"' % _packed(engine.contacts()) if request["contacts"] else b""
    numbers = b'"cpu":%b,"memory":%b' % (repr(cpu).encode(), _encode(_memory()).encode())
    return b'{%b,"bodies":"%b"%b}' % (numbers, _packed(engine.rows()), contacts)


def _memory():
    """Returns the peak memory of this process (bytes), or None where the system does not tell."""
    if resource is None:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(peak if sys.platform == "darwin" else 1024 * peak)


def _packed(rows):
    """Returns numbers as the base64 text (ASCII) of their bytes, which is ten times as fast as their digits; `rows` is a
    list of lists or an array."""
    if hasattr(rows, "tobytes"):
        return binascii.b2a_base64(rows.astype("<f8", copy=False).tobytes(), newline=False)
    numbers = list(itertools.chain.from_iterable(rows))
    return binascii.b2a_base64(struct.pack(f"<{len(numbers)}d", *numbers), newline=False)


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
