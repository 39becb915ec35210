//! Impacts that pass through touching bodies, one pair after another.
//!
//! Where an impact reaches bodies that touch others, "all contacts at once" has no unique answer: the row of Newton's
//! cradle fans out, and a tenth of the energy is lost. The law here is that of \[Mueller2020\] §3.5 for one pair,
//! v_n ← −e v_n, applied to the pair that approaches fastest, again and again until no pair approaches. For equal
//! spheres with e = 1 each impact exchanges the velocities of its pair: n balls in, n balls out. An impact without
//! friction changes the energy by −½ (1 − e²) v_n²/w ≤ 0, w = nᵀ K n, and keeps the momentum.

use rigor_math::Vec3;

use super::block::Block;
use super::impact::ImpactRule;
use crate::body::{SolverBody, two};
use crate::contact::Contact;
use crate::contact::energy::PairImpulse;
use crate::contact::pair::Pair;
use crate::joint::Joints;

/// Maximum impacts per pair.
const ROUNDS: usize = 200;

/// Approach speeds within this part of the fastest count as equally fast, so that what is symmetric stays so.
const TIE: f64 = 1e-9;

/// Approach speed, over the fastest at the start, below which pairs do not approach.
const STILL: f64 = 1e-12;

/// Maximum sweeps over the pairs of one impact: those that are equally fast, each with its contacts.
const SWEEPS: usize = 100;

/// Relative change of impulses below which these sweeps stop.
const CONVERGED: f64 = 1e-10;

/// Takes the impulses of the position solve of `pair` back from the velocities of its bodies. What its contacts have
/// [received](Contact::impulses) is then 0.
pub(super) fn undo(pair: &mut Pair, bodies: &mut [SolverBody], h: f64) {
    let (a, b) = two(bodies, pair.a.0, pair.b.0);
    let mut given = PairImpulse::default();
    for contact in &mut pair.contacts {
        let (normal, friction) = contact.impulses(h);
        let point = contact.point(a, b);
        let (r_a, r_b) = (point - a.pose.position, point - b.pose.position);
        given.add(&r_a, &r_b, &-(normal * contact.normal(a, b) + friction));
        reset(contact, h);
    }
    given.apply(a, b);
}

/// Sets the impulses that a contact has received to 0.
fn reset(contact: &mut Contact, h: f64) {
    contact.normal_impulse = -contact.lambda_n / h;
    contact.friction_impulse = -contact.lambda_t / h;
}

/// Gives the bodies of `group` velocities that their rigid joints allow. Returns the energy (J) that this adds, at
/// most 0.
pub(super) fn hold(
    joints: &mut Joints,
    bodies: &mut [SolverBody],
    group: impl Fn(usize) -> bool,
    h: f64,
) -> f64 {
    let (mut work, mut first) = (0.0, None);
    for _ in 0..SWEEPS {
        let done = joints.hold_velocities(bodies, &group, h);
        work += done.work;
        if done.change <= CONVERGED * *first.get_or_insert(done.change) {
            break;
        }
    }
    work
}

/// The bodies among which an impact passes: pairs in contact, by index, and what holds the bodies.
pub(super) struct Passage<'a, G> {
    pub members: &'a [usize],
    pub joints: &'a mut Joints,
    pub group: G,
}

