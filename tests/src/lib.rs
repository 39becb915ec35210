//! What the tests of the workspace as a whole share; they are in `tests/tests`.

pub mod roster;
pub mod scenes;

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
