//! Velocities that rigid joints allow, while an impact passes through bodies that they hold.

use nalgebra::{SMatrix, SVector};
use rigor_math::{Vec3, rotation_vector};
use rigor_scene::{HeldRotation, JointKind};

use super::{Joints, SolverJoint, with_bodies};
use crate::body::SolverBody;
use crate::constraint::position::Levers;

/// Eigenvalues of K, over the largest, that count as 0: directions in which the bodies cannot move.
const SINGULAR: f64 = 1e-9;

type Matrix6 = SMatrix<f64, 6, 6>;
type Vector6 = SVector<f64, 6>;

/// What a sweep over joints did.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sweep {
    /// Energy (J) added to the bodies.
    pub work: f64,
    /// Largest change of a velocity (m/s) at a joint's origin, or of an angular velocity times the lever of a to it.
    pub change: f64,
}

/// A direction in which a joint holds its bodies: an impulse along `p` at A's origin and a torque `torque` (world).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub p: Vec3,
    pub torque: Vec3,
}

impl Joints {
    /// Takes back from the velocities what the position solve of this substep gave them by rigid joints of which a body
    /// is in `group`, and whose impulses are known apart from those of drives.
    pub fn undo_impulses(&mut self, bodies: &mut [SolverBody], group: impl Fn(usize) -> bool, h: f64) {
        for joint in self.list.iter_mut().filter(|joint| joint.is_rigid_in(&group)) {
            with_bodies(joint, bodies, &mut self.world, |joint, a, b| joint.undo_impulses(a, b, h));
        }
    }

    /// Gives both bodies of each of these joints velocities that it allows, one joint after another.
    pub fn hold_velocities(
        &mut self,
        bodies: &mut [SolverBody],
        group: impl Fn(usize) -> bool,
        h: f64,
    ) -> Sweep {
        self.hold(bodies, |joint| joint.is_rigid_in(&group), false, h)
    }

    /// The same, with joints that have drives, and with bounds that push.
    pub fn hold_stiff_velocities(
        &mut self,
        bodies: &mut [SolverBody],
        group: impl Fn(usize) -> bool,
        h: f64,
    ) -> Sweep {
        self.hold(bodies, |joint| joint.is_stiff() && joint.is_in(&group), true, h)
    }

    fn hold(
        &mut self,
        bodies: &mut [SolverBody],
        is_held: impl Fn(&SolverJoint) -> bool,
        with_bounds: bool,
        h: f64,
    ) -> Sweep {
        let mut sum = Sweep::default();
        for joint in self.list.iter_mut().filter(|joint| is_held(joint)) {
            with_bodies(joint, bodies, &mut self.world, |joint, a, b| {
                let done = joint.hold_velocities(a, b, with_bounds, h);
                sum = Sweep { work: sum.work + done.work, change: sum.change.max(done.change) };
            });
        }
        sum
    }

    /// Returns the bodies that such joints hold.
    pub fn held(&self) -> impl Iterator<Item = usize> {
        let rigid = self.list.iter().filter(|joint| joint.is_rigid());
        rigid.flat_map(|joint| std::iter::once(joint.a).chain(joint.b))
    }

    /// Returns the ends of each joint that holds something without compliance.
    pub fn stiff(&self) -> impl Iterator<Item = (usize, Option<usize>)> {
        self.list.iter().filter(|joint| joint.is_stiff()).map(|joint| (joint.a, joint.b))
    }

    /// Returns the bodies of each joint that an impact passes through.
    pub fn links(&self) -> impl Iterator<Item = [usize; 2]> {
        let rigid = self.list.iter().filter(|joint| joint.is_rigid());
        rigid.filter_map(|joint| Some([joint.a, joint.b?]))
    }
}

impl SolverJoint {
    /// Whether the joint holds something without compliance.
    pub(super) fn is_stiff(&self) -> bool {
        !self.broken && self.compliance == 0.0 && self.angular_compliance == 0.0
    }

    /// Whether it does so and has no drive.
    fn is_rigid(&self) -> bool {
        let is_driven = self.turn_drive.is_some() || self.slide_drive.is_some();
        self.is_stiff() && !is_driven
    }

    pub(super) fn is_in(&self, group: &impl Fn(usize) -> bool) -> bool {
        group(self.a) || self.b.is_some_and(group)
    }

    fn is_rigid_in(&self, group: &impl Fn(usize) -> bool) -> bool {
        self.is_rigid() && self.is_in(group)
    }