/// Lets the pairs `members` of `pairs` collide until none approaches. Returns the energy (J) that this adds. Each
/// contact then has the sum of its impulses in `normal_impulse` and `friction_impulse`.
///
/// In each impact rigid joints keep holding: pair and joints are swept until they agree, so that an impact with e = 1
/// along an oblique normal keeps the energy of bodies on hinges too, as (u⁺ + u⁻)/2 is 0 along n and along the joints.
///
/// Source: \[Mueller2020\] §3.5, for each impact. An approach no faster than 2‖g‖h ends with e = 0.
pub(super) fn collide<G: Fn(usize) -> bool>(
    block: &mut Block,
    pairs: &mut [Pair],
    passage: Passage<'_, G>,
    bodies: &mut [SolverBody],
    rule: ImpactRule,
) -> f64 {
    let Passage { members, joints, group } = passage;
    let mut sums: Vec<Vec<(f64, Vec3)>> =
        members.iter().map(|&i| vec![(0.0, Vec3::zeros()); pairs[i].contacts.len()]).collect();
    let (mut work, mut still) = (0.0, 0.0);
    for round in 0..ROUNDS * members.len() {
        let speeds: Vec<f64> = members.iter().map(|&i| approach(&pairs[i], bodies)).collect();
        let fastest = speeds.iter().copied().fold(0.0, f64::max);
        if round == 0 {
            still = STILL * fastest;
        }
        if fastest <= still {
            break;
        }
        // What ends with e = 0 has no order.
        let is_slow = fastest <= rule.resting_speed;
        let is_hit = |k: &usize| is_slow || speeds[*k] >= (1.0 - TIE) * fastest;
        let hit: Vec<usize> = (0..members.len()).filter(is_hit).collect();
        for &k in &hit {
            set_approach(&mut pairs[members[k]], bodies);
        }
        for _ in 0..SWEEPS {
            let (mut change, mut largest) = (0.0_f64, 0.0_f64);
            for &k in &hit {
                let pair = &mut pairs[members[k]];
                let touched = two(bodies, pair.a.0, pair.b.0);
                let [done, of_pair, impulse] = if is_slow {
                    rule.solve(block, pair, touched, true)
                } else {
                    rule.collide(block, pair, touched)
                };
                work += done;
                (change, largest) = (change.max(of_pair), largest.max(impulse));
            }
            let held = joints.hold_velocities(bodies, &group, rule.h);
            work += held.work;
            if change <= CONVERGED * largest && held.change <= CONVERGED * fastest {
                break;
            }
        }
        for &k in &hit {
            for (contact, sum) in pairs[members[k]].contacts.iter_mut().zip(&mut sums[k]) {
                let (normal, friction) = contact.impulses(rule.h);
                *sum = (sum.0 + normal, sum.1 + friction);
                reset(contact, rule.h);
            }
        }
    }
    for (&i, sums) in members.iter().zip(sums) {
        for (contact, sum) in pairs[i].contacts.iter_mut().zip(sums) {
            (contact.normal_impulse, contact.friction_impulse) = sum;
        }
    }
    work
}

/// Takes what the position solve gave to the contacts of `pair` off their sums, which leaves what was added to it.
pub(super) fn subtract_positions(pair: &mut Pair, h: f64) {
    for contact in &mut pair.contacts {
        contact.normal_impulse -= contact.lambda_n / h;
        contact.friction_impulse -= contact.lambda_t / h;
    }
}

/// Returns the greatest speed (m/s, ≥ 0) at which contacts of `pair` that pushed approach.
fn approach(pair: &Pair, bodies: &[SolverBody]) -> f64 {
    let (a, b) = (&bodies[pair.a.0], &bodies[pair.b.0]);
    let pushed = pair.contacts.iter().filter(|c| c.lambda_n > 0.0);
    pushed.map(|contact| -normal_velocity(contact, a, b)).fold(0.0, f64::max)
}

/// Makes the present normal velocity of each contact its approach velocity.
fn set_approach(pair: &mut Pair, bodies: &[SolverBody]) {
    let (a, b) = (&bodies[pair.a.0], &bodies[pair.b.0]);
    for contact in &mut pair.contacts {
        contact.approach_velocity = normal_velocity(contact, a, b);
    }
}

/// Returns v_n (m/s); negative when approaching.
fn normal_velocity(contact: &Contact, a: &SolverBody, b: &SolverBody) -> f64 {
    let point = contact.point(a, b);
    (a.velocity_at(&point) - b.velocity_at(&point)).dot(&contact.normal(a, b))
}
