//! Machine-checkable claims of the documents: layering, sources, names, citations, paths, decisions,
//! packages.
//!
//! Each module is a checker: a function from texts to complaints, with a test that it detects a planted
//! violation, and a test that it has no complaints about the workspace.

mod anchor;
mod book;
mod circle;
mod citation;
mod command;
mod decision;
mod figures;
mod flaws;
mod layering;
mod markdown;
mod method_page;
mod module_name;
mod named_path;
mod notation;
mod orphan;
mod package;
mod peers;
mod printed;
mod scene_block;
mod settings;
mod source;
mod workspace;

/// Fails with each complaint on its own line.
#[track_caller]
fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}
