//! Block solver: the contacts of two bodies solved together.
//!
//! Gauss–Seidel over single contacts gives the first corner of a resting box nearly all its weight and the
//! last one none, which rotates and shifts the box a little in every substep. Here the contacts of a pair
//! form one problem, linear in the motion of the two bodies: find λ ≥ 0 and ‖λ_t‖ ≤ μ λ such that no contact
//! overlaps and none slips that could hold. Pairs are solved one after another, as single contacts were.
//!
//! An overlap left by an earlier substep is excluded from this problem, and so is a gap at a resting contact.
//! If they were corrected here, the correction would become a velocity, which friction would turn sideways,
//! and stacks would fall over. They are removed at the end of the substep by [`stabilize`](Block::stabilize),
//! which changes poses only \[Macklin2014, §4.4\]. λ is then the pure contact force and can be carried from
//! substep to substep.

use rigor_math::{Mat3, Vec3, fused};
use rigor_scene::Friction;

use crate::body::SolverBody;
use crate::contact::Contact;
use crate::contact::energy::PairImpulse;
use crate::contact::frames::PairFrames;
use crate::contact::mobility::{Mobility, Motion, Sum};
use crate::contact::pair::Pair;
use crate::contact::settled::TOLERANCE;

/// Settings and scratch memory of the solver.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// Maximum sweeps over the contacts of one pair. The next substep continues from what they leave.
    pub sweeps: u32,
    rows: Vec<Row>,
    /// λ_n, λ_t of each row.
    lambda: Vec<(f64, Vec3)>,
    /// Mobilities of the rows of the velocity solve.
    mobilities: Vec<Mobility>,
}

/// A contact, linearised about the current poses.
#[derive(Debug)]
struct Row {
    n: Vec3,
    /// (1 − n nᵀ) K n (1/kg).
    kn_t: Vec3,
    /// 1/(nᵀ K n) (kg); 0 where the bodies [do not yield](Mobility::yields) along n.
    mass_n: f64,
    /// Value that the relative motion along n must cancel: C (m) for positions, v_n less its target (m/s) for
    /// velocities.
    c: f64,
    /// Tangential motion of a against b that friction opposes: Δp_t (m) since the substep began, or velocity
    /// (m/s).
    slip_t: Vec3,
    /// Lower bound of λ_n: 0, or −∞ if the contact may also pull.
    least: f64,
}

impl Row {
    fn new(mobility: &Mobility, n: Vec3, c: f64, slip: Vec3) -> Self {
        let kn = fused::mul(&mobility.k, &n);
        let w = n.dot(&kn);
        let mass_n = if w > mobility.least_yield() { 1.0 / w } else { 0.0 };
        Self { n, kn_t: kn - w * n, mass_n, c, slip_t: slip - slip.dot(&n) * n, least: 0.0 }
    }

    /// Allows negative multipliers if `pulls`.
    fn pulling(self, pulls: bool) -> Self {
        Self { least: if pulls { f64::NEG_INFINITY } else { 0.0 }, ..self }
    }

    /// Returns the new λ_n = max(λ_n − C/(nᵀ K n), `least`) under the relative motion `u_n` (m or m/s) along
    /// n.
    #[inline]
    fn update(&self, u_n: f64, lambda_n: f64) -> f64 {
        (lambda_n - (self.c + u_n) * self.mass_n).max(self.least)
    }

    /// Returns λ_t that cancels the slip under the relative motion `u_t` (m or m/s) across n if it lies in
    /// the cone of μ_s; otherwise that λ_t scaled down to μ_d λ_n.
    #[inline]
    fn hold(&self, k: &Mat3, u_t: &Vec3, (lambda_n, lambda_t): (f64, &Vec3), friction: Friction) -> Vec3 {
        let slip_t = self.slip_t + u_t;
        let w = slip_t.dot(&fused::mul(k, &slip_t));
        let undo = if w > 0.0 { slip_t * (slip_t.norm_squared() / w) } else { Vec3::zeros() };
        let mut next = lambda_t - undo;
        let norm_sq = next.norm_squared();
        let held = friction.static_ * lambda_n;
        if norm_sq > held * held {
            next *= friction.dynamic * lambda_n / norm_sq.sqrt();
        }
        next
    }
}

impl Block {
    /// Creates scratch memory for at most `sweeps` sweeps.
    pub fn new(sweeps: u32) -> Self {
        Self { sweeps, ..Self::default() }
    }

