"""Compares what `rigor scene check` finds in mesh files with trimesh.

    pip install trimesh pycollada numpy scipy
    python benchmarks/corpus/compare_meshes.py FOLDER... --rigor target/release/rigor --csv meshes.csv

Compared are volume, centre and inertia (at 1000 kg/m³) where both find a solid, and the area otherwise. Differences are relative; those of
centres to the size. A row is `equal` up to 1e-6 (1e-5 for files of f32 in text), `told` if the account of the file has a rule or a change of the
physics, and `SILENT` otherwise. The exit code is 1 if one is silent.
"""

import csv
import io
import pathlib
import subprocess
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import trimesh
from comparison import TOLERANCE, arguments, difference, finish

ENDINGS = {".obj", ".stl", ".ply", ".off", ".gltf", ".glb", ".dae"}


def theirs(path):
    scene = trimesh.load(path, process=False, force="scene")
    meshes = [mesh for mesh in scene.dump() if isinstance(mesh, trimesh.Trimesh)]
    if not meshes:
        return None
    mesh = trimesh.util.concatenate(meshes)
    mesh.merge_vertices(merge_tex=True, merge_norm=True)
    if path.suffix.lower() == ".dae":
        import collada

        mesh.apply_scale(collada.Collada(str(path), ignore=[collada.common.DaeError]).assetInfo.unitmeter or 1.0)
    return mesh


def compare(row):
    line = {"file": row["file"], "told": row["notes"], "outcome": "refused here"}
    if row["outcome"] == "refused":
        line["told"] = row["refused"]
        return line
    try:
        mesh = theirs(pathlib.Path(row["file"]))
    except Exception as error:
        line.update(outcome="refused there", told=f"{type(error).__name__}: {error}".splitlines()[0])
        return line
    if mesh is None or not 0 < mesh.area <= 1e30:
        line.update(outcome="refused there", told="no surface, or beyond what it squares")
        return line
    number = {key: float(row[key] or 0) for key in row if key.endswith(("_m3", "_m2")) or key[0] in "ci" and len(key) in (3, 8)}
    size = max(float(np.ptp(mesh.vertices, axis=0).max()), 1e-12)
    if number["volume_m3"] > 0 and mesh.is_watertight:
        centre = [number[key] for key in ("center_x", "center_y", "center_z")]
        xx, yy, zz, xy, xz, yz = (number[key] / 1000 for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
        inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        line["volume"] = difference(number["volume_m3"], mesh.volume, 1e-30)
        line["centre"] = difference(centre, mesh.center_mass, size)
        line["inertia"] = difference(inertia, mesh.moment_inertia, 1e-60)
    else:
        line["area"] = difference(number["area_m2"], mesh.area, 1e-30)
        line["closed"] = f"{row['content']} here, {'closed' if mesh.is_watertight else 'open'} there"
    worst = max(line.get(key, 0.0) for key in ("volume", "centre", "inertia", "area"))
    # Which unit the file is in explains no difference.
    is_told = int(row["physics"]) + int(row["rule"]) > ("coordinates are in metres" in row["notes"])
    line["outcome"] = "equal" if worst <= TOLERANCE else ("told" if is_told else "SILENT")
    return line


def main():
    warnings.filterwarnings("ignore")
    args = arguments(__doc__, "meshes.csv")
    rows = []
    for folder in args.folders:
        found = subprocess.run([args.rigor, "scene", "check", folder, "--format", "csv"], capture_output=True, text=True)
        rows += [row for row in csv.DictReader(io.StringIO(found.stdout)) if pathlib.Path(row["file"]).suffix.lower() in ENDINGS]
    with ThreadPoolExecutor(args.jobs) as pool:
        lines = list(pool.map(compare, rows))
    finish(args.csv, ["file", "outcome", "volume", "centre", "inertia", "area", "closed", "told"], lines)


if __name__ == "__main__":
    main()
