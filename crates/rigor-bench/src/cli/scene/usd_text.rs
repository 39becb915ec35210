//! `rigor scene usd-text`.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use rigor_file::robot::usd_text;
use rigor_run::disk::MAX_BYTES;

use super::super::{CliError, Exit, print};

/// Print a binary file in USD as text.
///
/// Other commands translate binary files by this one, in a process of its own: a damaged file may end it.
#[derive(Debug, Args)]
pub struct UsdTextArgs {
    /// A binary file (.usdc, or .usd).
    file: PathBuf,
}

pub fn execute(args: &UsdTextArgs) -> Result<Exit, CliError> {
    let bytes = read(&args.file).map_err(|error| CliError::file(&args.file, "read", &error))?;
    let text = usd_text(&bytes).map_err(|why| CliError::new(format!("{}: {why}", args.file.display())))?;
    print(&text)?;
    Ok(Exit::Ok)
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