    /// Solves the positions of one pair: no contact approaches, and no contact slips that can hold.
    ///
    /// Source: \[Mueller2020\] §3.4 for the constraints, C = (p_a − p_b)·n ≥ 0 and Δp_t = 0 within the
    /// friction cone. Deviations: the contacts of a pair are solved together; C excludes the part of C_prev
    /// that is [left](Contact::left); multipliers may shrink back to 0, as complementarity demands; a contact
    /// that cannot hold slides under μ_d λ_n at once, which is the impulse μ_d f_n h that the source applies
    /// to the velocities.
    ///
    /// Returns whether the sweeps converged.
    pub fn solve_pair(&mut self, pair: &mut Pair, a: &mut SolverBody, b: &mut SolverBody) -> bool {
        let placed = PairFrames::new(a, b);
        self.rows.clear();
        self.rows.extend(pair.contacts.iter_mut().map(|contact| position_row(contact, &placed)));
        if pair.contacts.iter().zip(&self.rows).all(|(c, row)| row.c >= 0.0 && c.lambda_n == 0.0) {
            return true;
        }
        self.start(pair.contacts.iter().map(|c| (c.lambda_n, c.lambda_t)));
        let is_solved = self.sweep(&pair.contacts, pair.law.friction);
        let mut sum = Sum::default();
        for ((contact, row), (lambda_n, lambda_t)) in
            pair.contacts.iter_mut().zip(&self.rows).zip(&self.lambda)
        {
            let p = (lambda_n - contact.lambda_n) * row.n + (lambda_t - contact.lambda_t);
            sum.add(&contact.mobility, &p);
            (contact.lambda_n, contact.lambda_t) = (*lambda_n, *lambda_t);
        }
        sum.apply(a, b);
        is_solved
    }

    /// Solves the velocities of one pair: the normal velocity of every contact that is `taken_in` becomes −e
    /// v̄_n, and friction acts on the impulse that this takes.
    ///
    /// Source: \[Mueller2020\] §3.5. Deviations: the contacts of a pair are solved together, for the sum of
    /// the impulses λ/h of the positions and those of the velocities, so that none pulls and none leaves its
    /// cone. The source applies friction to λ_n alone, so that a body slides freely during the part of its
    /// landing that closes the last gap.
    pub fn solve_velocities(
        &mut self,
        pair: &mut Pair,
        (a, b): (&mut SolverBody, &mut SolverBody),
        taken_in: impl Fn(&Contact) -> bool,
        (resting_speed, h): (f64, f64),
    ) -> Velocities {
        self.rows.clear();
        self.mobilities.clear();
        for contact in pair.contacts.iter().filter(|c| taken_in(c)) {
            let target = contact.rebound(pair.law.restitution, resting_speed);
            let (mobility, row) = velocity_row(contact, a, b, target);
            self.mobilities.push(mobility);
            self.rows.push(row);
        }
        self.start(pair.contacts.iter().filter(|c| taken_in(c)).map(|c| c.impulses(h)));
        let mobilities = std::mem::take(&mut self.mobilities);
        self.sweep(&mobilities, pair.law.friction);
        let mut blow = PairImpulse::default();
        let rows = || mobilities.iter().zip(&self.rows).zip(&self.lambda);
        let contacts = pair.contacts.iter().filter(|c| taken_in(c));
        for (contact, ((mobility, row), (lambda_n, lambda_t))) in contacts.zip(rows()) {
            let (before_n, before_t) = contact.impulses(h);
            blow.add(&mobility.r_a, &mobility.r_b, &((lambda_n - before_n) * row.n + (lambda_t - before_t)));
        }
        let mut done = Velocities { work: blow.work(a, b).iter().sum(), ..Velocities::default() };
        blow.apply(a, b);
        pair.budget.blow.extend(&blow);
        let contacts = pair.contacts.iter_mut().filter(|c| taken_in(c));
        for (contact, (_, (lambda_n, lambda_t))) in contacts.zip(rows()) {
            let (before_n, before_t) = contact.impulses(h);
            let (p_n, p_t) = (lambda_n - before_n, lambda_t - before_t);
            contact.normal_impulse += p_n;
            contact.friction_impulse += p_t;
            done.change = done.change.max(p_n.abs()).max(p_t.norm());
            done.largest = done.largest.max(lambda_n.abs());
        }
        self.mobilities = mobilities;
        done
    }

