//! Requirements on all methods.

use std::collections::BTreeMap;

use rigor_math::Vec3;
use rigor_scene::{BodyId, BodyState, ContactReport, FixedAxes, Outcome, Run, Scene, State, StepReport};

/// A named check; `Err` describes the violation.
pub struct Check {
    pub name: &'static str,
    pub holds: fn(&Scene, &Run) -> Result<(), String>,
}

/// Every check.
pub const CHECKS: &[Check] = &[
    Check { name: "completes", holds: completes },
    Check { name: "counts steps", holds: counts_steps },
    Check { name: "unit quaternions", holds: unit_quaternions },
    Check { name: "prescribed motion", holds: prescribed_motion },
    Check { name: "fixed axes", holds: fixed_axes },
    Check { name: "contact reports", holds: contact_reports },
    Check { name: "friction reports", holds: friction_reports },
    Check { name: "pinned particles", holds: pinned_particles },
    Check { name: "joint reports", holds: joint_reports },
    Check { name: "particle contact reports", holds: particle_contact_reports },
    Check { name: "step reports", holds: step_reports },
];

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

fn completes(_: &Scene, run: &Run) -> Result<(), String> {
    ensure(run.outcome == Outcome::Completed, || format!("{:?}", run.outcome))
}

/// After step k the time is exactly k·dt, and no body or particle was lost.
fn counts_steps(scene: &Scene, run: &Run) -> Result<(), String> {
    for (k, state) in (0..).zip(&run.trajectory.frames) {
        let time = k as f64 * scene.time.dt;
        ensure(state.step == k && state.time == time, || format!("step {} at {} s", state.step, state.time))?;
        let n = (state.bodies.len(), state.particles.len());
        ensure(n == (scene.bodies.len(), scene.particles.len()), || format!("{n:?} bodies and particles"))?;
    }
    Ok(())
}

/// Calls `f` with each body of each frame.
fn for_each_body(
    scene: &Scene,
    run: &Run,
    f: impl Fn(&rigor_scene::Body, &BodyState, &State) -> Result<(), String>,
) -> Result<(), String> {
    for state in &run.trajectory.frames {
        for (body, body_state) in scene.bodies.iter().zip(&state.bodies) {
            f(body, body_state, state)
                .map_err(|what| format!("{:?} at step {}: {what}", body.name, state.step))?;
        }
    }
    Ok(())
}

fn unit_quaternions(scene: &Scene, run: &Run) -> Result<(), String> {
    for_each_body(scene, run, |_, body, _| {
        let norm = body.pose.rotation.coords.norm();
        // A few roundings of a normalisation.
        ensure((norm - 1.0).abs() < 1e-14, || format!("|q| − 1 = {:e}", norm - 1.0))
    })
}

/// Static and kinematic bodies are where the scene prescribes.
fn prescribed_motion(scene: &Scene, run: &Run) -> Result<(), String> {
    for_each_body(scene, run, |body, state, at| {
        let Some(must) = body.prescribed(at.time).filter(|_| at.step > 0) else { return Ok(()) };
        let (gap, turn) =
            (state.pose.position - must.pose.position, state.pose.rotation / must.pose.rotation);
        let slack = 1e-12 * (1.0 + must.pose.position.norm() + body.radius);
        ensure(gap.norm() < slack, || format!("{gap:?} m off"))?;
        ensure(turn.imag().norm() < 1e-12, || format!("turned off by {:e}", 2.0 * turn.imag().norm()))
    })
}

/// Nothing changes along fixed axes.
fn fixed_axes(scene: &Scene, run: &Run) -> Result<(), String> {
    for_each_body(scene, run, |body, state, at| {
        let FixedAxes { translation, rotation } = body.fixed;
        let along =
            |v: &Vec3, fixed: [bool; 3]| (0..3).filter(|&i| fixed[i]).map(|i| v[i].abs()).fold(0.0, f64::max);
        let moved = along(&(state.pose.position - body.initial.pose.position), translation);
        ensure(moved < 1e-9 * (1.0 + body.radius), || format!("moved {moved:e} m along a fixed axis"))?;
        let spin = along(&state.angular_velocity, rotation);
        ensure(at.step == 0 || spin < 1e-9, || format!("spins at {spin:e} rad/s about a fixed axis"))
    })
}

fn contact_reports(scene: &Scene, run: &Run) -> Result<(), String> {
    for (step, report) in (1..).zip(&run.reports) {
        for contact in &report.contacts {
            contact_report(scene, contact).map_err(|what| format!("{contact:?} in step {step}: {what}"))?;
        }
    }
    Ok(())
}

