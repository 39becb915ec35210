"""Scenes: from files, from the case library, or built here."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from . import _rigor

Changes = Mapping[str, object]


def _value(value: object) -> str:
    """A value as the right side of ``KEY=VALUE`` (TOML)."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    raise TypeError(f"{value!r} is no value of a scene file")


def change_lines(changes: Changes | None) -> list[str]:
    """Changes as lines ``KEY=VALUE``."""
    return [f"{key}={_value(value)}" for key, value in (changes or {}).items()]


def plain(value: object) -> Any:
    """A value of numbers, text, lists and tables, without NumPy."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def check_finite(value: object, place: str, error: type[Exception]) -> None:
    """Raises ``error`` with the place of the first number that is not finite, by array and index.

    >>> check_finite({"size": np.array([1, np.nan])}, "body 'a'", ValueError)
    Traceback (most recent call last):
    ValueError: body 'a': size: the array of shape (2,) has nan at [1]: it must be finite
    """
    if isinstance(value, Mapping):
        for key, item in value.items():
            check_finite(item, f"{place}: {key}" if place else str(key), error)
    elif isinstance(value, (float, np.floating)):
        if not np.isfinite(value):
            raise error(f"{place} is {value}: it must be finite")
    elif isinstance(value, (list, tuple, np.ndarray)):
        try:
            array = np.asarray(value)
        except ValueError:
            array = np.array(None)
        if array.dtype.kind == "f":
            for index in np.argwhere(~np.isfinite(array))[:1].tolist():
                found = f"the array of shape {array.shape} has {array[tuple(index)]} at {index}"
                raise error(f"{place}: {found}: it must be finite")
        elif array.dtype.kind == "O":
            for k, item in enumerate(value):
                name = repr(item["name"]) if isinstance(item, Mapping) and "name" in item else f"[{k}]"
                check_finite(item, f"{place} {name}", error)


#: How the text of a dictionary is called in errors, with its line and column: nobody has seen it.
_PLACE = re.compile(r"scene\.json:\d+:\d+: ")


def _told(error: str, document: Mapping[str, object]) -> str:
    """An error about the text of a dictionary, by names and shapes of arrays instead of lines and columns."""
    text = _PLACE.sub("", error)
    found = re.match(r"(\w+(?:\.\w+|\[\d+\])*): ", text)
    if found is None:
        return text
    value: Any = document
    words: list[str] = []
    shape = ""
    for key, index in re.findall(r"(\w+)|\[(\d+)\]", found[1]):
        try:
            value = value[int(index)] if index else value[key]
        except (LookupError, TypeError):
            return text
        is_named = bool(index) and isinstance(value, Mapping) and "name" in value
        words.append(repr(value["name"]) if is_named else f"[{index}]" if index else key)
        if not shape and isinstance(value, (list, np.ndarray)) and len(value) > 0 and not isinstance(value[0], (Mapping, str)):
            try:
                shape = f" (the array {key} has the shape {np.shape(value)})"
            except ValueError:
                shape = ""
    place = ""
    for word in words:
        place += word if word.startswith("[") or not place else f" {word}" if word.startswith(("'", '"')) else f": {word}"
    return f"{place}: {text[found.end() :]}{shape}"


class Scene(_rigor.Scene):
    """A scene: bodies, particles and joints with their environment. It is constant.

    >>> scene = Scene.case("bouncing/ball", {"time.dt": 0.005})
    >>> scene.dt
    0.005
    >>> [body.name for body in scene.bodies]
    ['floor', 'ball']

    Use :meth:`load`, :meth:`case`, :meth:`from_dict`, :meth:`from_toml` or :meth:`builder`.
    """

    @classmethod
    def load(cls, path: str | PathLike[str], changes: Changes | None = None) -> Scene:
        """Loads a scene file (TOML, JSON), or a case of the library if there is no such file.

        ``changes`` are keys of the file with new values, such as ``{"body.box.friction": 0.5}``.

        >>> Scene.load("no/such-scene")
        Traceback (most recent call last):
        rigor.SceneError: there is no file "no/such-scene", and no case of that name
        """
        return cls("any", fspath(path), change_lines(changes))

    @classmethod
    def robot(cls, path: str | PathLike[str], *, fixed_base: bool = False, changes: Changes | None = None) -> Scene:
        """Loads a robot, in URDF or MJCF. What was left out is in :attr:`warnings`, with its line in the file.

        With ``fixed_base`` the root of a URDF file is fixed to the world although it has a mass. USD is not read here: the
        program, built with ``--features usd``, translates it with ``rigor scene import``.
        """
        return cls("fixed robot" if fixed_base else "any", fspath(path), change_lines(changes))

    @classmethod
    def case(cls, name: str, changes: Changes | None = None) -> Scene:
        """Loads a case of the library; :meth:`cases` lists them."""
        return cls("case", name, change_lines(changes))

    @staticmethod
    def cases() -> list[str]:
        """Names of all cases of the library.

        >>> "erleben/wedges" in Scene.cases()
        True
        """
        return _rigor.cases()

    @classmethod
    def from_toml(
        cls, text: str, changes: Changes | None = None, folder: str | PathLike[str] = "", meshes: Mapping[str, bytes] | None = None
    ) -> Scene:
        """Reads the text of a scene file. Paths of meshes are relative to ``folder``; ``meshes`` are files in memory.

        >>> text = "name = 'one'\\n[[body]]\\nname = 'box'\\n[[body.shape]]\\nbox = { size = [1, 1, 1] }"
        >>> Scene.from_toml(text).bodies[0].mass
        1000.0
        """
        return cls("text", text, change_lines(changes), dict(meshes or {}), fspath(folder))

    @classmethod
    def from_dict(cls, document: Mapping[str, object], folder: str | PathLike[str] = "") -> Scene:
        """Makes a scene from the tables of a scene file, as nested dictionaries and lists.

        >>> ball = {"name": "ball", "shape": [{"icosphere": {"radius": 0.1}}]}
        >>> len(Scene.from_dict({"name": "ball", "body": [ball]}).bodies)
        1
        """
        check_finite(document, "", _rigor.SceneError)
        text = json.dumps(plain(document))
        try:
            return cls("text", text, [], {}, fspath(folder))
        except _rigor.SceneError as error:
            raise _rigor.SceneError(_told(str(error), document)) from None

    @staticmethod
    def builder(name: str, **keys: object) -> Builder:
        """Starts a scene that is built body by body."""
        return Builder(name, **keys)

    def with_changes(self, changes: Changes) -> Scene:
        """Returns the scene with keys of its file changed.

        >>> Scene.case("bouncing/ball").with_changes({"gravity": [0, -1.62, 0]}).gravity
        [0.0, -1.62, 0.0]
        """
        text, meshes = self.export()
        return type(self)("text", text, change_lines(changes), meshes, "")

    def to_toml(self) -> str:
        """The text of the scene file, with includes merged and changes applied."""
        return self.export()[0]

    def save(self, folder: str | PathLike[str]) -> Path:
        """Writes ``scene.toml`` and its meshes into a folder, and returns the path of the scene file."""
        text, meshes = self.export()
        path = Path(folder) / "scene.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        for name, data in meshes.items():
            (path.parent / name).parent.mkdir(parents=True, exist_ok=True)
            (path.parent / name).write_bytes(data)
        return path

    def body(self, name: str) -> _rigor.Body:
        """The body of this name."""
        for body in self.bodies:
            if body.name == name:
                return body
        raise KeyError(f"there is no body {name!r}; the bodies are {', '.join(body.name for body in self.bodies)}")

    def __reduce__(self) -> tuple[object, ...]:
        text, meshes = self.export()
        return (_restored, (type(self), text, meshes))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scene) and self.is_equal(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Scene {self.name!r}: {len(self.bodies)} bodies, {len(self.joints)} joints, {self.n_particles} particles>"


def _restored(cls: type[Scene], text: str, meshes: dict[str, bytes]) -> Scene:
    return cls("text", text, [], meshes, "")


class Builder:
    """Builds a scene body by body. Keys are those of scene files.

    >>> scene = (
    ...     Scene.builder("drop", time={"dt": 0.005, "duration": 0.5})
    ...     .body("floor", {"plane": {"size": [4, 4]}}, role="static", friction=0.5)
    ...     .body("box", {"box": {"size": [0.2, 0.2, 0.2]}}, position=[0, 0.5, 0], friction=0.5)
    ...     .build()
    ... )
    >>> scene
    <Scene 'drop': 2 bodies, 0 joints, 0 particles>
    """

    def __init__(self, name: str, **keys: object) -> None:
        self.document: dict[str, Any] = {"name": name, **plain(keys)}

    def _append(self, table: str, entry: Mapping[str, object]) -> Builder:
        name = entry.get("name")
        check_finite(entry, table if name is None else f"{table} {name!r}", _rigor.SceneError)
        self.document.setdefault(table, []).append(plain(entry))
        return self

    def body(self, name: str, *shapes: Mapping[str, object], **keys: object) -> Builder:
        """Adds a body of these shapes."""
        return self._append("body", {"name": name, "shape": list(shapes), **keys})

    def mesh(self, name: str, vertices: object, triangles: object, **keys: object) -> Builder:
        """Adds a body with a mesh: vertices (n × 3, m) and triangles (n × 3, indices)."""
        points = np.asarray(vertices, dtype=float)
        corners = np.asarray(triangles, dtype=int)
        return self.body(name, {"mesh": {"vertices": points, "triangles": corners}}, **keys)

    def joint(self, name: str, kind: str, body_a: str, body_b: str | None = None, **keys: object) -> Builder:
        """Adds a joint between two bodies, or between a body and the world."""
        ends = {"body_a": body_a} if body_b is None else {"body_a": body_a, "body_b": body_b}
        return self._append("joint", {"name": name, "kind": kind, **ends, **keys})

    def expect(self, figure: str, **bound: object) -> Builder:
        """Adds what judges must find, such as ``expect("penetration.deepest", at_most=1e-3)``."""
        return self._append("expect", {"figure": figure, **bound})

    def add(self, table: str, **entry: object) -> Builder:
        """Adds an entry to any other table of scene files: ``particle``, ``rope``, ``cloth``, ``soft``, ``contact_free``, …"""
        return self._append(table, entry)

    def build(self) -> Scene:
        """Checks the scene and makes it."""
        return Scene.from_dict(self.document)
