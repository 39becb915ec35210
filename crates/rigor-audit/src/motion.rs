//! Displacement, rotation and speed of bodies and particles.

use rigor_math::Vec3;
use rigor_scene::{BodyId, BodyState, ParticleState, Role, Scene};

use crate::figure::Figure;
use crate::finding::{Finding, Moment};
use crate::judge::{Frame, Judge};
use crate::peak::Peaks;
use rigor_math::angle;

const DISPLACEMENT: Figure =
    Figure::new("motion.displacement", "m", "distance of the centre of mass from its start, at the end");
const DISPLACEMENT_XYZ: [Figure; 3] = [
    Figure::new("motion.displacement_x", "m", "displacement at the end along world x"),
    Figure::new("motion.displacement_y", "m", "displacement at the end along world y"),
    Figure::new("motion.displacement_z", "m", "displacement at the end along world z"),
];
const DISPLACEMENT_MAX: Figure = Figure::new(
    "motion.displacement_max",
    "m",
    "largest distance of the centre of mass from its start; 0: it never moved",
);
const RISE: Figure =
    Figure::new("motion.rise", "m", "greatest height of the centre of mass above its start, against gravity");
const DROP: Figure =
    Figure::new("motion.drop", "m", "greatest depth of the centre of mass below its start, along gravity");
const BOUNCE: Figure = Figure::new(
    "motion.bounce",
    "m",
    "rise from the first lowest point after falling to the next highest; 0: it never rose again",
);
const ROTATION_END: Figure =
    Figure::new("motion.rotation_end", "rad", "angle between the orientation at the end and at the start");
const ROTATION_MAX: Figure =
    Figure::new("motion.rotation_max", "rad", "largest angle from the orientation at the start");
const SPEED_END: Figure = Figure::new("motion.speed_end", "m/s", "speed of the centre of mass at the end");
const SPEED_MAX: Figure = Figure::new("motion.speed_max", "m/s", "largest speed of the centre of mass");
const VELOCITY_XYZ: [Figure; 3] = [
    Figure::new("motion.velocity_x", "m/s", "velocity at the end along world x"),
    Figure::new("motion.velocity_y", "m/s", "velocity at the end along world y"),
    Figure::new("motion.velocity_z", "m/s", "velocity at the end along world z"),
];
const ANGULAR_SPEED_END: Figure = Figure::new("motion.angular_speed_end", "rad/s", "‖ω‖ at the end");
const ANGULAR_SPEED_MAX: Figure = Figure::new("motion.angular_speed_max", "rad/s", "largest ‖ω‖");
const ANGULAR_VELOCITY_XYZ: [Figure; 3] = [
    Figure::new("motion.angular_velocity_x", "rad/s", "ω at the end about world x"),
    Figure::new("motion.angular_velocity_y", "rad/s", "ω at the end about world y"),
    Figure::new("motion.angular_velocity_z", "rad/s", "ω at the end about world z"),
];

const PARTICLE_LOWEST: Figure = Figure::new(
    "motion.particle_lowest",
    "m",
    "height of the lowest particle at the end above the world's origin, against gravity",
);
const PARTICLE_SPEED_END: Figure =
    Figure::new("motion.particle_speed_end", "m/s", "largest speed of a particle at the end");
const PARTICLE_DISPLACEMENT: Figure = Figure::new(
    "motion.particle_displacement",
    "m",
    "largest distance of a particle from its start, at the end; 0: all are where they were",
);
const PARTICLE_X: Figure =
    Figure::new("motion.particle_x", "m", "largest world x of the centre of a particle at the end");

pub(crate) const FIGURES: &[Figure] = &[
    DISPLACEMENT,
    DISPLACEMENT_XYZ[0],
    DISPLACEMENT_XYZ[1],
    DISPLACEMENT_XYZ[2],
    DISPLACEMENT_MAX,
    RISE,
    DROP,
    BOUNCE,
    ROTATION_END,
    ROTATION_MAX,
    SPEED_END,
    SPEED_MAX,
    VELOCITY_XYZ[0],
    VELOCITY_XYZ[1],
    VELOCITY_XYZ[2],
    ANGULAR_SPEED_END,
    ANGULAR_SPEED_MAX,
    ANGULAR_VELOCITY_XYZ[0],
    ANGULAR_VELOCITY_XYZ[1],
    ANGULAR_VELOCITY_XYZ[2],
    PARTICLE_LOWEST,
    PARTICLE_SPEED_END,
    PARTICLE_DISPLACEMENT,
    PARTICLE_X,
];

