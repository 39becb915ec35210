//! The scenes of the reference program of \[Ferguson2021\] load as that program reads them.
//!
//! The scenes are not part of this repository: see `rigor_tests::reference`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use rayon::prelude::*;
use rigor_file::{Files, LoadOptions, Loaded, SceneError, export, load};
use rigor_geometry::mass::MassModel;
use rigor_math::Vec3;
use rigor_scene::{Role, Scene, Setting};
use rigor_tests::reference::{Folder, needing};

/// The only scene whose meshes were never published.
const WITHOUT_MESHES: &str = "mechanisms/expanding-lock-box.json";

pub fn trials() -> Vec<Trial> {
    let scenes = &[Folder::RigidIpc];
    vec![
        needing(scenes, every_scene_loads_and_survives_export),
        needing(scenes, missing_meshes_are_named_with_every_place_looked_in),
        needing(scenes, masses_of_simple_bodies_are_right),
        needing(
            &[Folder::RigidIpc, Folder::Trajectories],
            bodies_begin_where_the_reference_program_puts_them,
        ),
        needing(scenes, groups_joints_of_freedom_and_roles_are_translated),
    ]
}

struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }
}

struct Memory(BTreeMap<PathBuf, Vec<u8>>);

impl Files for Memory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.0.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn scene_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "json") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn read(data: &Path, name: &str) -> Result<Loaded, SceneError> {
    load(&data.join("fixtures/3D").join(name), &Disk, &LoadOptions::default())
}

fn scene(data: &Path, name: &str) -> Scene {
    read(data, name).unwrap_or_else(|error| panic!("{error}")).scene
}

fn every_scene_loads_and_survives_export() {
    let data = Folder::RigidIpc.path();
    let files = scene_files(&data.join("fixtures/3D"));
    assert_eq!(files.len(), 51);
    files.par_iter().filter(|path| !path.ends_with(WITHOUT_MESHES)).for_each(|path| {
        let loaded = load(path, &Disk, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        let exported = export(&loaded).unwrap();
        let scene_file = PathBuf::from("exported/scene.toml");
        let mut files: BTreeMap<_, _> = exported
            .meshes
            .into_iter()
            .map(|(path, bytes)| (Path::new("exported").join(path), bytes))
            .collect();
        files.insert(scene_file.clone(), exported.scene.into_bytes());
        let again =
            load(&scene_file, &Memory(files), &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        assert!(again.scene == loaded.scene, "{} changes by export", path.display());
    });
}

fn missing_meshes_are_named_with_every_place_looked_in() {
    let data = Folder::RigidIpc.path();
    let error = read(&data, WITHOUT_MESHES).unwrap_err().to_string();
    let looked_in = ["3D/mechanisms/expanding-lock-box/", "3D/mechanisms/meshes/", "rigid-ipc/meshes/"];
    assert!(error.contains("there is no mesh file `expanding-lock-box/"), "{error}");
    assert!(looked_in.iter().all(|place| error.contains(place)), "{error}");
    assert!(error.contains("expanding-lock-box.json:"), "{error}");
}

/// Bodies of known volume: density × volume.
fn masses_of_simple_bodies_are_right() {
    let data = Folder::RigidIpc.path();
    let mass = |name: &str, body: usize| scene(&data, name).bodies[body].mass;
    let near =
        |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
    near(mass("unit-tests/5-cubes.json", 1), 1000.0);
    near(mass("unit-tests/spinning-cube-over-plane.json", 0), 7680.0);
    // A prism with 64 sides, radius 2 m, 1/6 m high; the mass is that in the log of the reference program.
    near(mass("friction/turntable/turntable-mu=0.0.json", 0), 3136.55);
}

/// Centres of mass at time 0 in the output of the reference program, which prints ten digits.
fn bodies_begin_where_the_reference_program_puts_them() {
    let data = Folder::RigidIpc.path();
    let trajectories = Folder::Trajectories.path();
    let mut n_bodies = 0;
    for (csv, name) in trajectory_scenes(&trajectories, &data) {
        let scene = scene(&data, &name);
        let rows = std::fs::read_to_string(&csv).unwrap();
        let numbers = |row: &str| row.split(',').map(|n| n.parse().unwrap_or(f64::NAN)).collect::<Vec<f64>>();
        let initial: Vec<_> = rows.lines().skip(1).map(numbers).take_while(|row| row[0] == 0.0).collect();
        assert_eq!(initial.len(), scene.bodies.len(), "{name}");
        for (row, body) in initial.iter().zip(&scene.bodies) {
            let expected = Vec3::new(row[2], row[3], row[4]);
            let found = body.initial.pose.position;
            assert!(
                (found - expected).norm() <= 1e-9 * expected.norm().max(1.0),
                "{name}, {}: {found} {expected}",
                body.name
            );
            n_bodies += 1;
        }
    }
    assert!(n_bodies > 60, "only {n_bodies} bodies compared");
}

/// Lists trajectory files with their scenes; file names are the paths of scenes with `-` for `/`.
fn trajectory_scenes(trajectories: &Path, data: &Path) -> Vec<(PathBuf, String)> {
    let renamed = BTreeMap::from([
        ("paper-figures-12-Lewis-lifting-mechanism", "mechanisms/507-movements/493-Lewis"),
        (
            "paper-figures-18-high-school-physics-friction-test-mu=0.5",
            "friction/incline-plane/slopeTest_highSchoolPhysics_mu=0.5",
        ),
    ]);
    let fixtures = data.join("fixtures/3D");
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for path in scene_files(&fixtures) {
        let name = path.strip_prefix(&fixtures).unwrap().with_extension("").to_string_lossy().into_owned();
        known.insert(name.replace('/', "-"), name);
    }
    let mut scenes: Vec<_> =
        std::fs::read_dir(trajectories).unwrap().map(|entry| entry.unwrap().path()).collect();
    scenes.sort();
    let scene = |path: PathBuf| {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let name = renamed.get(stem.as_str()).map_or_else(|| known[&stem].clone(), |name| (*name).to_owned());
        (path, format!("{name}.json"))
    };
    scenes.into_iter().map(scene).collect()
}

fn groups_joints_of_freedom_and_roles_are_translated() {
    let data = Folder::RigidIpc.path();
    let packing = scene(&data, "minimum-separation/packing.json");
    let (hopper, lid) = (&packing.bodies[0], packing.bodies.last().unwrap());
    assert!(hopper.role == Role::Static && lid.is_dynamic() && hopper.group == lid.group);
    assert_eq!((lid.fixed.translation, lid.fixed.rotation), ([true, false, true], [true; 3]));
    assert_eq!(lid.mass_model, MassModel::Shell);
    // The boat's degenerate triangles are kept and close its surface: it is a solid.
    assert_eq!(packing.bodies[1].mass_model, MassModel::Volume);

    let turntable = scene(&data, "friction/turntable/turntable-mu=0.0.json");
    let table = &turntable.bodies[0];
    assert!((table.torque.y - 300.0_f64.to_radians()).abs() < 1e-12, "the number is read in degrees");
    assert!((table.initial.angular_velocity.y - std::f64::consts::FRAC_PI_4).abs() < 1e-15);

    let lewis = scene(&data, "mechanisms/507-movements/493-Lewis.json");
    let Role::Kinematic(motion) = &lewis.bodies[0].role else { panic!("the centre is driven") };
    assert_eq!(motion.stops_at, 4.0);
    assert_eq!(lewis.methods["ipc"]["velocity_tolerance_is_absolute"], Setting::Bool(false));
}
