//! The reports of the parts of a step, as one.

use rigor_scene::{BodyId, Flaw, FlawKind, JointReport, Quantity, StepReport, Subject};

use crate::pace::FastPair;

/// The reports of the substeps of a step, as one.
#[derive(Default)]
pub(crate) struct SubstepReports {
    sum: Option<StepReport>,
    /// Of the cluster with most.
    pub substeps: u64,
    /// The pair that exceeded most what one minimization can follow, and by which factor.
    fastest: Option<(FastPair, f64)>,
    /// The step over the smallest part that Newton's method asked for.
    pub parts: f64,
}

impl SubstepReports {
    /// No reports, of a step of which Newton's method asked for one of so many parts.
    pub fn of_parts(parts: f64) -> Self {
        Self { parts, ..Self::default() }
    }

    pub fn note(&mut self, fast: FastPair, excess: f64) {
        if self.fastest.is_none_or(|(_, most)| excess > most) {
            self.fastest = Some((fast, excess));
        }
    }

    /// The sum alone.
    pub fn whole(self) -> StepReport {
        self.sum.unwrap_or_default()
    }

    /// Adds the report of a substep that takes this `part` of the step. Forces are means over the step.
    pub fn add(&mut self, mut report: StepReport, part: f64) {
        for contact in &mut report.contacts {
            contact.normal_force *= part;
            contact.friction_force_world *= part;
        }
        for joint in &mut report.joints {
            joint.force_world *= part;
            joint.torque_world *= part;
        }
        let Some(sum) = &mut self.sum else {
            self.sum = Some(report);
            return;
        };
        sum.iterations += report.iterations;
        sum.residual = larger(sum.residual, report.residual);
        sum.contacts.append(&mut report.contacts);
        for (sum, joint) in sum.joints.iter_mut().zip(report.joints) {
            let (force, torque) =
                (sum.force_world + joint.force_world, sum.torque_world + joint.torque_world);
            *sum = JointReport {
                force_world: force,
                torque_world: torque,
                broken: sum.broken || joint.broken,
                ..joint
            };
        }
        sum.min_distance = smaller(sum.min_distance, report.min_distance);
        sum.ccd_queries += report.ccd_queries;
        for (sum, phase) in sum.phases.iter_mut().zip(report.phases) {
            sum.seconds += phase.seconds;
        }
        for (sum, quantity) in sum.quantities.iter_mut().zip(report.quantities) {
            sum.value = if is_count(&quantity) { sum.value + quantity.value } else { quantity.value };
        }
        sum.flaws.append(&mut report.flaws);
        sum.released = sum.released.zip(report.released).map(|(sum, released)| sum + released);
        if let (Some(path), Some(mut pieces)) = (&mut sum.path, report.path) {
            path.append(&mut pieces);
        }
    }

    pub fn report(self) -> StepReport {
        let mut report = self.sum.unwrap_or_default();
        if let Some(substeps) = report.quantities.iter_mut().find(|quantity| quantity.name == "substeps") {
            substeps.value = self.substeps as f64;
        }
        report.flaws.extend(self.fastest.map(|(fast, excess)| too_fast(&fast, excess)));
        let is_halved = self.parts > 1.0;
        report.flaws.extend(is_halved.then(|| Flaw::new(FlawKind::Halved, Subject::Scene, self.parts)));
        report
    }
}

fn is_count(quantity: &Quantity) -> bool {
    quantity.unit == "1"
}

fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::max)
}

fn smaller(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::min)
}

/// The flaw of a step with a minimization longer, by this factor, than one can follow, as `max_substeps` divides it no further.
pub(crate) fn too_fast(fast: &FastPair, excess: f64) -> Flaw {
    let [a, b] = fast.bodies.map(BodyId);
    let subject = if a == b { Subject::Body(a) } else { Subject::Pair(a, b) };
    Flaw::new(FlawKind::TooFast, subject, excess)
}
