//! Tests of whole steps: one program, because each links all crates below.

mod affine;
mod ending;
mod fast;
mod flight;
mod groups;
mod halving;
mod isolated;
mod joints;
mod motion;
mod published;
mod report;
mod restitution;
mod round;
mod scene;
mod sliding;
