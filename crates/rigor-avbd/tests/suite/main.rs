//! The method `avbd` on small scenes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod contact;
mod isolated;
mod joints;
mod scenes;
mod settings;
