//! What the documents claim and a machine can check: layering, sources, names, citations, paths, decisions.
//!
//! Each module is a checker: a function from texts to complaints, with a test that it complains of a planted violation,
//! and a test that it has nothing to say of the workspace.

mod anchor;
mod citation;
mod command;
mod decision;
mod figures;
mod layering;
mod markdown;
mod method_page;
mod module_name;
mod named_path;
mod notation;
mod settings;
mod source;
mod workspace;

/// Fails with every complaint on a line of its own.
#[track_caller]
fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}
