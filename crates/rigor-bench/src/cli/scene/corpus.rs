//! `rigor scene check` of folders and mesh files: one row for each file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use rigor_file::mesh::{self, MeshFormat, Nested};
use rigor_file::robot::{self, Options};
use rigor_file::{Files, Grade, LoadOptions, Loaded};
use rigor_geometry::mass::Measures;
use rigor_geometry::{MassProperties, Mesh};
use rigor_math::inertia;
use rigor_run::disk::{Disk, load_scene};
use rigor_scene::Scene;
use serde_json::{Value, json};

use super::super::table::{Format, Table, headed};
use super::super::{CliError, Exit, print, print_json};

/// Density (kg/m³) of meshes, which is the default of scenes.
const DENSITY: f64 = 1000.0;
/// Most folders inside of each other that are searched.
const MOST_DEEP: usize = 64;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Mesh(MeshFormat),
    Robot,
    Scene,
}

/// What was found out about a file.
struct Row {
    file: String,
    kind: Kind,
    /// What the surface is, or how many bodies there are.
    content: String,
    volume: Option<f64>,
    area: Option<f64>,
    mass: Option<MassProperties>,
    notes: Vec<(Grade, String)>,
    refused: Option<String>,
}

/// Checks the files and what folders contain, and prints a row for each.
///
/// # Errors
/// A folder cannot be read.
pub fn execute(arguments: &[String], format: Format, is_strict: bool) -> Result<Exit, CliError> {
    let mut files = Vec::new();
    let mut n_others = 0;
    for argument in arguments {
        let path = Path::new(argument);
        if path.is_dir() {
            collect(path, 0, &mut files, &mut n_others)?;
        } else {
            files.push((path.to_owned(), kind(path).unwrap_or(Kind::Scene)));
        }
    }
    let rows: Vec<Row> = files.par_iter().map(|(path, kind)| check(path, *kind)).collect();
    let refused = rows.iter().filter(|row| row.refused.is_some()).count();
    let physics = rows.iter().filter(|row| row.count(Grade::Physics) > 0).count();
    let told = rows.iter().filter(|row| row.refused.is_none() && !row.notes.is_empty()).count();
    match format {
        Format::Json => {
            let all: Vec<Value> = rows.iter().map(Row::to_json).collect();
            print_json(&json!({ "files": all, "told": told, "refused": refused, "other_files": n_others }))?;
        }
        Format::Csv | Format::Tsv => print(&table(&rows, true).written(format).unwrap_or_default())?,
        Format::Text => {
            let lines: String = rows.iter().map(|row| row.lines(arguments.len() == rows.len())).collect();
            let ok = rows.len() - told - refused;
            let summary = format!(
                "{} files: {ok} as they are, {told} with notes ({physics} change the physics), {refused} refused; \
                 {n_others} other files\n",
                rows.len()
            );
            print(&format!("{}\n{lines}{summary}", table(&rows, false)))?;
        }
    }
    Ok(if refused == 0 && !(is_strict && physics > 0) { Exit::Ok } else { Exit::Failed })
}

/// Whether an argument is for [`execute`]: a folder or a mesh file.
pub fn is_one(argument: &str) -> bool {
    let path = Path::new(argument);
    path.is_dir() || MeshFormat::of(path).is_some() && path.exists()
}

/// Adds the files of a folder and of those in it, by name; links to folders are not followed.
fn collect(
    folder: &Path,
    depth: usize,
    files: &mut Vec<(PathBuf, Kind)>,
    n_others: &mut usize,
) -> Result<(), CliError> {
    let fail = |error: std::io::Error| CliError::new(format!("{}: {error}", folder.display()));
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(fail)?.collect();
    let mut entries = entries.map_err(fail)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let kind_of_entry = entry.file_type().map_err(fail)?;
        if kind_of_entry.is_dir() {
            if depth == MOST_DEEP {
                return Err(CliError::new(format!(
                    "{}: more than {MOST_DEEP} folders inside of each other; give one of the inner folders",
                    path.display()
                )));
            }
            collect(&path, depth + 1, files, n_others)?;
        } else if path.is_file() {
            match kind(&path) {
                Some(kind) => files.push((path, kind)),
                None => *n_others += 1,
            }
        } else {
            *n_others += 1;
        }
    }
    Ok(())
}

/// Returns what a file is: by its extension and, for those that others use too, by words in it.
fn kind(path: &Path) -> Option<Kind> {
    if let Some(format) = MeshFormat::of(path) {
        return Some(Kind::Mesh(format));
    }
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let has = |words: &[&str]| {
        let text =
            Disk.read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        words.iter().any(|word| text.contains(word))
    };
    match extension.as_str() {
        "xml" => has(&["<mujoco", "<robot"]).then_some(Kind::Robot),
        "toml" => has(&["[[body]]", "[[particle]]", "[[rope]]", "[[cloth]]", "[[soft]]", "[[fluid]]"])
            .then_some(Kind::Scene),
        "json" => has(&["\"body\"", "\"rigid_bodies\"", "\"rigid_body_problem\"", "\"particle\""])
            .then_some(Kind::Scene),
        _ => robot::is_one(path).then_some(Kind::Robot),
    }
}

