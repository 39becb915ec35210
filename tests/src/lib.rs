//! Shared code of the workspace tests in `tests/tests`.

pub mod roster;
pub mod scenes;

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
