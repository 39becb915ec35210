//! Impacts: the velocities with which contacts leave each other.

use crate::solver::{AcceleratedGradient, Admm, GaussSeidel, Goal, InteriorPoint, Newton, Relay, Solver};
use crate::{Cone, Delassus, Law, Mat3, Problem, Vec3};

/// Maximum number of rounds of reflections.
const ROUNDS: u32 = 100;

/// Maximum number of shares of restitution that are tried where the whole would make energy.
const SEARCH: u32 = 30;

/// Contacts that meet, some of which approach each other.
///
/// ```
/// use rigor_nonsmooth::{Delassus, Impact, Mat3, Vec3};
/// // A row of three balls of 1 kg; the first comes with 1 m/s. Contacts are between neighbours, normals point to the first of them.
/// let (one, half) = (Mat3::identity(), -0.5 * Mat3::identity());
/// let delassus = Delassus::new(2, vec![(0, 0, 2.0 * one), (1, 1, 2.0 * one), (0, 1, 2.0 * half), (1, 0, 2.0 * half)]);
/// let impact = Impact {
///     delassus: &delassus,
///     velocities: &[-Vec3::x(), Vec3::zeros()],
///     restitution: &[1.0, 1.0],
///     friction: &[0.0, 0.0],
///     resting: 1e-3,
/// };
/// // The blow passes through: both contacts get an impulse of 1 N s.
/// let blow = impact.reflect();
/// assert!(blow.impulses.iter().all(|r| (r - Vec3::x()).norm() < 1e-6));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Impact<'a> {
    /// W (1/kg): u⁺ = u⁻ + W r.
    pub delassus: &'a Delassus,
    /// u⁻ (m/s) of each contact, the normal first.
    pub velocities: &'a [Vec3],
    /// e of each contact.
    pub restitution: &'a [f64],
    /// μ of each contact.
    pub friction: &'a [f64],
    /// Speed (m/s) of approach up to which contacts do not rebound.
    pub resting: f64,
}

/// What impacts did.
#[derive(Debug, Clone)]
pub struct Blow {
    /// r (N s) of each contact.
    pub impulses: Vec<Vec3>,
    /// Rounds of reflections.
    pub rounds: u32,
    /// Whether contacts approached each other after the last round.
    pub is_open: bool,
    /// Largest residual of a round, over its largest velocity times √m.
    pub residual: f64,
}

/// Number of contacts up to which a round is solved by interior points, and by Newton's method.
const SMALL: usize = 60;
const MEDIUM: usize = 300;

/// Residual to which each round is to be solved.
const TOLERANCE: f64 = 1e-9;

/// Iterations of a problem, and of those after one that they did not solve: what is hard once is hard for each share of restitution and in each round.
const ITERATIONS: u64 = 10_000;
const LATER_ITERATIONS: u64 = 300;

impl Impact<'_> {
    /// Finds the impulses: one set of approaching contacts after another rebounds by Newton's law, u_N⁺ = −e u_N⁻ with Coulomb's friction, until
    /// none approaches faster than `resting`; then all are left with u_N ≥ 0.
    ///
    /// Newton's law with friction can make energy \[Kane1985\]. The share of e is then the largest that makes none.
    ///
    /// Source: the generalized reflections of \[Smith2012\].
    ///
    /// # Panics
    /// If the parts have different sizes.
    pub fn reflect(&self) -> Blow {
        let n = self.delassus.len();
        assert!(
            self.velocities.len() == n && self.restitution.len() == n && self.friction.len() == n,
            "parts of different sizes"
        );
        let mut blow = Blow { impulses: vec![Vec3::zeros(); n], rounds: 0, is_open: false, residual: 0.0 };
        let mut u = self.velocities.to_vec();
        loop {
            let set: Vec<usize> = (0..n).filter(|&i| u[i].x < -self.resting).collect();
            if set.is_empty() {
                break;
            }
            if blow.rounds == ROUNDS {
                blow.is_open = true;
                break;
            }
            blow.rounds += 1;
            let part = Part::new(self, &set, &u);
            let r = part.without_gain(&mut blow.residual);
            self.add(&mut blow, &mut u, &set, &r);
        }
        let all: Vec<usize> = (0..n).collect();
        if u.iter().any(|u| u.x < 0.0) {
            let r = Part::new(self, &all, &u).solve(0.0, &mut blow.residual).0;
            self.add(&mut blow, &mut u, &all, &r);
        }
        blow
    }

    fn add(&self, blow: &mut Blow, u: &mut [Vec3], set: &[usize], r: &[Vec3]) {
        let mut more = vec![Vec3::zeros(); u.len()];
        for (&i, r) in set.iter().zip(r) {
            more[i] = *r;
            blow.impulses[i] += r;
        }
        for (i, u) in u.iter_mut().enumerate() {
            *u += self.delassus.row_product(i, &more);
        }
    }
}

