//! Permitted dependencies between crates.

use std::collections::BTreeMap;

use crate::workspace::{read, texts};

/// The crates of this workspace: name, layer, and the crates of this workspace that they may depend on.
///
/// A dependency marked "for tests" must not be used by the library.
const ALLOWED: &[(&str, u32, &[&str])] = &[
    ("math", 0, &[]),
    ("gpu", 1, &["math"]),
    ("interval", 1, &["math"]),
    ("geometry", 1, &["math", "shapes for tests"]),
    ("nonsmooth", 1, &["math"]),
    ("shapes", 2, &["math", "geometry"]),
    ("scene", 2, &["math", "geometry", "shapes for tests"]),
    ("ccd", 2, &["math", "interval", "geometry", "shapes for tests", "ccd-test for tests"]),
    ("ccd-test", 3, &["math", "interval", "geometry", "ccd"]),
    ("file", 3, &["math", "geometry", "shapes", "scene"]),
    ("free", 4, &["math", "scene", "shapes for tests"]),
    ("contact", 3, &["math", "geometry", "scene", "shapes for tests"]),
    ("joint", 3, &["math", "nonsmooth", "scene", "file for tests"]),
    ("xpbd", 4, &["math", "geometry", "gpu", "contact", "scene", "shapes for tests", "file for tests"]),
    (
        "ipc",
        4,
        &["math", "geometry", "ccd", "nonsmooth", "joint", "scene", "shapes for tests", "file for tests"],
    ),
    (
        "moreau",
        4,
        &[
            "math",
            "contact",
            "joint",
            "nonsmooth",
            "scene",
            "geometry for tests",
            "shapes for tests",
            "file for tests",
        ],
    ),
    (
        "avbd",
        4,
        &["math", "contact", "joint", "scene", "geometry for tests", "shapes for tests", "file for tests"],
    ),
    ("particles", 4, &["math", "geometry", "gpu", "scene", "shapes for tests"]),
    ("audit", 4, &["math", "geometry", "scene", "shapes for tests"]),
    ("peers", 4, &["math", "geometry", "scene", "shapes for tests"]),
    (
        "run",
        5,
        &[
            "math",
            "geometry",
            "shapes",
            "scene",
            "file",
            "free",
            "xpbd",
            "ipc",
            "moreau",
            "avbd",
            "particles",
            "audit",
            "peers",
        ],
    ),
    ("report", 6, &["math", "geometry", "scene", "audit", "run", "shapes for tests"]),
    ("study", 7, &["math", "scene", "file", "audit", "run", "report"]),
    ("papers", 8, &["math", "scene", "file", "audit", "run", "report", "study"]),
    (
        "bench",
        9,
        &[
            "math",
            "gpu",
            "interval",
            "geometry",
            "shapes",
            "scene",
            "file",
            "ccd",
            "ccd-test",
            "contact",
            "joint",
            "nonsmooth",
            "free",
            "xpbd",
            "ipc",
            "moreau",
            "avbd",
            "particles",
            "audit",
            "peers",
            "run",
            "report",
            "study",
            "papers",
        ],
    ),
    (
        "python",
        10,
        &[
            "math", "geometry", "scene", "ccd", "ccd-test", "file", "audit", "run", "report", "study",
            "papers",
        ],
    ),
];

/// Formats of serialisation, pages, command lines and tables on a terminal: the crates that know them, and those of ours that
/// may depend on them.
const FORMATS: &[(&str, &[&str])] = &[
    (
        "serde",
        &[
            "shapes",
            "file",
            "free",
            "xpbd",
            "ipc",
            "moreau",
            "avbd",
            "particles",
            "peers",
            "run",
            "study",
            "papers",
            "bench",
        ],
    ),
    ("schemars", &["shapes", "file", "free", "xpbd", "ipc", "moreau", "avbd", "particles", "peers", "run"]),
    ("serde_json", &["file", "peers", "run", "report", "study", "bench", "python"]),
    ("roxmltree", &["file", "report"]),
    ("serde_path_to_error", &["run", "bench"]),
    ("csv", &["run", "study", "bench"]),
    ("parquet", &["study"]),
    ("toml", &["file", "peers", "study", "bench", "papers"]),
    ("gltf", &["file"]),
    ("gltf-json", &["run"]),
    ("npyz", &["nonsmooth", "run"]),
    ("png", &["file", "report"]),
    ("postcard", &["peers", "run"]),
    ("clap", &["bench"]),
    ("maud", &["report", "papers", "bench"]),
    ("terminal_size", &["bench"]),
    ("unicode-width", &["bench"]),
];

/// A dependency in a manifest.
struct Dependency {
    name: String,
    for_tests: bool,
}

/// Returns every dependency of a manifest, including those of single platforms.
fn dependencies(manifest: &str) -> Vec<Dependency> {
    let table: toml::Table = manifest.parse().expect("a manifest is TOML");
    let mut found = in_tables(&table);
    for platform in table.get("target").and_then(toml::Value::as_table).into_iter().flatten() {
        found.extend(platform.1.as_table().map(in_tables).unwrap_or_default());
    }
    found
}

