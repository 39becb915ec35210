//! Every source file belongs to a module: one that no `mod` names is not compiled, and its tests are silent.

use crate::workspace::{Text, sources};

/// Whether Cargo starts a crate from this file. Other folders than Cargo's, as that of `cargo fuzz`, name their crates in a manifest.
fn is_root(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let inside = if parts[0] == "crates" { &parts[2..] } else { &parts[1..] };
    match inside {
        ["src", "lib.rs" | "main.rs"] => true,
        ["tests" | "examples" | "benches", _] => true,
        ["tests" | "examples" | "benches", _, file] => *file == "main.rs",
        [folder, ..] => !["src", "tests", "examples", "benches"].contains(folder),
        [] => true,
    }
}

/// Returns whether the module in the file `path` may be declared in the file `other`.
fn is_parent(other: &str, path: &str) -> bool {
    let split = |path| str::rsplit_once(path, '/').unwrap_or(("", path));
    let (folder, file) = split(path);
    // The module `a` in `a/mod.rs` is declared beside the folder.
    let folder = if file == "mod.rs" { split(folder).0 } else { folder };
    let (beside, name) = split(other);
    other.strip_suffix(".rs") == Some(folder)
        || beside == folder && (["lib.rs", "main.rs", "mod.rs"].contains(&name) || is_root(other))
}

fn module(path: &str) -> &str {
    let stem = path.trim_end_matches("/mod.rs").trim_end_matches(".rs");
    stem.rsplit('/').next().unwrap_or(stem)
}

fn declares(text: &str, module: &str) -> bool {
    let end = format!("mod {module};");
    text.lines().any(|line| {
        line == end || (line.trim_start().starts_with("pub") && line.ends_with(&format!(" {end}")))
    })
}

/// Returns the complaints about files that no file declares.
fn check(files: &[Text]) -> Vec<String> {
    let is_declared = |path: &str| {
        let mut above = files.iter().filter(|file| is_parent(&file.path, path));
        above.any(|file| declares(&file.text, module(path)))
    };
    let lost = files.iter().filter(|file| !is_root(&file.path) && !is_declared(&file.path));
    lost.map(|file| format!("{}: no `mod {};`, so it is not compiled", file.path, module(&file.path)))
        .collect()
}

#[test]
fn every_file_is_compiled() {
    crate::assert_none(&check(&sources()));
}

#[test]
fn a_file_without_a_declaration_is_found() {
    let file = |path: &str, text: &str| Text { path: path.into(), text: text.into() };
    let files = [
        file("crates/a/src/lib.rs", "pub mod b;\npub(crate) mod c;\n#[cfg(test)]\nmod tests;"),
        file("crates/a/src/b.rs", "mod d;"),
        file("crates/a/src/b/d.rs", ""),
        file("crates/a/src/c/mod.rs", ""),
        file("crates/a/src/tests.rs", ""),
        file("crates/a/tests/suite/main.rs", "mod one;"),
        file("crates/a/tests/suite/one.rs", ""),
        file("crates/a/tests/alone.rs", "mod scenes;"),
        file("crates/a/tests/scenes/mod.rs", ""),
        file("tests/tests/suite/main.rs", ""),
        file("benchmarks/benches/x.rs", ""),
        file("crates/a/build.rs", ""),
        file("crates/a/fuzz/targets/x.rs", ""),
        // Not declared.
        file("crates/a/tests/suite/two.rs", ""),
        file("tests/tests/suite/three.rs", ""),
        file("crates/a/src/b/e.rs", "mod e;"),
    ];
    let complaints = check(&files);
    assert_eq!(complaints.len(), 3, "{complaints:?}");
}
