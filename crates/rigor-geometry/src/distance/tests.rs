//! Tests of properties that all distances share.

mod accuracy;
mod degenerate;
mod derivatives;
mod generators;
mod invariance;
mod regions;
