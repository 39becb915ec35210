//! Binary files in USD for users of the program.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::process::{Command, Output};

/// A box of 2 kg above a plate.
const BOX: &[u8] = include_bytes!("box.usdc");

fn rigor(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rigor")).args(arguments).output().unwrap()
}

#[test]
fn a_binary_file_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("box.usdc");
    fs::write(&path, BOX).unwrap();
    let (path, out) = (path.to_str().unwrap(), folder.path().join("out"));
    let output = rigor(&["scene", "import", path, "--out", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("bodies: 2, joints: 0, moving mass: 2.000 kg"));
    let text = rigor(&["scene", "usd-text", path]);
    assert!(String::from_utf8_lossy(&text.stdout).starts_with("#usda 1.0"));
}

/// Every eleventh byte is replaced in turn. The reader may panic or ask for too much memory; the program must not.
#[test]
fn a_damaged_binary_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("box.usdc");
    let mut wrong = 0;
    for at in (8..BOX.len()).step_by(11) {
        let mut bytes = BOX.to_vec();
        bytes[at] ^= 0xa5;
        fs::write(&path, &bytes).unwrap();
        let output = rigor(&["scene", "check", path.to_str().unwrap()]);
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 1)), "byte {at}: {code:?}");
        wrong += i32::from(code == Some(1));
    }
    assert!(wrong > 50, "{wrong} files were refused");
}
