//! Impacts: what velocities contacts leave each other with.

use rigor_joint::{Equality, Mobility, Velocity};
use rigor_math::Vec3;
use rigor_nonsmooth::Cone;
use rigor_nonsmooth::solver::Goal;

use crate::config::{Config, Impacts};
use crate::mechanics::{Impulses, Mechanics};
use crate::row::Block;

/// Maximum number of rounds of reflections.
const ROUNDS: usize = 100;

/// Maximum number of shares of restitution that are tried where the whole would make energy.
const SEARCH: usize = 30;

/// A contact, as impacts see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Collision {
    /// Gap in the middle of the substep (m).
    pub gap: f64,
    /// e.
    pub restitution: f64,
    /// μ of sliding.
    pub friction: f64,
}

/// What impacts did.
#[derive(Debug, Clone, Default)]
pub(crate) struct Blow {
    /// The change of the velocities of each body.
    pub kicks: Vec<Velocity>,
    /// Impulses (N s) of each contact.
    pub impulses: Vec<Vec3>,
    /// Impulses (N s or N m s) of each equation.
    pub equalities: Vec<f64>,
    /// Which contacts took part.
    pub struck: Vec<bool>,
    /// Iterations of solvers.
    pub iterations: u64,
    /// Whether contacts approached each other after the last round.
    pub is_open: bool,
}

/// Finds the rebound of contacts that approach faster than `resting` (m/s) and meet within the second half of a substep of `h` (s), with
/// bodies at the velocities `before` in the middle of it.
///
/// Newton's law is u_N⁺ = −e u_N⁻. With reflections it holds for one set of approaching contacts after another, until none approaches.
pub(crate) fn rebound(
    (mobilities, before): (&[Mobility], &[Velocity]),
    (blocks, collisions): (&[Block], &[Collision]),
    equalities: &[Equality],
    (resting, h): (f64, f64),
    config: &Config,
    goal: &Goal,
) -> Option<Blow> {
    let approach = |i: usize, velocities: &[Velocity]| {
        let block = &blocks[i];
        block.ends.velocity(&block.axes[0], |body| velocities[body])
    };
    let meets = |i: usize, velocities: &[Velocity]| {
        let u = approach(i, velocities);
        u < -resting && collisions[i].gap + 0.5 * h * u <= 0.0
    };
    let n = collisions.len();
    if !(0..n).any(|i| collisions[i].restitution > 0.0 && meets(i, before)) {
        return None;
    }
    let rigid: Vec<Equality> = equalities
        .iter()
        .filter(|row| row.softness == 0.0 && row.most == f64::INFINITY)
        .map(|row| Equality { target: row.ends.velocity(&row.axis, |body| before[body]), ..*row })
        .collect();
    let mut blow = Blow {
        kicks: vec![Velocity::default(); mobilities.len()],
        impulses: vec![Vec3::zeros(); blocks.len()],
        equalities: vec![0.0; equalities.len()],
        struck: vec![false; blocks.len()],
        ..Blow::default()
    };
    let mut velocities = before.to_vec();
    for round in 0..ROUNDS {
        let takes_part: Vec<usize> = match config.impacts {
            Impacts::Reflections => (0..n).filter(|&i| meets(i, &velocities)).collect(),
            Impacts::Newton if round == 0 => {
                (0..n).filter(|&i| collisions[i].gap <= 0.0 || meets(i, &velocities)).collect()
            }
            Impacts::Newton => Vec::new(),
        };
        if takes_part.is_empty() {
            return Some(blow);
        }
        let solve = |share: f64| {
            let some: Vec<Block> = takes_part
                .iter()
                .map(|&i| {
                    let u = approach(i, &velocities);
                    let e = if u < -resting { share * collisions[i].restitution } else { 0.0 };
                    let (cone, target) =
                        (Cone::Friction(collisions[i].friction), Vec3::x() * (-e * u).max(0.0));
                    Block { cone, target, softness: 0.0, ..blocks[i].clone() }
                })
                .collect();
            let mechanics = Mechanics { mobilities, free: &velocities, equalities: &rigid, blocks: &some };
            let found = mechanics.solve(&vec![Vec3::zeros(); some.len()], config, goal);
            let gain = gain(&some, &found, &velocities);
            (found, gain)
        };
        let found = without_gain(solve);
        blow.iterations += found.iterations;
        for (&i, r) in takes_part.iter().zip(&found.blocks) {
            blow.impulses[i] += r;
            blow.struck[i] |= r.x > 0.0;
        }
        let is_rigid = |row: &&Equality| row.softness == 0.0 && row.most == f64::INFINITY;
        let places = (0..equalities.len()).filter(|&i| is_rigid(&&equalities[i]));
        for (place, lambda) in places.zip(&found.equalities) {
            blow.equalities[place] += lambda;
        }
        for (body, kick) in found.kicks.iter().enumerate() {
            blow.kicks[body].linear += kick.linear;
            blow.kicks[body].angular += kick.angular;
            velocities[body].linear += kick.linear;
            velocities[body].angular += kick.angular;
        }
    }
    blow.is_open = true;
    Some(blow)
}

/// The energy (J) that the impulses of blocks give to the bodies: ½ Σ r · (u⁻ + u⁺).
fn gain(blocks: &[Block], found: &Impulses, before: &[Velocity]) -> f64 {
    let mean = |body: usize| Velocity {
        linear: before[body].linear + 0.5 * found.kicks[body].linear,
        angular: before[body].angular + 0.5 * found.kicks[body].angular,
    };
    blocks.iter().zip(&found.blocks).map(|(block, r)| r.dot(&block.velocity(mean))).sum()
}

/// The impulses with the largest share of restitution that makes no energy, given what `solve` finds with a share and its gain.
///
/// Newton's law with friction can make energy: friction turns the velocity that rebounds \[Kane1985\]. Without restitution it does not, since r · û =
/// 0 and r · u⁺ ≤ 0 leave −½ rᵀ W r; so there is a share in between that makes none.
fn without_gain(solve: impl Fn(f64) -> (Impulses, f64)) -> Impulses {
    let (whole, most) = solve(1.0);
    if most <= 0.0 {
        return whole;
    }
    let (mut best, mut least) = solve(0.0);
    let (mut low, mut high, mut most) = (0.0, 1.0, most);
    for _ in 0..SEARCH {
        let between = low + (high - low) * (least / (least - most)).clamp(0.1, 0.9);
        let (found, gain) = solve(between);
        if gain <= 0.0 {
            (best, low, least) = (found, between, gain);
        } else {
            (high, most) = (between, gain);
        }
        if high - low < 1e-6 {
            break;
        }
    }
    best
}
