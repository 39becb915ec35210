//! Linear constraints of joints: those on the origins of the frames.

use rigor_math::Vec3;
use rigor_scene::{JointFrames, JointKind, Range};

use super::SolverJoint;
use crate::body::SolverBody;
use crate::constraint::axes::Axes;
use crate::constraint::delta_lambda;
use crate::constraint::position::Levers;

impl SolverJoint {
    pub(super) fn hold_origins(&mut self, a: &mut SolverBody, b: &mut SolverBody, h: f64) {
        match self.kind {
            JointKind::Gear { .. } => {}
            JointKind::Distance { min, max, .. } if max > 0.0 => self.keep_distance(min, max, a, b, h),
            JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Distance { .. } => {
                let axes = self.origins(&self.frames(a, b), h);
                let levers = Levers::at_point_of_a(a, b, &self.frame_a.position);
                let p = axes.solve(&levers.mobility(a, b), &mut self.lambda);
                levers.apply(a, b, &p);
                self.impulse += p;
            }
        }
    }

    /// Returns the gap along B's axes: all three, or those across x plus the excess of the slide along x.
    ///
    /// Source: \[Mueller2020\] §3.3.2: the correction Δx of all axes in one projection.
    pub(super) fn origins(&self, frames: &JointFrames, h: f64) -> Axes {
        let mut axes = Axes::all(frames.axes_b(), frames.gap_local(), self.compliance / (h * h));
        if let Some(slide) = self.kind.slide() {
            axes.limit_x(slide.range.excess(axes.c.x), &slide.range);
            axes.alpha_tilde.x = slide.range.compliance / (h * h);
        }
        axes
    }

    /// Enforces C = d − min or d − max if the distance d is outside the range.
    ///
    /// The impulse acts along the line between the ends before the substep, which gives both bodies the same
    /// point and direction: angular momentum is exact, and no body is rotated by a line that misses its end.
    /// If that line has turned by more than 60°, the impulse acts along the current one.
    fn keep_distance(&mut self, min: f64, max: f64, a: &mut SolverBody, b: &mut SolverBody, h: f64) {
        let (gap, before) = self.gaps(a, b);
        let distance = gap.norm();
        let c = distance - distance.max(min).min(max);
        if c == 0.0 {
            return;
        }
        let (n, line) = self.directions(&gap, &before, b);
        let levers = Levers::at_point_of_a(a, b, &self.frame_a.position);
        let w = n.dot(&(levers.mobility(a, b) * line));
        let mut delta = delta_lambda(c, self.lambda.x, w, self.compliance / (h * h));
        if min < max && (self.lambda.x + delta) * c > 0.0 {
            delta = -self.lambda.x;
        }
        self.lambda.x += delta;
        let p = delta * line;
        levers.apply(a, b, &p);
        self.impulse += p;
    }

    /// Returns the vectors from the origin of B to that of A (m, world), now and before the substep.
    pub(super) fn gaps(&self, a: &SolverBody, b: &SolverBody) -> (Vec3, Vec3) {
        let (end_a, end_b) = (&self.frame_a.position, &self.frame_b.position);
        (a.point(end_a) - b.point(end_b), a.point_prev(end_a) - b.point_prev(end_b))
    }

    /// Returns unit vectors along the line between two ends now, and along the line of action of their
    /// impulse.
    pub(super) fn directions(&self, now: &Vec3, before: &Vec3, b: &SolverBody) -> (Vec3, Vec3) {
        let unit = |v: &Vec3| v.try_normalize(0.0);
        match (unit(now), unit(before)) {
            (Some(n), Some(line)) if n.dot(&line) > 0.5 => (n, line),
            (Some(n), _) | (None, Some(n)) => (n, n),
            (None, None) => {
                let along = b.pose.vector(&self.frame_b.vector(&Vec3::y()));
                (along, along)
            }
        }
    }

    /// Returns the deviation (m) of the origins from their constraint.
    pub(super) fn position_error(&self, frames: &JointFrames) -> f64 {
        match self.kind {
            JointKind::Gear { .. } => 0.0,
            JointKind::Distance { min, max, .. } => {
                let distance = frames.gap().norm();
                (distance - distance.max(min).min(max)).abs()
            }
            JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. } => self.origins(frames, 1.0).c.norm(),
        }
    }
}

impl Axes {
    /// Accounts for a motion (world) that other impulses will cause before this one acts.
    pub(super) fn shift(&mut self, by: &Vec3) {
        let by = self.frame.tr_mul(by);
        self.c += Vec3::from_fn(|i, _| if self.active[i] { by[i] } else { 0.0 });
    }

    /// Frees x, except for a bound of `range` that it violates by `excess`. A range of one value holds x from both sides.
    pub(super) fn limit_x(&mut self, excess: f64, range: &Range) {
        self.c.x = excess;
        self.active[0] = excess != 0.0 || range.is_one_value();
        self.one_sided[0] = !range.is_one_value();
    }
}
