//! Reads the bytes of a scene file into a [`Tree`].

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::Files;
use super::error::{Finding, SceneError};
use super::tree::Tree;
use super::{json, toml};

/// Maximum size of a scene file, alone and together with its includes (bytes).
pub const MAX_BYTES: usize = 16 << 20;

/// Returns the bytes of `path`, or an error message.
pub fn bytes(path: &Path, files: &dyn Files) -> Result<Vec<u8>, String> {
    files.read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => format!("the file cannot be read: {error}"),
    })
}

/// Parses `bytes`, the content of `path`, as TOML or JSON by its extension, otherwise by its first character.
///
/// # Errors
/// The file is too long, empty or binary, or its syntax is wrong.
pub fn tree(path: &Path, bytes: Vec<u8>) -> Result<Tree, SceneError> {
    let text = text(path, bytes)?;
    let extension = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let is_json = match extension.as_deref() {
        Some("json") => true,
        Some("toml") => false,
        _ => text.trim_start().starts_with('{'),
    };
    if is_json { json::read(path, &text) } else { toml::read(path, &text) }
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<Arc<str>, SceneError> {
    if bytes.len() > MAX_BYTES {
        return Err(too_long(path, bytes.len()).into());
    }
    let binary = |at: usize| {
        let message = format!("this is not a text file: byte {at} is not UTF-8");
        Finding::of_file(path, message)
            .with_help("scene files are TOML or JSON; meshes belong in `mesh.file`")
    };
    if let Some(nul) = bytes.iter().position(|b| *b == 0) {
        return Err(binary(nul).into());
    }
    let text = String::from_utf8(bytes).map_err(|error| binary(error.utf8_error().valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.trim().is_empty() {
        let help = "a scene has at least one `[[body]]`, `[[particle]]` or `[[rope]]`";
        return Err(Finding::of_file(path, "the file is empty").with_help(help).into());
    }
    Ok(text.into())
}

/// Creates the error for a scene file of `n` bytes.
pub fn too_long(path: &Path, n: usize) -> Finding {
    let (megabytes, most) = (n as f64 / f64::from(1 << 20), MAX_BYTES >> 20);
    let message = format!("the scene is {megabytes:.1} MiB long: at most {most} MiB are allowed");
    Finding::of_file(path, message).with_help("put large meshes into mesh files")
}