/// Measures the motion of every body that is not static.
///
/// Figures without `_x`, `_y`, `_z` also have a finding for the scene: the largest over the dynamic bodies.
/// Heights are measured against gravity (along +y without gravity). Motion between frames is not seen: the
/// true top of a bounce is above the highest frame by up to g Δt²/8.
#[derive(Debug, Default)]
pub struct Motion {
    start: Vec<BodyState>,
    end: Vec<BodyState>,
    end_at: Option<Moment>,
    particles_start: Vec<ParticleState>,
    particles_end: Vec<ParticleState>,
    bounces: Vec<Bounce>,
    /// In the order of [`PEAKS`].
    peaks: [Peaks; 6],
}

const PEAKS: [Figure; 6] = [DISPLACEMENT_MAX, RISE, DROP, ROTATION_MAX, SPEED_MAX, ANGULAR_SPEED_MAX];

impl Judge for Motion {
    fn name(&self) -> &'static str {
        "motion"
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        if self.start.is_empty() {
            self.start.clone_from(&frame.state.bodies);
            self.bounces.resize(self.start.len(), Bounce::default());
        }
        if self.particles_start.is_empty() {
            self.particles_start.clone_from(&frame.state.particles);
        }
        self.particles_end.clone_from(&frame.state.particles);
        self.end.clone_from(&frame.state.bodies);
        self.end_at = Some(frame.moment());
        let up = up(frame.scene);
        for (i, body) in frame.scene.bodies.iter().enumerate() {
            if body.role == Role::Static {
                continue;
            }
            let (start, now) = (&self.start[i], &frame.state.bodies[i]);
            let height = up.dot(&(now.pose.position - start.pose.position));
            self.bounces[i].follow(height);
            let values = [
                (now.pose.position - start.pose.position).norm(),
                height,
                -height,
                angle::between_rotations(&start.pose.rotation, &now.pose.rotation),
                now.linear_velocity.norm(),
                now.angular_velocity.norm(),
            ];
            for (peaks, value) in self.peaks.iter_mut().zip(values) {
                if body.is_dynamic() {
                    peaks.raise(BodyId(i), value, frame.moment(), || body.name.clone());
                } else {
                    peaks.raise_body(BodyId(i), value, frame.moment(), || body.name.clone());
                }
            }
        }
    }

    fn findings(&self, scene: &Scene) -> Vec<Finding> {
        let mut findings: Vec<Finding> =
            PEAKS.iter().zip(&self.peaks).flat_map(|(figure, peaks)| peaks.findings(figure)).collect();
        let Some(at) = self.end_at else { return findings };
        let mut largest: Vec<(Figure, Option<f64>)> = LARGEST.iter().map(|figure| (*figure, None)).collect();
        for (i, body) in scene.bodies.iter().enumerate().filter(|(_, body)| body.role != Role::Static) {
            let (scalars, components) = self.at_end(i);
            for ((figure, most), value) in largest.iter_mut().zip(scalars) {
                let Some(value) = value else { continue };
                findings.push(Finding::of_body(figure, BodyId(i), value).at(at));
                if body.is_dynamic() {
                    *most = Some(most.map_or(value, |m| m.max(value)));
                }
            }
            for (figures, vector) in COMPONENTS.iter().zip(components) {
                let one =
                    |(figure, value): (&Figure, &f64)| Finding::of_body(figure, BodyId(i), *value).at(at);
                findings.extend(figures.iter().zip(vector.iter()).map(one));
            }
        }
        findings.extend(self.of_particles(scene).map(|finding| finding.at(at)));
        findings
            .extend(largest.into_iter().filter_map(|(f, most)| Some(Finding::of_scene(&f, most?).at(at))));
        findings
    }
}

