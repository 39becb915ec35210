//! Scenes printed in documents: each loads without a warning.

use std::io;
use std::path::Path;

use rigor_file::{Files, LoadOptions, load};

use crate::workspace::{Text, documents};

/// A file with this content, whatever its path.
struct Printed<'a>(&'a str);

impl Files for Printed<'_> {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.into())
    }
}

/// Returns the TOML blocks that state the format of scene files.
fn scenes(text: &str) -> impl Iterator<Item = &str> {
    let blocks = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.filter(|block| block.starts_with("format = 1"))
}

/// Returns what is wrong with a scene, if anything is.
fn complaint(scene: &str) -> Option<String> {
    match load(Path::new("scene.toml"), &Printed(scene), &LoadOptions::default()) {
        Ok(loaded) => loaded.warnings.first().map(|warning| format!("{warning:?}")),
        Err(error) => Some(error.to_string()),
    }
}

#[test]
fn every_printed_scene_loads() {
    let documents = documents();
    let all = documents.iter().flat_map(|Text { path, text }| scenes(text).map(move |scene| (path, scene)));
    let all: Vec<_> = all.collect();
    assert!(all.len() >= 4, "{} scenes", all.len());
    let of = |(path, scene): &(&String, &str)| Some(format!("{path}: {}", complaint(scene)?));
    crate::assert_none(&all.iter().filter_map(of).collect::<Vec<_>>());
}

#[test]
fn a_scene_with_a_mistake_is_found() {
    let page = "```toml\nformat = 1\n[[body]]\nname = \"a\"\nmas = 1\n```\n```toml\n[dependencies]\n```\n";
    assert_eq!(scenes(page).count(), 1);
    assert!(scenes(page).next().and_then(complaint).is_some_and(|why| why.contains("mas")));
}