fn contact_report(scene: &Scene, contact: &ContactReport) -> Result<(), String> {
    let (a, b) = (contact.body_a, contact.body_b);
    let n_bodies = scene.bodies.len();
    ensure(a.0 < n_bodies && b.0 < n_bodies && scene.can_collide(a, b), || {
        "these two cannot collide".into()
    })?;
    let n = contact.normal_world;
    ensure((n.norm() - 1.0).abs() < 1e-9, || "the normal is no unit vector".into())?;
    ensure(contact.normal_force >= 0.0, || "it pulls".into())?;
    ensure(contact.distance.is_finite() && contact.point_world.iter().all(|c| c.is_finite()), || "NaN".into())
}

/// Coulomb's law ‖f_t‖ ≤ μ f_n, summed over the contacts of two bodies. It holds at every moment, hence also
/// for means over a step, however the normals turned. (An engine may distribute friction among contacts
/// arbitrarily.)
fn friction_reports(_: &Scene, run: &Run) -> Result<(), String> {
    for (step, report) in (1..).zip(&run.reports) {
        let mut sums: BTreeMap<(BodyId, BodyId), (f64, f64)> = BTreeMap::new();
        for contact in &report.contacts {
            let pair = (contact.body_a.min(contact.body_b), contact.body_a.max(contact.body_b));
            let (friction, bound) = sums.entry(pair).or_default();
            *friction += contact.friction_force_world.norm();
            *bound += contact.friction.0.max(contact.friction.1) * contact.normal_force;
        }
        for ((a, b), (friction, bound)) in sums {
            let what = || format!("step {step}, {a} and {b}: friction {friction} N exceeds {bound} N");
            ensure(friction <= bound * (1.0 + 1e-6), what)?;
        }
    }
    Ok(())
}

/// Particles of infinite mass do not move.
fn pinned_particles(scene: &Scene, run: &Run) -> Result<(), String> {
    for state in &run.trajectory.frames {
        for (i, (particle, now)) in scene.particles.iter().zip(&state.particles).enumerate() {
            let stays = particle.mass.is_finite() || now.position == particle.position;
            ensure(stays, || format!("particle {i} at step {}: {:?}", state.step, now.position))?;
        }
    }
    Ok(())
}

/// Either no joint is reported, or all in the order of the scene, with finite forces and nonnegative errors.
fn joint_reports(scene: &Scene, run: &Run) -> Result<(), String> {
    for (step, StepReport { joints, .. }) in (1..).zip(&run.reports) {
        let in_order = joints.iter().map(|joint| joint.joint).eq(0..scene.joints.len());
        ensure(joints.is_empty() || in_order, || format!("step {step}: not every joint in its order"))?;
        for joint in joints {
            let vectors = joint.force_world.iter().chain(&joint.torque_world);
            let is_finite = vectors.chain([&joint.position_error, &joint.angle_error]).all(|x| x.is_finite());
            let is_size = joint.position_error >= 0.0 && joint.angle_error >= 0.0;
            ensure(is_finite && is_size, || format!("step {step}: {joint:?}"))?;
        }
    }
    Ok(())
}

fn particle_contact_reports(scene: &Scene, run: &Run) -> Result<(), String> {
    let (n_particles, n_bodies) = (scene.particles.len(), scene.bodies.len());
    for (step, report) in (1..).zip(&run.reports) {
        for contact in &report.particle_contacts {
            let is_there = contact.particle.0 < n_particles && contact.body.0 < n_bodies;
            let is_unit = (contact.normal_world.norm() - 1.0).abs() < 1e-9;
            let pushes = contact.normal_force >= 0.0 && contact.normal_force.is_finite();
            ensure(is_there && is_unit && pushes, || format!("step {step}: {contact:?}"))?;
        }
    }
    Ok(())
}

/// Numbers are finite, a clock that stands still measures no time, and every step reports the same
/// quantities.
fn step_reports(_: &Scene, run: &Run) -> Result<(), String> {
    let names = |report: &StepReport| report.quantities.iter().map(|q| q.name).collect::<Vec<_>>();
    for (step, report) in (1..).zip(&run.reports) {
        let StepReport { residual, min_distance, phases, quantities, .. } = report;
        let told = quantities.iter().map(|quantity| &quantity.value);
        let mut numbers = residual.iter().chain(min_distance).chain(told);
        ensure(numbers.all(|x| x.is_finite()), || format!("step {step}: a number that is not finite"))?;
        let idle = phases.iter().all(|phase| phase.seconds == 0.0);
        ensure(idle, || format!("step {step}: time passed on a clock that stands still"))?;
        ensure(names(report) == names(&run.reports[0]), || format!("step {step}: other quantities"))?;
    }
    Ok(())
}
