"""Writes the elements and attributes of MJCF and URDF, and the keys of glTF, as their authors list them, to the tests of the readers.

    pip install mujoco trimesh
    python benchmarks/corpus/vocabulary.py crates/rigor-file/tests/vocabulary

MJCF: `doc/XMLschema.rst` of the package `mujoco`, with the elements that its compiler replaces, and `composite` of its versions before 4. URDF: `resources/schema/urdf.xsd` of the
package `trimesh`. glTF 2.0: `resources/schema/gltf2.schema.zip` of the same. Each line: the path of an element or object, then its attributes
or keys.
"""

import importlib.util
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree
import zipfile

# Elements that the compiler of MuJoCo replaces; its list leaves them out.
REPLACED = {
    "mujoco/(world)body/frame": "name childclass pos quat axisangle xyaxes zaxis euler",
    "mujoco/(world)body/replicate": "count sep offset euler",
    "mujoco/include": "file",
    "mujoco/(world)body/composite": "prefix type count offset quat vertex initial curve size spacing",
    "mujoco/(world)body/composite/joint": "kind solreffix solimpfix axis group stiffness damping armature limited range margin solreflimit "
    "solimplimit frictionloss solreffriction solimpfriction type",
    "mujoco/(world)body/composite/geom": "type contype conaffinity condim group priority size material rgba friction mass density solmix "
    "solref solimp margin gap surfacevel adhesion",
    "mujoco/(world)body/composite/site": "group size material mesh rgba",
    "mujoco/(world)body/composite/skin": "texcoord material rgba group inflate subgrid",
    "mujoco/(world)body/composite/plugin": "plugin instance",
}


def folder(package):
    return pathlib.Path(importlib.util.find_spec(package).origin).parent


def mjcf():
    found, path = {}, []
    for line in (folder("mujoco") / "doc/XMLschema.rst").read_text().splitlines():
        element = re.match(r"^( *)\.\. dropdown:: :ref:`([^<`]*)<", line)
        attribute = re.match(r"^ *:ref:`([^<`]*)<", line)
        if element:
            depth = len(element[1]) // 3
            path = [(d, name) for d, name in path if d < depth] + [(depth, element[2])]
            found["/".join(name for _, name in path)] = []
        elif attribute:
            found["/".join(name for _, name in path)].append(attribute[1])
    found.update({path: attributes.split() for path, attributes in REPLACED.items()})
    return found


def urdf():
    space = "{http://www.w3.org/2001/XMLSchema}"
    schema = ElementTree.parse(folder("trimesh") / "resources/schema/urdf.xsd").getroot()
    types = {kind.get("name"): kind for kind in schema.iter(space + "complexType") if kind.get("name")}
    found = {}

    def add(path, kind):
        if path in found or kind is None:
            return
        found[path] = [attribute.get("name") for attribute in kind.iter(space + "attribute")]
        for element in kind.iter(space + "element"):
            inner = types.get((element.get("type") or "").split(":")[-1])
            name = f"{path}/{element.get('name')}"
            found.setdefault(name, [])
            if inner is not None:
                del found[name]
                add(name, inner)

    add("robot", schema.find(f"{space}element/{space}complexType"))
    return found


def gltf():
    found = {}
    with zipfile.ZipFile(folder("trimesh") / "resources/schema/gltf2.schema.zip") as archive:
        schemas = {name.split("/")[-1]: json.loads(archive.read(name)) for name in archive.namelist() if name.endswith(".schema.json")}

    def parts(schema):
        """A schema and all that it refers to."""
        yield schema
        for part in schema.get("allOf", []) + schema.get("anyOf", []) + ([schemas[schema["$ref"]]] if "$ref" in schema else []):
            yield from parts(part)

    def add(path, schema):
        if path in found:
            return
        inner = {}
        for part in parts(schema):
            for key, value in part.get("properties", {}).items():
                inner.setdefault(key, []).append(value)
        if not inner:
            return
        found[path] = list(inner)
        for key, values in inner.items():
            if key not in ("extensions", "extras"):
                for value in values:
                    for part in parts(value):
                        add(f"{path}/{key}", part.get("items", part))

    add("glTF", schemas["glTF.schema.json"])
    return found


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name, found in [("mjcf", mjcf()), ("urdf", urdf()), ("gltf", gltf())]:
        lines = [" ".join([path, *attributes]) for path, attributes in found.items()]
        (out / f"{name}.txt").write_text("\n".join(lines) + "\n")
        print(name, len(found), "elements,", sum(map(len, found.values())), "attributes or keys")


if __name__ == "__main__":
    main()
