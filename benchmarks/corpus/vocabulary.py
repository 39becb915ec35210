"""Writes the elements and attributes of MJCF and URDF, as their authors list them, to the tests of the readers.

    pip install mujoco trimesh
    python benchmarks/corpus/vocabulary.py crates/rigor-file/tests/vocabulary

MJCF: `doc/XMLschema.rst` of the package `mujoco`, with the elements that its compiler replaces, and `composite` of its versions before 4. URDF: `resources/schema/urdf.xsd` of the
package `trimesh`. Each line: the path of an element, then its attributes.
"""

import importlib.util
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

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


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name, found in [("mjcf", mjcf()), ("urdf", urdf())]:
        lines = [" ".join([path, *attributes]) for path, attributes in found.items()]
        (out / f"{name}.txt").write_text("\n".join(lines) + "\n")
        print(name, len(found), "elements,", sum(map(len, found.values())), "attributes")


if __name__ == "__main__":
    main()