fn in_tables(table: &toml::Table) -> Vec<Dependency> {
    let section = |key: &str, for_tests: bool| {
        let names = table.get(key).and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::keys);
        names.map(move |name| Dependency { name: name.clone(), for_tests }).collect::<Vec<_>>()
    };
    [("dependencies", false), ("build-dependencies", false), ("dev-dependencies", true)]
        .into_iter()
        .flat_map(|(key, for_tests)| section(key, for_tests))
        .collect()
}

/// Returns the complaints about `rigor-<name>` with this manifest.
fn check(name: &str, manifest: &str) -> Vec<String> {
    let Some((_, _, allowed)) = ALLOWED.iter().find(|(krate, ..)| *krate == name) else {
        return vec![format!("rigor-{name} has no layer: give it one in tests/tests/tidiness/layering.rs")];
    };
    let mut complaints = Vec::new();
    for Dependency { name: dependency, for_tests } in dependencies(manifest) {
        if let Some(ours) = dependency.strip_prefix("rigor-") {
            let in_tests = format!("{ours} for tests");
            // A crate may enable its own features for its tests.
            let is_itself = for_tests && ours == name;
            let is_allowed = |entry: &&str| *entry == ours || (for_tests && *entry == in_tests);
            if !is_itself && !allowed.iter().any(is_allowed) {
                complaints.push(format!("rigor-{name} may not depend on {dependency}"));
            }
        }
        let format = FORMATS.iter().find(|(format, _)| *format == dependency);
        if format.is_some_and(|(_, users)| !for_tests && !users.contains(&name)) {
            complaints.push(format!("rigor-{name} may not depend on the format {dependency}"));
        }
    }
    complaints
}

/// Returns the layer and dependencies of each crate in the table of the architecture.
fn documented(architecture: &str) -> BTreeMap<String, (String, String)> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [layer, krate, _, allowed] = cells[..] else { return None };
        let name = krate.strip_prefix("`rigor-")?.strip_suffix('`')?;
        Some((name.to_string(), (layer.to_string(), allowed.to_string())))
    };
    architecture.lines().filter_map(row).collect()
}

#[test]
fn crates_depend_on_lower_layers_only() {
    let mut complaints = Vec::new();
    let mut seen = 0;
    for manifest in texts("crates", "toml") {
        let ["crates", folder, "Cargo.toml"] = manifest.path.split('/').collect::<Vec<_>>()[..] else {
            continue;
        };
        seen += 1;
        complaints.extend(check(folder.trim_start_matches("rigor-"), &manifest.text));
    }
    crate::assert_none(&complaints);
    assert_eq!(seen, ALLOWED.len(), "a crate of the table is gone");
}

/// The table itself: dependencies of libraries point to lower layers, the judges see no method, and methods see neither
/// judges nor other methods. Tests may use shapes and scenes from higher layers.
#[test]
fn allowed_arrows_point_down() {
    let layer = |name: &str| ALLOWED.iter().find(|(krate, ..)| *krate == name).expect("it is listed").1;
    for (name, own, allowed) in ALLOWED {
        for dependency in allowed.iter().filter(|a| !a.ends_with(" for tests")) {
            assert!(layer(dependency) < *own, "rigor-{name} on rigor-{dependency} does not point down");
        }
    }
}

#[test]
fn architecture_shows_the_same_arrows() {
    let documented = documented(&read("docs/architecture.md"));
    for (name, layer, allowed) in ALLOWED {
        let (shown_layer, shown) =
            documented.get(*name).unwrap_or_else(|| panic!("rigor-{name} is not shown"));
        let library: Vec<&str> = allowed.iter().copied().filter(|a| !a.ends_with(" for tests")).collect();
        // The program depends on all crates but the Python package, which stands below it in the table.
        let expected = match (library.is_empty(), library.len() == ALLOWED.len() - 2) {
            (true, _) => "–".to_string(),
            (_, true) => "all above".to_string(),
            _ => library.join(", "),
        };
        assert_eq!((shown_layer, shown), (&layer.to_string(), &expected), "rigor-{name}");
    }
}

#[test]
fn a_forbidden_dependency_is_found() {
    for (name, bad) in [
        ("audit", "[dependencies]\nrigor-xpbd.workspace = true"),
        ("audit", "[dev-dependencies]\nrigor-free = { path = \"../rigor-free\" }"),
        ("xpbd", "[dependencies]\nrigor-free.workspace = true"),
        ("free", "[dev-dependencies]\nrigor-audit.workspace = true"),
        ("free", "[dependencies]\nrigor-geometry.workspace = true"),
        ("geometry", "[target.'cfg(unix)'.dependencies]\nrigor-scene.workspace = true"),
        ("math", "[build-dependencies]\nrigor-geometry.workspace = true"),
        ("audit", "[dependencies]\nserde_json.workspace = true"),
        ("peers", "[dependencies]\nrigor-run.workspace = true"),
        ("run", "[dependencies]\nrigor-report.workspace = true"),
        ("run", "[dependencies]\nclap.workspace = true"),
        ("report", "[dependencies]\nrigor-bench.workspace = true"),
        ("new", "[dependencies]"),
    ] {
        assert_eq!(check(name, bad).len(), 1, "{name}: {bad}");
    }
    let good = "[dependencies]\nrigor-math.workspace = true\nserde.workspace = true\n[dev-dependencies]\nrigor-shapes.workspace = true";
    assert!(check("free", good).is_empty());
}
