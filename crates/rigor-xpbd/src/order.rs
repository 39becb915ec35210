//! In which order constraints are solved, and which of them at the same time.

pub(crate) mod colour;
pub(crate) mod rank;