    /// Removes what overlap remains of a pair: that deeper than the slop, and gaps wider than it where resting
    /// surfaces push. Only poses change; velocities stay.
    ///
    /// Source: \[Macklin2014\] §4.4, done after the substep instead of before the next.
    pub fn stabilize(&mut self, pair: &Pair, a: &mut SolverBody, b: &mut SolverBody) {
        let placed = PairFrames::new(a, b);
        let distance = |contact: &Contact| {
            let (gap, n) = placed.gap(contact);
            let c = gap.dot(&n);
            (n, c, contact.left > 0.0 && contact.lambda_n > 0.0 && c > pair.detection.margins.slop)
        };
        if pair
            .contacts
            .iter()
            .map(distance)
            .all(|(_, c, is_apart)| c >= -pair.detection.margins.slop && !is_apart)
        {
            return;
        }
        self.rows.clear();
        self.rows.extend(pair.contacts.iter().map(|contact| {
            let (n, c, is_apart) = distance(contact);
            let c = if is_apart { c - pair.detection.margins.slop } else { c + pair.detection.margins.slop };
            Row::new(&contact.mobility, n, c, Vec3::zeros()).pulling(is_apart)
        }));
        self.start(std::iter::repeat_n((0.0, Vec3::zeros()), self.rows.len()));
        self.sweep(&pair.contacts, Friction::uniform(0.0));
        let mut sum = Sum::default();
        for ((contact, row), (lambda_n, _)) in pair.contacts.iter().zip(&self.rows).zip(&self.lambda) {
            sum.add(&contact.mobility, &(*lambda_n * row.n));
        }
        sum.apply(a, b);
    }

    /// Starts from these multipliers, split again along and across the current normals.
    fn start(&mut self, lambda: impl Iterator<Item = (f64, Vec3)>) {
        self.lambda.clear();
        self.lambda.extend(lambda.zip(&self.rows).map(|((lambda_n, lambda_t), row)| {
            let along = lambda_t.dot(&row.n);
            (lambda_n + along, lambda_t - along * row.n)
        }));
    }

    /// Runs projected Gauss–Seidel over the rows, from the current multipliers, whose effect is already in
    /// the poses. Returns whether it converged.
    fn sweep(&mut self, points: &[impl AsRef<Mobility>], friction: Friction) -> bool {
        let slides_freely = friction.static_ == 0.0 && friction.dynamic == 0.0;
        let mut motion = Motion::default();
        for _ in 0..self.sweeps {
            let (mut change_sq, mut largest) = (0.0_f64, 0.0_f64);
            for ((point, row), (lambda_n, lambda_t)) in points.iter().zip(&self.rows).zip(&mut self.lambda) {
                let mobility = point.as_ref();
                let u = motion.at(mobility);
                let u_n = u.dot(&row.n);
                let next_n = row.update(u_n, *lambda_n);
                let step = next_n - *lambda_n;
                *lambda_n = next_n;
                let mut p = step * row.n;
                if !slides_freely && (next_n != 0.0 || *lambda_t != Vec3::zeros()) {
                    let u_t = (u - u_n * row.n) + step * row.kn_t;
                    let next_t = row.hold(&mobility.k, &u_t, (next_n, lambda_t), friction);
                    p += next_t - *lambda_t;
                    *lambda_t = next_t;
                }
                let p_sq = p.norm_squared();
                if p_sq != 0.0 {
                    motion.push(mobility, &p);
                }
                change_sq = change_sq.max(p_sq);
                largest = largest.max(next_n.abs());
            }
            if change_sq <= TOLERANCE * TOLERANCE * largest * largest {
                return true;
            }
        }
        false
    }
}

/// Result of a velocity solve of one pair.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Velocities {
    /// Energy (J) added to the bodies.
    pub work: f64,
    /// Maximum change of an impulse (N s).
    pub change: f64,
    /// Maximum impulse (N s).
    pub largest: f64,
}

fn position_row(contact: &mut Contact, placed: &PairFrames) -> Row {
    let (gap, n) = placed.gap(contact);
    let c = gap.dot(&n);
    contact.distance = contact.distance.min(c);
    Row::new(&contact.mobility, n, c - contact.left, gap - contact.gap_prev)
}

fn velocity_row(contact: &Contact, a: &SolverBody, b: &SolverBody, target: f64) -> (Mobility, Row) {
    let n = contact.normal(a, b);
    let point = contact.point(a, b);
    let v = a.velocity_at(&point) - b.velocity_at(&point);
    let mobility = Mobility::new(a, b, point - a.pose.position, point - b.pose.position);
    (mobility, Row::new(&mobility, n, v.dot(&n) - target, v))
}
