//! Exports the compiler version and the commit for the records of runs.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

/// The crates whose sources determine the result of a run.
const SOURCES: [&str; 13] = [
    "math",
    "interval",
    "geometry",
    "shapes",
    "scene",
    "file",
    "ccd",
    "free",
    "ipc",
    "xpbd",
    "particles",
    "audit",
    "peers",
];

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    println!("cargo:rustc-env=RIGOR_RUSTC={}", output(&rustc, &["--version"]));
    println!(
        "cargo:rustc-env=RIGOR_COMMIT={}{}",
        output("git", &["rev-parse", "--short=12", "HEAD"]),
        changes()
    );
    println!("cargo:rerun-if-changed=build.rs");
    files_of_commits().iter().for_each(|path| println!("cargo:rerun-if-changed={path}"));
}

/// Returns the files that change with the commit of the checkout, which lie outside of it in one of several worktrees; empty
/// outside of a checkout. The log of HEAD changes with every commit, HEAD itself only with the branch.
pub(crate) fn files_of_commits() -> Vec<String> {
    let files = ["HEAD", "logs/HEAD"].map(|file| output("git", &["rev-parse", "--git-path", file]));
    files.into_iter().filter(|path| Path::new(path).exists()).collect()
}

/// Returns "+" and a hash of the changes since the commit, so that a run of a changed program is not taken for one of the
/// commit; empty without changes, or outside of a checkout.
pub(crate) fn changes() -> String {
    let sources: Vec<String> = SOURCES
        .iter()
        .map(|name| format!("../rigor-{name}/src"))
        .chain(["../rigor-peers/peers".to_owned()])
        .filter(|path| Path::new(path).exists())
        .collect();
    sources.iter().for_each(|path| println!("cargo:rerun-if-changed={path}"));
    if sources.is_empty() {
        return String::new();
    }
    let git = |arguments: &[&str]| {
        let paths = sources.iter().map(String::as_str).chain(["src"]);
        output("git", &arguments.iter().copied().chain(["--"]).chain(paths).collect::<Vec<_>>())
    };
    println!("cargo:rerun-if-changed=src");
    let (status, difference) = (git(&["status", "--porcelain"]), git(&["diff", "HEAD"]));
    if status.is_empty() || status == "unknown" {
        return String::new();
    }
    let mut hasher = DefaultHasher::new();
    (status, difference).hash(&mut hasher);
    format!("+{:08x}", hasher.finish() as u32)
}

/// Returns the output of a command, or "unknown".
fn output(program: &str, arguments: &[&str]) -> String {
    let run = Command::new(program).args(arguments).output();
    let text = run.ok().filter(|o| o.status.success()).and_then(|o| String::from_utf8(o.stdout).ok());
    text.map_or_else(|| "unknown".into(), |t| t.trim().to_owned())
}
