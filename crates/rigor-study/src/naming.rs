//! Names of scenes that are unique among the runs that are shown.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rigor_file::document::TimeEntry;
use rigor_file::export;
use rigor_run::folder::record::hash;

use crate::row::Row;

/// Letters of a hash that tell scenes apart.
const LETTERS: usize = 6;

/// Gives scenes that have one name names of their own, such as `t (same-b.toml)`: by their file, else by the folder of their first
/// run, else by letters of their hash.
///
/// Runs are of one scene if a plan names it once for them, or, for runs that are read from their folders, if their scenes are equal
/// but for Δt, duration and settings of methods.
pub fn tell_scenes_apart(rows: &mut [Row]) {
    let keys: Vec<String> = rows.iter().map(key).collect();
    // The first row of each scene, by its name.
    let mut firsts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (k, row) in rows.iter().enumerate() {
        let scenes = firsts.entry(row.record.scene.clone()).or_default();
        if !scenes.iter().any(|first| keys[*first] == keys[k]) {
            scenes.push(k);
        }
    }
    let mut taken: BTreeSet<String> = firsts.keys().cloned().collect();
    let mut shown: BTreeMap<&str, String> = BTreeMap::new();
    for (name, scenes) in &firsts {
        if let [one] = &scenes[..] {
            shown.insert(&keys[*one], name.clone());
            continue;
        }
        let candidates: [fn(&Row, &str) -> String; 4] = [
            |row, _| last_part(Path::new(&row.task.scene)),
            |row, _| row.task.scene.clone(),
            |row, _| last_part(&row.folder.root),
            |_, key| key.chars().take(LETTERS).collect(),
        ];
        let names = |of: &fn(&Row, &str) -> String| -> Option<Vec<String>> {
            let all: Vec<String> =
                scenes.iter().map(|first| format!("{name} ({})", of(&rows[*first], &keys[*first]))).collect();
            let distinct: BTreeSet<&String> = all.iter().collect();
            let is_free = distinct.len() == all.len() && all.iter().all(|name| !taken.contains(name));
            is_free.then_some(all)
        };
        // The whole key is the last resort: keys differ.
        let whole = || scenes.iter().map(|first| format!("{name} ({})", keys[*first])).collect();
        let all = candidates.iter().find_map(names).unwrap_or_else(whole);
        for (first, name) in scenes.iter().zip(all) {
            taken.insert(name.clone());
            shown.insert(&keys[*first], name);
        }
    }
    for (row, key) in rows.iter_mut().zip(&keys) {
        if let Some(name) = shown.get(key.as_str()) {
            row.scene.clone_from(name);
        }
    }
}

/// What runs of one scene have in common, and no others.
fn key(row: &Row) -> String {
    let by_name = || format!("{} {}", row.record.scene, row.task.scene);
    let Some(loaded) = &row.task.loaded else { return by_name() };
    let mut bare = (**loaded).clone();
    bare.document.method.clear();
    bare.document.time = TimeEntry::default();
    // A scene that was read from the folder of a run can be written again.
    export(&bare).map_or_else(|_| by_name(), |exported| hash(&exported))
}

fn last_part(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