const LARGEST: [Figure; 5] = [DISPLACEMENT, ROTATION_END, SPEED_END, ANGULAR_SPEED_END, BOUNCE];
const COMPONENTS: [[Figure; 3]; 3] = [DISPLACEMENT_XYZ, VELOCITY_XYZ, ANGULAR_VELOCITY_XYZ];

impl Motion {
    /// Returns the findings on the particles at the end, if there are any.
    fn of_particles(&self, scene: &Scene) -> impl Iterator<Item = Finding> + use<> {
        let up = up(scene);
        let largest = |values: &mut dyn Iterator<Item = f64>| values.reduce(worse);
        let end = || self.particles_end.iter();
        let moved = |(a, b): (&ParticleState, &ParticleState)| (a.position - b.position).norm();
        let found = [
            (PARTICLE_LOWEST, largest(&mut end().map(|p| -up.dot(&p.position))).map(|depth| -depth)),
            (PARTICLE_SPEED_END, largest(&mut end().map(|p| p.velocity.norm()))),
            (PARTICLE_DISPLACEMENT, largest(&mut end().zip(&self.particles_start).map(moved))),
            (PARTICLE_X, largest(&mut end().map(|p| p.position.x))),
        ];
        found.into_iter().filter_map(|(figure, value)| Some(Finding::of_scene(&figure, value?)))
    }

    /// Returns the figures of [`LARGEST`] and the vectors of [`COMPONENTS`] for body `i`.
    fn at_end(&self, i: usize) -> ([Option<f64>; 5], [Vec3; 3]) {
        let (start, end) = (&self.start[i], &self.end[i]);
        let displacement = end.pose.position - start.pose.position;
        let scalars = [
            Some(displacement.norm()),
            Some(angle::between_rotations(&start.pose.rotation, &end.pose.rotation)),
            Some(end.linear_velocity.norm()),
            Some(end.angular_velocity.norm()),
            self.bounces[i].height(),
        ];
        (scalars, [displacement, end.linear_velocity, end.angular_velocity])
    }
}

/// Returns the larger number; NaN counts as the largest.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// Returns the unit vector against gravity, or +y without gravity.
fn up(scene: &Scene) -> Vec3 {
    let g = scene.gravity.norm();
    if g > 0.0 { scene.gravity / -g } else { Vec3::y() }
}

/// The first fall and the rise after it.
#[derive(Debug, Clone, Copy, Default)]
enum Bounce {
    /// No frame yet.
    #[default]
    Unseen,
    /// Has not fallen yet; now at this height (m).
    Before(f64),
    /// Falling, now at this height (m).
    Falling(f64),
    /// Rising from `low` (m), now at `high` (m).
    Rising { low: f64, high: f64 },
    /// Finished, after this rise (m).
    Over(f64),
}

impl Bounce {
    fn follow(&mut self, height: f64) {
        *self = match *self {
            Self::Unseen => Self::Before(height),
            Self::Before(h) if height >= h => Self::Before(height),
            Self::Before(_) => Self::Falling(height),
            Self::Falling(h) if height <= h => Self::Falling(height),
            Self::Falling(low) => Self::Rising { low, high: height },
            Self::Rising { low, high } if height >= high => Self::Rising { low, high: height },
            Self::Rising { low, high } => Self::Over(high - low),
            Self::Over(rise) => Self::Over(rise),
        }
    }