fn check(path: &Path, kind: Kind) -> Row {
    let row = Row {
        file: path.display().to_string(),
        kind,
        content: String::new(),
        volume: None,
        area: None,
        mass: None,
        notes: Vec::new(),
        refused: None,
    };
    let done = match kind {
        Kind::Mesh(_) => of_mesh(path),
        Kind::Robot => of_robot(path),
        Kind::Scene => of_scene(path),
    };
    match done {
        Ok(found) => Row { file: row.file, kind, ..found },
        Err(why) => {
            // The row has the name of the file.
            let why = why.strip_prefix(&format!("{}: ", row.file)).unwrap_or(&why).to_owned();
            Row { refused: Some(why), ..row }
        }
    }
}

fn of_mesh(path: &Path) -> Result<Row, String> {
    let bytes = Disk.read(path).map_err(|error| error.to_string())?;
    let read = mesh::read(path, &bytes, &Disk).map_err(|error| error.to_string())?;
    let (mesh, nested) = mesh::resolve(&read.mesh, Nested::Solid).map_err(|error| error.to_string())?;
    let mut notes: Vec<(Grade, String)> =
        read.warnings.iter().chain(&nested).map(|note| (note.grade(), note.to_string())).collect();
    let measures = Measures::of(&mesh).ok();
    let is_solid = |m: &Measures| m.volume > 0.0 && m.area == 0.0 && m.length == 0.0 && m.points == 0;
    let mass = measures.filter(is_solid).and_then(|_| MassProperties::of(&mesh, DENSITY).ok());
    if let Some(large) = mesh::large(mesh.bounds().diagonal(), mass.as_ref().map(|mass| mass.mass)) {
        notes.push((Grade::Rule, format!("it is {large}: {}", mesh::IN_METRES)));
    }
    Ok(Row {
        content: content(&mesh, measures),
        volume: measures.map(|m| m.volume),
        area: Some(mesh.area()),
        mass,
        notes,
        file: String::new(),
        kind: Kind::Scene,
        refused: None,
    })
}

/// What a mesh consists of.
fn content(mesh: &Mesh, measures: Option<Measures>) -> String {
    let Some(Measures { volume, area, length, points }) = measures else {
        return "without a volume".to_owned();
    };
    let parts = [
        (volume > 0.0, "closed".to_owned()),
        (area > 0.0, "open".to_owned()),
        (length > 0.0, format!("{} wires", mesh.wires().len())),
        (points > 0, format!("{points} points")),
    ];
    let found: Vec<String> =
        parts.into_iter().filter(|(is_there, _)| *is_there).map(|(_, what)| what).collect();
    found.join(", ")
}

fn of_robot(path: &Path) -> Result<Row, String> {
    let options = LoadOptions { overrides: vec![], mesh_folders: vec![] };
    let (loaded, dropped) =
        robot::load_robot(path, &Disk, &options, Options::default()).map_err(|error| error.to_string())?;
    let mut notes: Vec<(Grade, String)> = robot::account(&dropped)
        .iter()
        .map(|entry| (entry.grade, without_grade(&entry.to_string())))
        .collect();
    notes.extend(warnings(&loaded));
    Ok(of_loaded(&loaded.scene, notes))
}

fn of_scene(path: &Path) -> Result<Row, String> {
    let loaded = load_scene(&path.display().to_string(), &[]).map_err(|error| error.to_string())?;
    Ok(of_loaded(&loaded.scene, warnings(&loaded)))
}

/// Warnings about a scene with their grades; those without one are rules.
fn warnings(loaded: &Loaded) -> Vec<(Grade, String)> {
    let graded = |message: &str| {
        let grade = Grade::ALL.into_iter().find(|grade| message.starts_with(&format!("{}: ", grade.name())));
        (grade.unwrap_or(Grade::Rule), without_grade(message))
    };
    loaded.warnings.iter().map(|warning| graded(&warning.message)).collect()
}

fn without_grade(text: &str) -> String {
    let start = Grade::ALL.into_iter().find_map(|grade| text.strip_prefix(&format!("{}: ", grade.name())));
    start.unwrap_or(text).to_owned()
}

