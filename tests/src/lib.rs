//! Tests of the workspace as a whole; they are in `tests/tests`.

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
