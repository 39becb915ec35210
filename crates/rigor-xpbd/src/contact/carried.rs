//! Loads on bodies that joints hold to the world, or to bodies that forces do not move.
//!
//! A substep solves joints before contacts. The contact of a body of mass m, held by joints, with one of mass M that stands on it moves the held body by the part
//! 1 − ρ, ρ = M/(m + M), of what it corrects as if nothing held it, and the next substep's joints take it back. With u, v and F the overlap over h, the velocity of the load and the
//! impulse of the contact over M, less that of gravity, one substep is
//!
//! ```text
//! s = u + v + F     u ← ρ s     v ← v + F − (1 − ρ) s     F ← F − (1 − ρ) s
//! ```
//!
//! whose eigenvalues are outside of the unit circle for ρ > ½: a load that is heavier than what carries it chatters for ever. With n sweeps ρ becomes ρⁿ.

use rigor_math::elementary;
use rigor_scene::{Body, Scene};

use super::pair::Pair;
use crate::joint::Joints;

/// ρⁿ that sweeps leave at most.
const LEFT: f64 = 0.05;

/// Maximum number of sweeps.
const MOST: u32 = 100;

/// Returns the number of sweeps that the loads on bodies with `joints` need: 1 where none is heavier than what carries it.
pub(crate) fn sweeps(scene: &Scene, pairs: &[Pair], joints: &Joints) -> u32 {
    if joints.stiff().next().is_none() {
        return 1;
    }
    let bodies = &scene.bodies;
    // Held by what does not move: among bodies that all move, more sweeps cost much, and no chatter is known.
    let is_firm = |i: Option<usize>| i.is_none_or(|i| !bodies[i].is_dynamic());
    let is_held =
        |i: usize| joints.stiff().any(|(a, b)| (a == i && is_firm(b)) || (b == Some(i) && is_firm(Some(a))));
    let part = |held: &Body, load: &Body| load.mass / (held.mass + load.mass);
    let of = |pair: &Pair| {
        let (a, b) = (pair.a.0, pair.b.0);
        let ends = [(a, b), (b, a)].into_iter();
        let heavier = ends.filter(|&(held, load)| bodies[held].mass < bodies[load].mass && is_held(held));
        heavier.map(|(held, load)| part(&bodies[held], &bodies[load])).reduce(f64::max)
    };
    let loaded = pairs.iter().filter(|pair| {
        let are_dynamic = [pair.a, pair.b].iter().all(|id| bodies[id.0].is_dynamic());
        are_dynamic && pair.is_active()
    });
    let most = loaded.filter_map(of).fold(0.0, f64::max);
    if most <= LEFT {
        return 1;
    }
    let needed = (elementary::ln(LEFT) / elementary::ln(most)).ceil();
    (needed.min(f64::from(MOST)) as u32).max(1)
}
