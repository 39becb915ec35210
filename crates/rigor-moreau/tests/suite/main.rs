//! The method `nonsmooth` on small scenes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod contact;
mod energy;
mod forces;
mod joints;
mod scenes;
mod settings;
