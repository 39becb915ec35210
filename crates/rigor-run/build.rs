//! Exports the compiler version and the commit for the records of runs.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    println!("cargo:rustc-env=RIGOR_RUSTC={}", output(&rustc, &["--version"]));
    println!("cargo:rustc-env=RIGOR_COMMIT={}", output("git", &["rev-parse", "--short=12", "HEAD"]));
    println!("cargo:rerun-if-changed=build.rs");
    // The log of HEAD changes with every commit; HEAD itself only with the branch.
    for file in ["../../.git/HEAD", "../../.git/logs/HEAD"] {
        if std::path::Path::new(file).exists() {
            println!("cargo:rerun-if-changed={file}");
        }
    }
}

/// Returns the output of a command, or "unknown".
fn output(program: &str, arguments: &[&str]) -> String {
    let run = Command::new(program).args(arguments).output();
    let text = run.ok().filter(|o| o.status.success()).and_then(|o| String::from_utf8(o.stdout).ok());
    text.map_or_else(|| "unknown".into(), |t| t.trim().to_owned())
}
