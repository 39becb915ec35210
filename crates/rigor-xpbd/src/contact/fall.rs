//! Small bodies that lie on each other.
//!
//! Before contact stops it, a body that lies on others falls by about a h² in a substep, a = ‖g + f/m‖. One sweep over the pairs of a
//! stack, in one order, leaves a part of that as a tilt, which the next substep finds. Over the radius r of a body this part is a h²/r: 3·10⁻⁶ for a
//! box of 1 m at 0.5 ms, and 10⁻³ for one of 1 cm at 0.8 ms, where the tilts of stacks grow until they fall. A second sweep, and from a larger part on
//! shorter substeps, let them decay (`docs/methods/xpbd.md`, small bodies on each other).

use rigor_scene::{Flaw, FlawKind, Scene, Subject};

use super::pair::Pair;

/// Part of a radius by which a body may fall in a substep that sweeps once.
const ONCE: f64 = 3e-5;

/// Part of a radius by which a body may fall in a substep.
const MOST: f64 = 2e-4;

/// The same where the number of substeps stays as it is set, as in `pbd`, whose many sweeps let columns of ten stand: more is told.
const FIXED: f64 = 1e-3;

/// Returns the largest a/r (1/s²) of a pair of dynamic bodies, and the pair.
fn steepest<'a>(scene: &Scene, pairs: impl Iterator<Item = &'a Pair>) -> Option<(f64, &'a Pair)> {
    let of = |i: usize| {
        let body = &scene.bodies[i];
        (scene.gravity + body.force / body.mass).norm() / body.radius
    };
    let is_dynamic = |pair: &&Pair| [pair.a, pair.b].iter().all(|id| scene.bodies[id.0].is_dynamic());
    let steep = pairs
        .filter(is_dynamic)
        .map(|pair| (of(pair.a.0).max(of(pair.b.0)), pair))
        .filter(|(a, _)| a.is_finite());
    steep.reduce(|most, one| if one.0 > most.0 { one } else { most })
}

/// Returns the number of substeps of a step of `dt` (s): those that are `set`, or as many more, up to `limit`, as it needs; none more without a limit. A
/// step that needs more than there may be takes as many as there may be, and has a flaw.
pub(crate) fn substeps(
    scene: &Scene,
    pairs: &[Pair],
    (set, limit): (u32, Option<u32>),
    dt: f64,
) -> (u32, Option<Flaw>) {
    let near = pairs.iter().filter(|pair| pair.detection.is_near);
    let Some((steep, pair)) = steepest(scene, near) else { return (set, None) };
    let part = if limit.is_some() { MOST } else { FIXED };
    let needed = (dt * (steep / part).sqrt()).ceil();
    let most = limit.unwrap_or(set).max(set);
    if needed <= f64::from(most) {
        return (set.max(needed as u32), None);
    }
    let short = needed / f64::from(most);
    (most, Some(Flaw::new(FlawKind::Unconverged, Subject::Pair(pair.a, pair.b), short * short)))
}

/// Returns the number of sweeps that a substep of `h` (s) needs.
pub(crate) fn sweeps(scene: &Scene, pairs: &[Pair], h: f64) -> u32 {
    let active = pairs.iter().filter(|pair| pair.is_active());
    match steepest(scene, active) {
        Some((steep, _)) if steep * h * h > ONCE => 2,
        _ => 1,
    }
}
