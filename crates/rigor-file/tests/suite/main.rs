//! Tests of scene files, robots, cases and export: one program, because each links all crates below.

mod cases;
mod export;
mod meshes;
mod robot;
mod scene_files;
#[cfg(feature = "usd")]
mod usd;
mod vocabulary;