/// Some of the contacts, each in units in which its own inverse mass is 1, and velocities in units of the largest.
struct Part {
    delassus: Delassus,
    /// u⁻.
    before: Vec<Vec3>,
    restitution: Vec<f64>,
    cones: Vec<Cone>,
    /// Unit of the impulses of each (N s).
    units: Vec<f64>,
}

impl Part {
    fn new(impact: &Impact<'_>, set: &[usize], u: &[Vec3]) -> Self {
        let place = |j: usize| set.binary_search(&j).ok();
        let weight = |i: usize| {
            let w: &Mat3 = impact.delassus.diagonal(i);
            1.0 / (w.trace() / 3.0).max(f64::MIN_POSITIVE).sqrt()
        };
        let weights: Vec<f64> = set.iter().map(|&i| weight(i)).collect();
        let largest = set.iter().zip(&weights).map(|(&i, d)| d * u[i].norm()).fold(0.0, f64::max);
        let largest = if largest > 0.0 { largest } else { 1.0 };
        let mut blocks = Vec::new();
        for (a, &i) in set.iter().enumerate() {
            for (j, block) in impact.delassus.row(i) {
                if let Some(b) = place(j) {
                    blocks.push((a, b, block * (weights[a] * weights[b])));
                }
            }
        }
        Self {
            delassus: Delassus::new(set.len(), blocks),
            before: set.iter().zip(&weights).map(|(&i, d)| u[i] * (d / largest)).collect(),
            restitution: set
                .iter()
                .map(|&i| if u[i].x < -impact.resting { impact.restitution[i] } else { 0.0 })
                .collect(),
            cones: set.iter().map(|&i| Cone::Friction(impact.friction[i])).collect(),
            units: weights.iter().map(|d| d * largest).collect(),
        }
    }

    /// The impulses (N s) with this `share` of e, and the energy that they give, in units of its own: Σ r · (u⁻ + ½ W r).
    fn solve(&self, share: f64, residual: &mut f64) -> (Vec<Vec3>, f64) {
        let q = self.before.iter().zip(&self.restitution);
        let q = q.map(|(u, e)| u + Vec3::x() * (share * e * u.x).min(0.0)).collect();
        let problem = Problem::trusted(self.delassus.clone(), q, self.cones.clone());
        let iterations = if *residual > TOLERANCE { LATER_ITERATIONS } else { ITERATIONS };
        let goal = Goal { tolerance: TOLERANCE, iterations, ..Goal::default() };
        let start = vec![Vec3::zeros(); self.before.len()];
        let found = solver(self.before.len()).solve(&problem, &Law::Coulomb, &start, &goal);
        *residual = residual.max(found.residual);
        // The last iterate may be outside of its cone by the residual.
        let r: Vec<Vec3> = found.r.iter().zip(&self.cones).map(|(r, cone)| cone.project(r)).collect();
        let given =
            (0..r.len()).map(|i| r[i].dot(&(self.before[i] + 0.5 * self.delassus.row_product(i, &r))));
        let given = given.sum();
        (r.iter().zip(&self.units).map(|(r, unit)| r * *unit).collect(), given)
    }

