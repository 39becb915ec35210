//! Claims about all distances at once.

mod accuracy;
mod degenerate;
mod derivatives;
mod generators;
mod invariance;
mod regions;
