//! Translation of prescribed motion.

use rigor_math::Pose;

use super::super::at::At;
use super::super::document::{Keyframe, MotionEntry};
use super::super::error::SceneError;
use super::placement;
use rigor_scene::motion::{KinematicPath, Motion};

/// Converts `entry`, written at `at`, to a motion; its poses are those of the author's frame.
///
/// # Errors
/// Times that are not positive and ascending, or both keyframes and poses.
pub fn motion(entry: &MotionEntry, dt: f64, at: &At<'_>) -> Result<Motion, SceneError> {
    let stops_at = match entry.stops_at {
        Some(time) => at.join("stops_at").non_negative(time)?,
        None => f64::INFINITY,
    };
    if !entry.poses.is_empty() && !entry.keyframes.is_empty() {
        return Err(at.join("poses").error("expected either `keyframes` or `poses`"));
    }
    if entry.interval.is_some() && entry.poses.is_empty() {
        return Err(at.join("interval").error("`interval` requires `poses`"));
    }
    let path = if !entry.keyframes.is_empty() {
        KinematicPath::Keyframes(keyframes(&entry.keyframes, &at.join("keyframes"))?)
    } else if !entry.poses.is_empty() {
        let interval = at.join("interval").positive(entry.interval.unwrap_or(dt))?;
        let timed =
            |(i, pose)| Ok(((i + 1) as f64 * interval, placement::pose(pose, &at.join("poses").join(i))?));
        KinematicPath::Keyframes(
            entry.poses.iter().enumerate().map(timed).collect::<Result<_, SceneError>>()?,
        )
    } else {
        KinematicPath::ConstantVelocity
    };
    Ok(Motion { path, stops_at })
}

fn keyframes(entries: &[Keyframe], at: &At<'_>) -> Result<Vec<(f64, Pose)>, SceneError> {
    let mut last = 0.0;
    let keyframe = |(i, entry): (usize, &Keyframe)| {
        let at = at.join(i);
        if entry.time <= last {
            let message = format!(
                "expected a time after {last} s, found {:?}: keyframe times must be positive and ascending",
                entry.time
            );
            return Err(at.join("time").error(message));
        }
        last = entry.time;
        Ok((entry.time, placement::pose(&entry.placement(), &at)?))
    };
    entries.iter().enumerate().map(keyframe).collect()
}