fn of_loaded(scene: &Scene, notes: Vec<(Grade, String)>) -> Row {
    let moving: Vec<MassProperties> = scene
        .bodies
        .iter()
        .filter(|body| body.is_dynamic())
        .map(|body| MassProperties {
            model: body.mass_model,
            mass: body.mass,
            center: body.initial.pose.position,
            inertia: inertia::rotated(
                &rigor_math::Mat3::from_diagonal(&body.inertia),
                &body.initial.pose.rotation,
            ),
        })
        .collect();
    Row {
        file: String::new(),
        kind: Kind::Scene,
        content: format!("{} bodies, {} move", scene.bodies.len(), moving.len()),
        volume: None,
        area: None,
        mass: MassProperties::combine(&moving),
        notes,
        refused: None,
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Mesh(MeshFormat::Obj) => "obj",
            Self::Mesh(MeshFormat::Stl) => "stl",
            Self::Mesh(MeshFormat::Ply) => "ply",
            Self::Mesh(MeshFormat::Gltf) => "gltf",
            Self::Mesh(MeshFormat::Off) => "off",
            Self::Mesh(MeshFormat::Collada) => "collada",
            Self::Mesh(MeshFormat::Msh) => "msh",
            Self::Robot => "robot",
            Self::Scene => "scene",
        }
    }
}

impl Row {
    fn count(&self, grade: Grade) -> usize {
        self.notes.iter().filter(|(found, _)| *found == grade).count()
    }

    fn outcome(&self) -> &'static str {
        match (&self.refused, self.notes.is_empty()) {
            (Some(_), _) => "refused",
            (None, true) => "ok",
            (None, false) => "told",
        }
    }

    /// Notes, all of them or those that change the physics, and the reason of a refusal.
    fn lines(&self, has_all: bool) -> String {
        let shown = self.notes.iter().filter(|(grade, _)| has_all || *grade == Grade::Physics);
        let note = |(grade, text): &(Grade, String)| format!("{}: {}: {text}\n", self.file, grade.name());
        let refused = self.refused.iter().map(|why| format!("{}: refused: {why}\n", self.file));
        shown.map(note).chain(refused).collect()
    }

    fn to_json(&self) -> Value {
        let notes: BTreeMap<&str, Vec<&str>> = Grade::ALL
            .into_iter()
            .map(|grade| {
                let graded = self.notes.iter().filter(|(of_note, _)| *of_note == grade);
                (grade.name(), graded.map(|(_, text)| text.as_str()).collect())
            })
            .collect();
        let mass = self.mass.as_ref();
        json!({
            "file": self.file,
            "kind": self.kind.name(),
            "outcome": self.outcome(),
            "content": self.content,
            "volume": self.volume,
            "area": self.area,
            "mass": mass.map(|m| m.mass),
            "center": mass.map(|m| [m.center.x, m.center.y, m.center.z]),
            "inertia": mass.map(|m| tensor(m).to_vec()),
            "notes": notes,
            "refused": self.refused,
        })
    }
}

/// Ixx, Iyy, Izz, Ixy, Ixz, Iyz (kg m²).
fn tensor(mass: &MassProperties) -> [f64; 6] {
    let i = &mass.inertia;
    [i[(0, 0)], i[(1, 1)], i[(2, 2)], i[(0, 1)], i[(0, 2)], i[(1, 2)]]
}

fn table(rows: &[Row], is_whole: bool) -> Table {
    let first = ["file", "kind", "outcome", "content", "mass_kg"];
    let more = [
        "volume_m3",
        "area_m2",
        "center_x",
        "center_y",
        "center_z",
        "ixx",
        "iyy",
        "izz",
        "ixy",
        "ixz",
        "iyz",
    ];
    let last = ["physics", "rule", "look", "unused"];
    let text = ["notes", "refused"];
    let mut table = headed(if is_whole {
        [&first[..], &more, &last, &text].concat()
    } else {
        [&first[..], &last].concat()
    });
    for row in rows {
        let number = |x: Option<f64>| {
            x.map_or(String::new(), |x| if is_whole { x.to_string() } else { format!("{x:.6}") })
        };
        let mass = row.mass.as_ref();
        let mut cells = vec![
            row.file.clone(),
            row.kind.name().to_owned(),
            row.outcome().to_owned(),
            row.content.clone(),
            number(mass.map(|m| m.mass)),
        ];
        if is_whole {
            cells.extend([number(row.volume), number(row.area)]);
            cells.extend((0..3).map(|k| number(mass.map(|m| m.center[k]))));
            cells.extend((0..6).map(|k| number(mass.map(|m| tensor(m)[k]))));
        }
        cells.extend(Grade::ALL.map(|grade| row.count(grade).to_string()));
        if is_whole {
            let notes: Vec<String> =
                row.notes.iter().map(|(grade, text)| format!("{}: {text}", grade.name())).collect();
            cells.extend([notes.join("; "), row.refused.clone().unwrap_or_default()]);
        }
        table.add_row(cells);
    }
    table
}
