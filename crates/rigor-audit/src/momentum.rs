//! Linear and angular momentum of the whole scene.

use rigor_math::{Vec3, inertia};
use rigor_scene::{Scene, State};

use crate::figure::Figure;
use crate::finding::{Finding, Moment};
use crate::judge::{Frame, Judge};
use crate::peak::Peak;
use crate::scale::Scale;

const LINEAR: [Figure; 4] = [
    Figure::new(
        "momentum.linear_drift",
        "kg m/s",
        "largest ‖change of Σ m v beyond the impulse of known forces‖",
    ),
    Figure::new("momentum.linear_drift_x", "kg m/s", "the same along world x"),
    Figure::new("momentum.linear_drift_y", "kg m/s", "the same along world y"),
    Figure::new("momentum.linear_drift_z", "kg m/s", "the same along world z"),
];
const ANGULAR: [Figure; 4] = [
    Figure::new(
        "momentum.angular_drift",
        "kg m²/s",
        "largest ‖change of Σ x × m v + I ω about the world's origin beyond the impulse of known forces‖",
    ),
    Figure::new("momentum.angular_drift_x", "kg m²/s", "the same about world x"),
    Figure::new("momentum.angular_drift_y", "kg m²/s", "the same about world y"),
    Figure::new("momentum.angular_drift_z", "kg m²/s", "the same about world z"),
];
const LINEAR_RELATIVE: Figure = Figure::new(
    "momentum.linear_relative",
    "1",
    "momentum.linear_drift / Σ m v, v the speed that the scene can give; 0: conserved",
);
const ANGULAR_RELATIVE: Figure = Figure::new(
    "momentum.angular_relative",
    "1",
    "momentum.angular_drift / (Σ (‖x − x̄‖ + r) m v + ‖I ω‖ at the start), x̄ the centre of mass; 0: conserved",
);

pub(crate) const FIGURES: &[Figure] = &[
    LINEAR[0],
    LINEAR[1],
    LINEAR[2],
    LINEAR[3],
    ANGULAR[0],
    ANGULAR[1],
    ANGULAR[2],
    ANGULAR[3],
    LINEAR_RELATIVE,
    ANGULAR_RELATIVE,
];

/// Returns the linear momentum P = Σ m v (kg m/s) and the angular momentum about the world's origin L = Σ x ×
/// m v + I ω (kg m²/s) of all dynamic bodies and all particles of finite mass.
pub fn of_state(scene: &Scene, state: &State) -> (Vec3, Vec3) {
    let points = point_masses(scene, state).map(|(m, x, v)| (v * m, x.cross(&v) * m));
    let spins = spins(scene, state).map(|l| (Vec3::zeros(), l));
    points.chain(spins).fold((Vec3::zeros(), Vec3::zeros()), |(p, l), (dp, dl)| (p + dp, l + dl))
}

/// Measures the change of momentum that no known force explains.
///
/// Known forces are gravity and the constant forces and torques on bodies. Their impulse is (Σ m g + F) t,
/// and for L the trapezoidal sum of Σ x × (m g + F) + τ over the frames seen, which is exact while bodies are
/// in free flight between frames. The figures are zero for a system on which no other force acts. A body that
/// is static, kinematic, pinned or has fixed axes absorbs momentum in the directions in which it can push. Relative
/// figures divide by the [`Scale`] of the scene.
#[derive(Debug, Default)]
pub struct Momentum {
    start: Option<(Vec3, Vec3)>,
    last: Option<(f64, Vec3)>,
    impulse: (Vec3, Vec3),
    linear: [Option<Peak>; 4],
    angular: [Option<Peak>; 4],
}

impl Momentum {
    /// Adds the impulse of the known forces since the last frame.
    fn push(&mut self, frame: &Frame<'_>) {
        let (force, torque) = known_forces(frame.scene, frame.state);
        let time = frame.state.time;
        if let Some((time_prev, torque_prev)) = self.last {
            let dt = time - time_prev;
            self.impulse.0 += force * dt;
            self.impulse.1 += (torque_prev + torque) * (0.5 * dt);
        }
        self.last = Some((time, torque));
    }
}

impl Judge for Momentum {
    fn name(&self) -> &'static str {
        "momentum"
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        self.push(frame);
        let (p, l) = of_state(frame.scene, frame.state);
        let (p_start, l_start) = *self.start.get_or_insert((p, l));
        raise(&mut self.linear, p - p_start - self.impulse.0, frame.moment());
        raise(&mut self.angular, l - l_start - self.impulse.1, frame.moment());
    }

    fn findings(&self, scene: &Scene) -> Vec<Finding> {
        let found = |peaks: &[Option<Peak>], figures: &[Figure]| -> Vec<Finding> {
            let pairs = peaks.iter().zip(figures);
            pairs.filter_map(|(peak, figure)| Some(peak.as_ref()?.finding(figure, None))).collect()
        };
        let relative = |peak: &Option<Peak>, figure, scale: f64| {
            let finding = peak.as_ref()?.finding(figure, None);
            Some(Finding { value: Scale::relative(finding.value, scale), ..finding })
        };
        let scale = Scale::of(scene);
        let mut findings = found(&self.linear, &LINEAR);
        findings.extend(found(&self.angular, &ANGULAR));
        findings.extend(relative(&self.linear[0], &LINEAR_RELATIVE, scale.momentum));
        findings.extend(relative(&self.angular[0], &ANGULAR_RELATIVE, scale.angular_momentum));
        findings
    }
}

