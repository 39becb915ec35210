//! Shared code of the workspace tests in `tests/tests`, and the examples of the documents, which doctests compile and run.

pub mod reference;
pub mod roster;
pub mod scenes;

/// Pages whose Rust examples are tested.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../README.md")]
    pub struct Readme;

    #[doc = include_str!("../../docs/tour.md")]
    pub struct Tour;

    #[doc = include_str!("../../docs/guide/add-a-method.md")]
    pub struct AddAMethod;

    #[doc = include_str!("../../docs/guide/add-a-judge.md")]
    pub struct AddAJudge;

    #[doc = include_str!("../../docs/guide/add-a-solver.md")]
    pub struct AddASolver;

    #[doc = include_str!("../../docs/guide/test-your-ccd.md")]
    pub struct TestYourCcd;
}