    fn undo_impulses(&mut self, a: &mut SolverBody, b: &mut SolverBody, h: f64) {
        let levers = Levers::now(a, b, &a.point(&self.frame_a.position));
        levers.push(a, b, &(-self.impulse / h));
        turn(a, b, &(-self.angular_impulse / h));
        (self.impulse, self.angular_impulse) = (Vec3::zeros(), Vec3::zeros());
    }

    /// Brings the relative velocity to 0 in all directions that the joint holds, by λ = −(J M⁻¹ Jᵀ)⁻¹ J v. Bounds that push act only
    /// `with_bounds`, and never pull; without them the next substep finds what they take in an impact.
    fn hold_velocities(
        &mut self,
        a: &mut SolverBody,
        b: &mut SolverBody,
        with_bounds: bool,
        h: f64,
    ) -> Sweep {
        let point = a.point(&self.frame_a.position);
        let levers = Levers::now(a, b, &point);
        let (mut rows, n_held) = self.held_rows(a, b, with_bounds);
        let mut bounds = [None; 2];
        let mut n = n_held;
        if with_bounds {
            for (bound, of_joint) in bounds.iter_mut().zip(self.bounds(a, b)) {
                rows[n] = of_joint.row;
                *bound = Some((n, of_joint));
                n += 1;
            }
        }
        let rows = &rows[..n];
        let (linear, angular) =
            (a.velocity_at(&point) - b.velocity_at(&point), a.angular_velocity - b.angular_velocity);
        let mut k = Matrix6::identity();
        let mut u = Vector6::zeros();
        for (j, row) in rows.iter().enumerate() {
            u[j] = row.p.dot(&linear) + row.torque.dot(&angular);
            // The relative motion that a unit impulse in this row causes.
            let of = |body: &SolverBody, r: &Vec3| {
                let turn = body.inverse_inertia * (r.cross(&row.p) + row.torque);
                (body.w.component_mul(&row.p) + turn.cross(r), turn)
            };
            let (on_a, on_b) = (of(a, &levers.a_now), of(b, &levers.b_now));
            for (i, other) in rows.iter().enumerate() {
                k[(i, j)] = other.p.dot(&(on_a.0 + on_b.0)) + other.torque.dot(&(on_a.1 + on_b.1));
            }
        }
        let mut lambda = solved(&k, &u, n);
        // A bound that would pull lets go: its whole impulse becomes 0.
        let (mut left, mut changed) = (k, u);
        while let Some((row, pushed)) = bounds.iter_mut().find_map(|bound| {
            let (row, of_joint) = (*bound)?;
            let pushed = self.pushed(&of_joint, h);
            if (pushed + lambda[row]) * of_joint.side >= 0.0 {
                return None;
            }
            *bound = None;
            self.push_more(&of_joint, -pushed, h);
            Some((row, pushed))
        }) {
            changed -= left.column(row) * pushed;
            left.row_mut(row).fill(0.0);
            left.column_mut(row).fill(0.0);
            (left[(row, row)], changed[row]) = (k[(row, row)], k[(row, row)] * pushed);
            lambda = solved(&left, &changed, n);
        }
        for (row, bound) in bounds.into_iter().flatten() {
            self.push_more(&bound, lambda[row], h);
        }
        let (mut p, mut torque) = (Vec3::zeros(), Vec3::zeros());
        for (row, lambda) in rows.iter().zip(lambda.iter()) {
            p += *lambda * row.p;
            torque += *lambda * row.torque;
        }
        levers.push(a, b, &p);
        turn(a, b, &torque);
        self.impulse += p * h;
        self.angular_impulse += torque * h;
        let arm = levers.a_now.norm();
        let speed = |row: &Row, u: f64| u.abs() * if row.p == Vec3::zeros() { arm } else { 1.0 };
        // What is held ends at J v = 0, so that its work is that of the mean ½ J v. A bound may be left, and then did no work.
        let held = rows[..n_held].iter().zip(u.iter()).map(|(row, u)| speed(row, *u)).fold(0.0, f64::max);
        let by = k * lambda;
        let of_bounds = (n_held..n).map(|i| speed(&rows[i], by[i])).fold(0.0, f64::max);
        let left: f64 = (n_held..n).map(|i| lambda[i] * (u[i] + by[i])).sum();
        Sweep { work: 0.5 * (lambda.dot(&u) + left), change: held.max(of_bounds) }
    }

    /// Whether the slide has one value, rigidly.
    pub(super) fn holds_slide(&self) -> bool {
        let range = self.kind.slide().map(|slide| slide.range);
        range.is_some_and(|range| range.is_one_value() && range.compliance == 0.0)
    }