    /// Returns the rise so far (m); `None` if the body never fell.
    fn height(&self) -> Option<f64> {
        match *self {
            Self::Unseen | Self::Before(_) => None,
            Self::Falling(_) => Some(0.0),
            Self::Rising { low, high } => Some(high - low),
            Self::Over(rise) => Some(rise),
        }
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::{Pose, rotation_vector};
    use rigor_scene::{Particle, State};

    use super::*;
    use crate::testing::{cube, judge, scene, value, value_of};

    /// Returns the height of a ball dropped from 1 m onto the ground at 0 with restitution e under 10 m/s².
    fn bouncing(e: f64, t: f64) -> f64 {
        let fall = (2.0_f64 / 10.0).sqrt();
        if t < fall { 1.0 - 5.0 * t * t } else { (e * 10.0 * fall - 5.0 * (t - fall)) * (t - fall) }
    }

    #[test]
    fn the_first_bounce_reaches_e_squared_of_the_drop() {
        let scene = scene(vec![cube("ball", Vec3::y()), cube("kept", Vec3::x() * 9.0)]);
        let frames = (0..800).map(|k| {
            let mut state = State::initial(&scene);
            state.bodies[0].pose.position.y = bouncing(0.5, 1e-3 * f64::from(k));
            state
        });
        let found = judge(&scene, &mut Motion::default(), frames);
        // The lowest and highest frames are off by at most v Δt and g Δt²/8.
        assert!((value_of(&found, "motion.bounce", 0) - 0.25).abs() < 10.0 * 0.45 * 1e-3);
        assert!((value_of(&found, "motion.drop", 0) - 1.0).abs() < 10.0 * 0.45 * 1e-3);
        assert_eq!(value_of(&found, "motion.rise", 0), 0.0);
        assert!(!found.iter().any(|f| f.figure == "motion.bounce" && f.body == Some(BodyId(1))));
    }

    #[test]
    fn a_fall_without_return_has_no_bounce() {
        let scene = scene(vec![cube("ball", Vec3::y())]);
        let frames = (0..800).map(|k| {
            let mut state = State::initial(&scene);
            state.bodies[0].pose.position.y = bouncing(0.0, 1e-3 * f64::from(k)).max(0.0);
            state
        });
        assert_eq!(value(&judge(&scene, &mut Motion::default(), frames), "motion.bounce"), 0.0);
    }

    #[test]
    fn particles_are_seen_at_the_end() {
        let mut scene = scene(vec![]);
        scene.particles = [1.0, 2.0].map(|y| Particle::new(1.0, Vec3::y() * y)).to_vec();
        let start = State::initial(&scene);
        let mut end = start.clone();
        end.particles[1] = ParticleState { position: Vec3::new(3.0, -2.0, 0.0), velocity: Vec3::x() * 0.5 };
        let found = judge(&scene, &mut Motion::default(), [start, end].into_iter());
        assert_eq!(value(&found, "motion.particle_lowest"), -2.0);
        assert_eq!(value(&found, "motion.particle_speed_end"), 0.5);
        assert_eq!(value(&found, "motion.particle_displacement"), 5.0);
        assert_eq!(value(&found, "motion.particle_x"), 3.0);
    }

    #[test]
    fn a_kept_body_has_no_motion_and_a_moved_one_has_its_own() {
        let mut scene = scene(vec![cube("kept", Vec3::zeros()), cube("moved", Vec3::x())]);
        scene.bodies[1].initial.linear_velocity = Vec3::new(0.0, -3.0, 4.0);
        let start = State::initial(&scene);
        let mut end = start.clone();
        let turn = rotation_vector::exp(&Vec3::new(0.0, 0.0, -0.5));
        end.bodies[1] = BodyState {
            pose: Pose::new(Vec3::new(1.0, -3.0, 4.0), turn),
            angular_velocity: Vec3::new(2.0, 0.0, 0.0),
            ..BodyState::default()
        };
        let found = judge(&scene, &mut Motion::default(), [start, end].into_iter());
        for figure in
            [DISPLACEMENT, DISPLACEMENT_MAX, ROTATION_END, ROTATION_MAX, SPEED_MAX, ANGULAR_SPEED_END]
        {
            assert_eq!(value_of(&found, figure.name, 0), 0.0, "{figure:?}");
        }
        assert_eq!(value(&found, "motion.displacement"), 5.0);
        assert_eq!(value_of(&found, "motion.displacement_y", 1), -3.0);
        assert_eq!(value(&found, "motion.speed_max"), 5.0);
        assert_eq!(value(&found, "motion.speed_end"), 0.0);
        assert_eq!(value_of(&found, "motion.angular_velocity_x", 1), 2.0);
        assert!((value(&found, "motion.rotation_end") - 0.5).abs() < 1e-15);
    }
}
