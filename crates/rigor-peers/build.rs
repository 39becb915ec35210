//! Lists the files in `peers`: an engine needs no entry anywhere else.

use std::path::Path;
use std::{env, fs};

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let folder = Path::new(&root).join("peers");
    println!("cargo:rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(&folder).expect("the folder `peers` of this crate is readable");
    let mut files: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    // The engines that come with this crate are first.
    files.sort_by_key(|file| (file != "engines.toml", file.clone()));
    let of = |ending: &'static str| files.iter().filter(move |file| file.ends_with(ending));
    let text = |file: &String| format!("include_str!({:?})", folder.join(file).display().to_string());
    let tables: Vec<String> = of(".toml").map(text).collect();
    let programs: Vec<String> = of(".py").map(|file| format!("({file:?}, {})", text(file))).collect();
    let code = format!(
        "/// Tables of engines.\nconst TABLES: &[&str] = &[{}];\n\
         /// Programs in Python.\nconst PROGRAMS: &[(&str, &str)] = &[{}];\n",
        tables.join(", "),
        programs.join(", ")
    );
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("files.rs"), code).expect("the folder of the build is writable");
}
