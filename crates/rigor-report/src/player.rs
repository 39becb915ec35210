//! Playback of runs in the page: a stage for each scene, a film for each run, and the script that shows them.
//!
//! A [`PlayerScene`] holds what does not move in time: meshes, colours and the camera. A [`Film`] holds the poses of one
//! run, at so many moments as its [`Budget`] allows. Both are packed small and stand in the page as text, so that it
//! plays offline; `docs/decisions/player.md` says why the player is our own.

mod crease;
mod film;
mod forces;
mod pack;
mod rotation;
mod simplify;
mod stage;

pub use film::{Budget, Film, Recorder};
pub(crate) use pack::{Pack, script_text};
pub use stage::PlayerScene;

/// The scripts of a page, in the order in which they run.
pub const SCRIPTS: [&str; 9] = [
    include_str!("player/unpack.js"),
    include_str!("player/draw.js"),
    include_str!("player/batch.js"),
    include_str!("player/mark.js"),
    include_str!("player/play.js"),
    include_str!("player/live.js"),
    include_str!("plot/plot.js"),
    include_str!("plot/paper.js"),
    include_str!("player/start.js"),
];

/// The style sheet of players and of plots that a script serves.
pub const STYLE: &str = include_str!("player/player.css");

#[cfg(test)]
mod tests;