    /// The impulses with the largest share of restitution that makes no energy.
    ///
    /// Without restitution none is made, since r · û = 0 and r · u⁺ ≤ 0 leave −½ rᵀ W r; so there is a share in between that makes none.
    fn without_gain(&self, residual: &mut f64) -> Vec<Vec3> {
        let (whole, mut most) = self.solve(1.0, residual);
        if most <= 0.0 {
            return whole;
        }
        let (mut best, mut least) = self.solve(0.0, residual);
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..SEARCH {
            let between = low + (high - low) * (least / (least - most)).clamp(0.1, 0.9);
            let (found, gain) = self.solve(between, residual);
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
}

/// What solves a round of so many contacts: what is quick first.
fn solver(contacts: usize) -> Relay {
    let newton = || Box::new(Newton { sweeps: 0, ..Newton::default() });
    let sweeps = || Box::new(GaussSeidel { symmetric: true });
    let mut stages: Vec<(Box<dyn Solver>, u64)> = vec![(sweeps(), 30)];
    if contacts <= MEDIUM {
        stages.push((newton(), 40));
    }
    if contacts <= SMALL {
        stages.push((Box::new(InteriorPoint::default()), 150));
    }
    stages.push((Box::new(AcceleratedGradient), 500));
    if contacts <= MEDIUM {
        stages.push((newton(), 60));
    }
    stages.push((Box::new(Admm::default()), 1500));
    stages.push((sweeps(), 2000));
    Relay { stages }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contacts of one body of mass 1 and inertia `i` (2-D, about z) at these levers, with normals +x.
    fn body(levers: &[Vec3], inertia: f64) -> Delassus {
        let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
        let turn = |lever: &Vec3, n: &Vec3| lever.cross(n).z;
        let mut blocks = Vec::new();
        for (i, a) in levers.iter().enumerate() {
            for (j, b) in levers.iter().enumerate() {
                let entry = |r: usize, c: usize| {
                    axes[r].dot(&axes[c]) + turn(a, &axes[r]) * turn(b, &axes[c]) / inertia
                };
                blocks.push((i, j, Mat3::from_fn(entry)));
            }
        }
        Delassus::new(levers.len(), blocks)
    }

    fn energy_given(delassus: &Delassus, u: &[Vec3], r: &[Vec3]) -> f64 {
        (0..u.len()).map(|i| r[i].dot(&(u[i] + 0.5 * delassus.row_product(i, r)))).sum()
    }

    #[test]
    fn one_contact_rebounds_by_newtons_law() {
        let delassus = Delassus::new(1, vec![(0, 0, 2.0 * Mat3::identity())]);
        let rebound = |e: f64, speed: f64| {
            let impact = Impact {
                delassus: &delassus,
                velocities: &[Vec3::new(-speed, 0.3, 0.0)],
                restitution: &[e],
                friction: &[0.0],
                resting: 0.1,
            };
            -speed + 2.0 * impact.reflect().impulses[0].x
        };
        assert!((rebound(0.6, 2.0) - 1.2).abs() < 1e-8);
        assert!((rebound(1.0, 2.0) - 2.0).abs() < 1e-8);
        // Too slow to rebound, but it stops.
        assert!(rebound(1.0, 0.05).abs() < 1e-8);
    }

    #[test]
    fn a_box_that_lands_flat_rebounds_flat() {
        let levers = [Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, -1.0, 0.0)];
        let delassus = body(&levers, 0.4);
        let impact = Impact {
            delassus: &delassus,
            velocities: &[-Vec3::x(); 2],
            restitution: &[0.5; 2],
            friction: &[0.3; 2],
            resting: 1e-3,
        };
        let blow = impact.reflect();
        for i in 0..2 {
            let after = -1.0 + delassus.row_product(i, &blow.impulses).x;
            assert!((after - 0.5).abs() < 1e-7, "{after}");
        }
        assert!(!blow.is_open && blow.rounds == 1);
    }

    #[test]
    fn friction_does_not_make_energy_of_restitution() {
        // Rods at many angles that slide and spin, with e = 1 and μ = 0.6.
        let mut limited = 0;
        for k in 0..200_u32 {
            let angle = f64::from(k) * 0.0157 - 1.57;
            let lever = Vec3::new(
                rigor_math::elementary::sin_cos(angle).0,
                rigor_math::elementary::sin_cos(angle).1,
                0.0,
            );
            let delassus = body(&[lever], 1.0 / 3.0);
            let u = [Vec3::new(-1.0, 0.4 * (f64::from(k % 7) - 3.0), 0.0)];
            let impact = Impact {
                delassus: &delassus,
                velocities: &u,
                restitution: &[1.0],
                friction: &[0.6],
                resting: 1e-3,
            };
            let blow = impact.reflect();
            let given = energy_given(&delassus, &u, &blow.impulses);
            assert!(given < 1e-6 * u[0].norm_squared(), "{k}: {given} J");
            let after = u[0].x + delassus.row_product(0, &blow.impulses).x;
            limited += u32::from(after < 0.999);
        }
        assert!(limited > 10, "{limited} cases need the limit");
    }
}