/// Raises the peaks of the norm and of the magnitudes of the components.
fn raise(peaks: &mut [Option<Peak>; 4], drift: Vec3, at: Moment) {
    let values = [drift.norm(), drift.x.abs(), drift.y.abs(), drift.z.abs()];
    for (peak, value) in peaks.iter_mut().zip(values) {
        Peak::raise(peak, value, at, || format!("drift ({:e}, {:e}, {:e})", drift.x, drift.y, drift.z));
    }
}

/// Returns mass (kg), position (m) and velocity (m/s) of the centres of dynamic bodies and of particles of
/// finite mass.
fn point_masses<'a>(scene: &'a Scene, state: &'a State) -> impl Iterator<Item = (f64, Vec3, Vec3)> + 'a {
    let bodies = scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.is_dynamic());
    let particles = scene.particles.iter().zip(&state.particles).filter(|(p, _)| p.mass.is_finite());
    bodies
        .map(|(body, at)| (body.mass, at.pose.position, at.linear_velocity))
        .chain(particles.map(|(p, at)| (p.mass, at.position, at.velocity)))
}

/// Returns I ω (kg m²/s, world) of each dynamic body.
fn spins<'a>(scene: &'a Scene, state: &'a State) -> impl Iterator<Item = Vec3> + 'a {
    let bodies = scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.is_dynamic());
    bodies.map(|(body, at)| inertia::angular_momentum(&body.inertia, &at.pose.rotation, &at.angular_velocity))
}

/// Returns Σ m g + F (N) and Σ x × (m g + F) + τ (N m).
fn known_forces(scene: &Scene, state: &State) -> (Vec3, Vec3) {
    let weights = point_masses(scene, state).map(|(m, x, _)| (x, scene.gravity * m, Vec3::zeros()));
    let bodies = scene.bodies.iter().zip(&state.bodies).filter(|(body, _)| body.is_dynamic());
    let applied = bodies.map(|(body, at)| (at.pose.position, body.force, body.torque));
    weights.chain(applied).fold((Vec3::zeros(), Vec3::zeros()), |(force, torque), (x, f, tau)| {
        (force + f, torque + x.cross(&f) + tau)
    })
}

#[cfg(test)]
mod tests {
    use rigor_math::{Pose, rotation_vector};
    use rigor_scene::BodyState;

    use super::*;
    use crate::testing::{cube, judge, scene, value};

    /// Runs two turning cubes in flight that exchange the impulses `action` and −`reaction` along their line
    /// at 0.5 s.
    fn flight(action: f64, reaction: f64) -> Vec<Finding> {
        let mut scene = scene(vec![cube("a", Vec3::x() * 2.0), cube("b", Vec3::x() * 6.0)]);
        scene.bodies[0].force = Vec3::new(0.0, 0.0, 3.0);
        scene.bodies[1].torque = Vec3::new(1.0, 0.0, 2.0);
        let frames = (0..=100).map(|k| {
            let t = 0.01 * f64::from(k);
            let mut state = State::initial(&scene);
            state.time = t;
            for (i, push) in [action, -reaction].into_iter().enumerate() {
                let body = &scene.bodies[i];
                let acceleration = scene.gravity + body.force / body.mass;
                let kick = Vec3::x() * (push / body.mass);
                let omega = body.torque / body.inertia.x; // a cube turns like a ball
                state.bodies[i] = BodyState {
                    pose: Pose::new(
                        body.initial.pose.position + acceleration * (0.5 * t * t) + kick * (t - 0.5).max(0.0),
                        rotation_vector::exp(&(omega * (0.5 * t * t))),
                    ),
                    linear_velocity: acceleration * t + if t > 0.5 { kick } else { Vec3::zeros() },
                    angular_velocity: omega * t,
                };
            }
            state
        });
        judge(&scene, &mut Momentum::default(), frames)
    }

    #[test]
    fn a_system_under_known_forces_has_no_drift() {
        // No exchange here: it would act along the line of centres, which the force on a has deflected by
        // 3/8·½·½² = 0.047 m along z.
        let found = flight(0.0, 0.0);
        assert!(value(&found, "momentum.linear_relative") < 1e-14);
        assert!(value(&found, "momentum.angular_relative") < 1e-14);
    }

    #[test]
    fn equal_and_opposite_pushes_keep_linear_momentum() {
        assert!(value(&flight(4.0, 4.0), "momentum.linear_relative") < 1e-14);
    }

    #[test]
    fn an_unanswered_push_is_a_drift() {
        let found = flight(4.0, 3.0);
        assert!((value(&found, "momentum.linear_drift_x") - 1.0).abs() < 1e-12);
        assert!(value(&found, "momentum.linear_drift_y") < 1e-12);
        assert!(value(&found, "momentum.angular_drift") > 1e-2);
    }
}
