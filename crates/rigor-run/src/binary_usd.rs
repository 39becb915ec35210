//! Binary files in USD, translated to text by a process of their own: the library that reads them may end the process on a
//! damaged file.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use rigor_file::robot::is_binary_usd;

/// The program of [`translate_by`].
static TRANSLATOR: OnceLock<PathBuf> = OnceLock::new();

/// Lets [`Disk`](crate::disk::Disk) translate binary files with `PROGRAM scene usd-text FILE`, which writes the text of `FILE` to its
/// standard output. The first call counts.
pub fn translate_by(program: PathBuf) {
    let _ = TRANSLATOR.set(program);
}

/// Returns `bytes`, the content of `path`, as text if they are binary USD and there is a translator.
///
/// # Errors
/// The translator cannot be started, or fails.
pub fn as_text(path: &Path, bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    let Some(program) = TRANSLATOR.get().filter(|_| is_binary_usd(&bytes)) else { return Ok(bytes) };
    let translator =
        Command::new(program).args(["scene", "usd-text"]).arg(path).stdin(Stdio::null()).output()?;
    if translator.status.success() {
        return Ok(translator.stdout);
    }
    let why = first_words(&String::from_utf8_lossy(&translator.stderr));
    let why = format!("it is damaged, or uses what the reader of binary USD does not know: {why}");
    Err(io::Error::new(io::ErrorKind::InvalidData, why))
}

/// The message of an error, or of a panic below the line with its place.
fn first_words(words: &str) -> String {
    let mut lines = words.lines().filter(|line| !line.trim().is_empty());
    let first = lines.find(|line| !line.contains(" panicked at ")).unwrap_or("it ended without a word");
    first.strip_prefix("error: ").unwrap_or(first).to_owned()
}
