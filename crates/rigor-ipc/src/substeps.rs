//! A step in substeps, for the clusters of bodies that move too far for one minimization.
//!
//! Each cluster goes through the whole step by itself while all other bodies stay where they are; then the others
//! make the step at once, while the clusters stay where they arrived. Bodies that may meet are in one cluster, so
//! nothing is lost by this order. Where a cluster is thrown into the way of others, all make the step together. A substep
//! that makes energy, in which bodies go round each other, or that Newton's method cannot finish, is halved.

use rigor_scene::{Scene, State, StepError, StepReport};

use crate::groups::Groups;
use crate::halving::Halved;
use crate::scale::Scale;
use crate::span::Span;
use crate::step::Ipc;
use crate::substep_reports::{SubstepReports, too_fast};

/// How often a substep that makes energy, or in which bodies go round each other, is halved.
const MAX_HALVINGS: u32 = 6;

impl Ipc {
    /// Makes a step of `dt` (s) in substeps for these clusters; for all bodies if there are none, as a first attempt has failed.
    ///
    /// # Errors
    /// Those of [`Ipc::advance`]; `state` is then unchanged.
    pub(crate) fn divide(
        &mut self,
        scene: &Scene,
        state: &mut State,
        scale: &Scale,
        dt: f64,
        clusters: Groups,
        mut halved: Halved,
    ) -> Result<StepReport, StepError> {
        let n = scene.bodies.len();
        if self.config().max_substeps == 1 {
            let pace = self.pace(scene, state, scale, state.time + dt);
            let fastest = clusters.all.iter().filter_map(|cluster| pace.fastest(cluster, dt));
            let fastest = fastest.min_by(|a, b| a.span.total_cmp(&b.span));
            let span = Span { h: dt, end: state.time + dt, dt, bodies: None, impacts: 0 };
            let mut report = self.advance(scene, state, scale, span, false)?.unwrap_or_default();
            report.flaws.extend(fastest.map(|fast| too_fast(&fast, dt / fast.limit)));
            return Ok(report);
        }
        let everything = || Groups::of(vec![(0..n).collect()], n);
        let mut clusters = if clusters.all.is_empty() { everything() } else { clusters };
        loop {
            let mut reached = state.clone();
            match self.attempt(scene, &mut reached, scale, dt, &clusters, halved)? {
                Ok(report) => {
                    state.bodies = reached.bodies;
                    state.strains = reached.strains;
                    state.memory = reached.memory;
                    return Ok(report);
                }
                Err(so) => (clusters, halved) = (everything(), so),
            }
        }
    }

    /// Makes the step, the first substep halved as told. Returns how to halve that of all bodies together if those of a cluster came
    /// into the way of others, or if Newton's method could not finish the step of the others.
    fn attempt(
        &mut self,
        scene: &Scene,
        state: &mut State,
        scale: &Scale,
        dt: f64,
        clusters: &Groups,
        halved: Halved,
    ) -> Result<Result<StepReport, Halved>, StepError> {
        let (start, end) = (state.time, state.time + dt);
        let at_start = self.pace(scene, state, scale, end);
        let mut total = SubstepReports::of_parts(f64::from(1 + u32::from(halved.by_newton)));
        for cluster in &clusters.all {
            let is_all = cluster.len() == scene.bodies.len();
            let (mut left, mut n_left) = (dt, f64::from(self.config().max_substeps));
            let half = 0.5 * n_left;
            let (mut number, mut halvings) = (0, halved.times);
            while left > 0.0 {
                let pace = self.pace(scene, state, scale, end);
                let fast = pace.fastest(cluster, left);
                let needed = fast.map_or(1.0, |fast| (left / fast.span).ceil());
                // While half of them are left, substeps are as short as they should be: what follows may be slower.
                let most = if n_left > half { f64::INFINITY } else { n_left };
                let n = (needed * f64::from(1_u32 << halvings)).min(most).max(1.0);
                let (h, until) = if n > 1.0 { (left / n, state.time + left / n) } else { (left, end) };
                let bodies = (!is_all).then_some(cluster.as_slice());
                let may_fail = halvings < MAX_HALVINGS && n < most;
                let span = Span { h, end: until, dt, bodies, impacts: 0 };
                let report = match self.advance(scene, state, scale, span, may_fail) {
                    Ok(Some(report)) => report,
                    Ok(None) => {
                        halvings += 1;
                        continue;
                    }
                    Err(error) if n < most && self.config().halves(&error, halvings) => {
                        halvings += 1;
                        total.parts = total.parts.max(2.0 * dt / h);
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                halvings = halvings.saturating_sub(1);
                if let Some(fast) = fast.filter(|fast| h > fast.limit) {
                    total.note(fast, h / fast.limit);
                }
                total.add(report, h / dt);
                state.time = until;
                left = if n > 1.0 { end - until } else { 0.0 };
                (n_left, number) = (n_left - 1.0, number + 1);
                if !is_all && !self.pace(scene, state, scale, end).is_apart(cluster, left, &at_start, dt) {
                    return Ok(Err(halved));
                }
            }
            total.substeps = total.substeps.max(number);
            state.time = start;
        }
        let others: Vec<usize> = (0..scene.bodies.len()).filter(|&body| !clusters.has(body)).collect();
        if others.iter().any(|&body| at_start.moves(body)) {
            let span = Span { h: dt, end, dt, bodies: Some(&others), impacts: 0 };
            match self.advance(scene, state, scale, span, false) {
                Ok(report) => total.add(report.unwrap_or_default(), 1.0),
                Err(error) if self.config().halves(&error, 0) => return Ok(Err(Halved::BY_NEWTON)),
                Err(error) => return Err(error),
            }
        }
        Ok(Ok(total.report()))
    }
}