    /// Whether the turn has one value, rigidly.
    pub(super) fn holds_turn(&self) -> bool {
        let range = self.kind.turn_range();
        range.is_one_value() && range.compliance == 0.0
    }

    /// Returns by how much (m, rad) the bodies are off in each of these directions.
    pub(super) fn held_errors(&self, a: &SolverBody, b: &SolverBody) -> Vec<f64> {
        let frames = self.frames(a, b);
        let held = self.kind.held();
        let (gap, axes) = (frames.gap(), frames.axes_b());
        let mut errors: Vec<f64> =
            (0..3).filter(|&k| held.gap[k]).map(|k| gap.dot(&axes.column(k))).collect();
        if let JointKind::Distance { min, max, .. } = self.kind
            && min == max
            && max > 0.0
            && gap.norm() > 0.0
        {
            errors.push(gap.norm() - max);
        }
        if self.holds_slide() {
            errors.push(self.length_at(&frames) - self.kind.length_range().min);
        }
        if self.holds_turn() && frames.turn_gradient().is_some() {
            errors.push(self.turn_at(&frames) - self.kind.turn_range().min);
        }
        match held.rotation {
            HeldRotation::All => errors.extend(rotation_vector::log(&frames.relative()).iter()),
            HeldRotation::Swing => errors.extend(frames.swing().iter().skip(1)),
            HeldRotation::Cross => errors.push(frames.cross()),
            HeldRotation::None => {}
        }
        errors
    }

    /// Returns the directions that the joint holds from both sides, and their number; without bounds also that of a rope that is taut.
    pub(super) fn held_rows(&self, a: &SolverBody, b: &SolverBody, with_bounds: bool) -> ([Row; 6], usize) {
        let frames = self.frames(a, b);
        let none = Row { p: Vec3::zeros(), torque: Vec3::zeros() };
        let (mut rows, mut n) = ([none; 6], 0);
        let mut add = |row: Row| {
            rows[n] = row;
            n += 1;
        };
        let (held, axes) = (self.kind.held(), frames.axes_b());
        for k in (0..3).filter(|&k| held.gap[k]) {
            add(Row { p: axes.column(k).into_owned(), ..none });
        }
        // A rope holds only while it is taut, which its multiplier tells.
        if let JointKind::Distance { min, max, .. } = self.kind
            && (min == max || (!with_bounds && self.lambda.x != 0.0))
            && let Some(n) = frames.gap().try_normalize(0.0).filter(|_| max > 0.0)
        {
            add(Row { p: n, ..none });
        }
        if self.holds_slide() {
            add(Row { p: frames.axis_b(), ..none });
        }
        if self.holds_turn()
            && let Some(torque) = frames.turn_gradient()
        {
            add(Row { torque, ..none });
        }
        let turns = match held.rotation {
            HeldRotation::All => 0..3,
            HeldRotation::Swing => 1..3,
            HeldRotation::Cross => {
                let g = frames.a.vector(&Vec3::y()).cross(&frames.axis_b());
                add(Row { torque: g, ..none });
                0..0
            }
            HeldRotation::None => 0..0,
        };
        for k in turns {
            add(Row { torque: axes.column(k).into_owned(), ..none });
        }
        (rows, n)
    }
}

/// Applies the angular impulse `torque` (N m s) to a and its opposite to b.
fn turn(a: &mut SolverBody, b: &mut SolverBody, torque: &Vec3) {
    a.angular_velocity += a.inverse_inertia * torque;
    b.angular_velocity -= b.inverse_inertia * torque;
}

/// Returns λ = −K⁻¹ u in the first `n` rows, 0 in the others and along directions in which nothing moves.
fn solved(k: &Matrix6, u: &Vector6, n: usize) -> Vector6 {
    if let Some(factors) = k.cholesky()
        && (0..n).map(|i| (factors.l_dirty()[(i, i)], k[(i, i)])).all(|(l, k)| l * l > SINGULAR * k)
    {
        return -factors.solve(u);
    }
    // Rows that hold nothing are 1 on the diagonal; they must not set the scale.
    let scale = (0..n).map(|i| k[(i, i)]).fold(0.0, f64::max);
    let mut scaled = *k;
    (n..6).for_each(|i| scaled[(i, i)] = scale);
    let eigen = (0.5 * (scaled + scaled.transpose())).symmetric_eigen();
    let least = SINGULAR * eigen.eigenvalues.amax();
    let inverse = eigen.eigenvalues.map(|value| if value > least { 1.0 / value } else { 0.0 });
    -(eigen.eigenvectors * Matrix6::from_diagonal(&inverse) * eigen.eigenvectors.transpose() * u)
}
