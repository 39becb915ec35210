//! Mechanical energy, its drift, and gains without a source.

use rigor_scene::JointError;
use rigor_scene::energy::of_state;
use rigor_scene::{Joint, Scene, State, StepReport};

use crate::figure::Figure;
use crate::finding::Finding;
use crate::judge::{Frame, Judge};
use crate::peak::Peak;
use crate::scale::Scale;
use crate::series::Series;
use crate::turns::Turns;

const START: Figure = Figure::new("energy.start", "J", "total energy of the first frame");
const END: Figure = Figure::new("energy.end", "J", "total energy of the last frame");
const CHANGE_END: Figure =
    Figure::new("energy.change_end", "1", "(energy.end − energy.start) / energy.scale");
const SCALE: Figure = Figure::new(
    "energy.scale",
    "J",
    "energy that the scene can convert: kinetic at the start, and work of gravity and forces; the same in every run",
);
const DRIFT: Figure =
    Figure::new("energy.drift", "1", "largest |total energy − energy.start| / energy.scale; 0: conserved");
const GAIN_MAX: Figure = Figure::new(
    "energy.gain_max",
    "J",
    "largest rise of the total energy above that of the first frame; 0: none",
);
const RISE_MAX: Figure = Figure::new(
    "energy.rise_max",
    "J",
    "largest rise of the total energy above an earlier frame; 0: never rose",
);
const RISE_RELATIVE: Figure =
    Figure::new("energy.rise_relative", "1", "energy.rise_max / energy.scale; 0: never rose");
const KINETIC_END: Figure =
    Figure::new("energy.kinetic_end", "J", "kinetic energy of the last frame; 0: at rest");

pub(crate) const FIGURES: &[Figure] =
    &[START, END, CHANGE_END, SCALE, DRIFT, GAIN_MAX, RISE_MAX, RISE_RELATIVE, KINETIC_END];

/// Returns the kinetic and potential energy (J) of [`of_state`], plus the springs of compliant joints and of drives to a fixed
/// goal, except those that `report`, of the step that ended in `state`, marks as broken.
pub fn of_step(scene: &Scene, state: &State, report: Option<&StepReport>) -> (f64, f64) {
    let told = |i: usize| report.and_then(|report| report.joints.get(i));
    let is_broken = |i: usize| told(i).is_some_and(|joint| joint.broken);
    with_joints(scene, state, is_broken, |joint, _| JointError::of(joint, state))
}

fn with_joints(
    scene: &Scene,
    state: &State,
    is_broken: impl Fn(usize) -> bool,
    error: impl Fn(&Joint, usize) -> JointError,
) -> (f64, f64) {
    let (kinetic, potential) = of_state(scene, state);
    let whole = scene.joints.iter().enumerate().filter(|(i, _)| !is_broken(*i));
    let of_joints: f64 = whole.map(|(i, joint)| error(joint, i).energy(joint)).sum();
    (kinetic, potential + of_joints)
}

/// Measures the total energy T + V.
///
/// T and V are those of [`of_step`]. Work without a potential (of constant torques, moving kinematic bodies
/// and drives at a rate) shows as gain or loss. Relative figures divide by `energy.scale`, the [`Scale`] of the scene.
#[derive(Debug)]
pub struct Energy {
    start: Option<f64>,
    end: f64,
    kinetic_end: f64,
    least: f64,
    deviation: Option<Peak>,
    gain: Option<Peak>,
    rise: Option<Peak>,
    total: Series,
    kinetic: Series,
    turns: Turns,
    /// Whether nothing told of some joint with energy whether it was broken.
    is_untold: bool,
}

impl Default for Energy {
    fn default() -> Self {
        Self {
            start: None,
            end: 0.0,
            kinetic_end: 0.0,
            least: f64::INFINITY,
            deviation: None,
            gain: None,
            rise: None,
            total: Series::new("energy.total", "J"),
            kinetic: Series::new("energy.kinetic", "J"),
            turns: Turns::default(),
            is_untold: false,
        }
    }
}

impl Judge for Energy {
    fn name(&self) -> &'static str {
        "energy"
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        self.turns.follow(frame.scene, frame.state);
        let error = |joint: &Joint, i: usize| JointError::at_turn(joint, frame.state, self.turns.of(i));
        let stores = |(i, joint): (usize, &Joint)| error(joint, i).energy(joint) != 0.0;
        let untold = |&(i, _): &(usize, &Joint)| frame.is_broken(i).is_none();
        self.is_untold |= frame.scene.joints.iter().enumerate().filter(untold).any(stores);
        let is_broken = |i: usize| frame.is_broken(i).unwrap_or(false);
        let (kinetic, potential) = with_joints(frame.scene, frame.state, is_broken, error);
        let (at, total) = (frame.moment(), kinetic + potential);
        let start = *self.start.get_or_insert(total);
        self.least = self.least.min(total);
        (self.end, self.kinetic_end) = (total, kinetic);
        Peak::raise(&mut self.deviation, (total - start).abs(), at, String::new);
        Peak::raise(&mut self.gain, total - start, at, String::new);
        Peak::raise(&mut self.rise, total - self.least, at, String::new);
        self.total.points.push((at.time, total));
        self.kinetic.points.push((at.time, kinetic));
    }

    fn findings(&self, scene: &Scene) -> Vec<Finding> {
        let (Some(start), Some(deviation), Some(gain), Some(rise)) =
            (self.start, &self.deviation, &self.gain, &self.rise)
        else {
            return Vec::new();
        };
        if self.is_untold {
            return Vec::new();
        }
        let scale = Scale::of(scene).energy;
        let relative = |figure, peak: &Peak| {
            let finding = peak.finding(figure, None);
            Finding { value: Scale::relative(finding.value, scale), ..finding }
        };
        vec![
            Finding::of_scene(&START, start),
            Finding::of_scene(&END, self.end),
            Finding::of_scene(&CHANGE_END, Scale::relative(self.end - start, scale)),
            Finding::of_scene(&SCALE, scale),
            relative(&DRIFT, deviation),
            gain.finding(&GAIN_MAX, None),
            rise.finding(&RISE_MAX, None),
            relative(&RISE_RELATIVE, rise),
            Finding::of_scene(&KINETIC_END, self.kinetic_end),
        ]
    }

    fn series(&self) -> Vec<&Series> {
        if self.is_untold { Vec::new() } else { vec![&self.total, &self.kinetic] }
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::{Pose, Vec3};
    use rigor_scene::BodyState;

    use super::*;
    use crate::testing::{cube, judge, scene, value};

    /// Returns the findings on a cube of 8 kg that falls from rest with speed `speed(t)`.
    fn fall(speed: impl Fn(f64) -> f64) -> Vec<Finding> {
        let scene = scene(vec![cube("cube", Vec3::zeros())]);
        let frames = (0..100).map(|k| {
            let t = 0.01 * f64::from(k);
            let mut state = State::initial(&scene);
            state.bodies[0] = BodyState {
                pose: Pose::translation(Vec3::new(0.0, -0.5 * 10.0 * t * t, 0.0)),
                linear_velocity: Vec3::new(0.0, -speed(t), 0.0),
                angular_velocity: Vec3::zeros(),
            };
            state
        });
        judge(&scene, &mut Energy::default(), frames)
    }

    #[test]
    fn free_fall_conserves_energy() {
        let found = fall(|t| 10.0 * t);
        // 400 J are converted; each of the few operations rounds by at most ε.
        assert!(value(&found, "energy.drift") < 1e-15);
        assert!(value(&found, "energy.rise_max") < 1e-12);
        let kinetic = 0.5 * 8.0 * (10.0_f64 * 0.99).powi(2);
        assert!((value(&found, "energy.kinetic_end") - kinetic).abs() < 1e-12 * kinetic);
        // The scale is that of the scene's second, not of the 0.99 s that were seen.
        assert!((value(&found, "energy.scale") - 400.0).abs() < 1e-10);
    }

    #[test]
    fn a_push_out_of_nothing_is_a_gain() {
        let found = fall(|t| 10.0 * t + if t > 0.5 { 0.1 } else { 0.0 });
        let (before, after) = (0.5 * 8.0 * 9.9_f64 * 9.9, 0.5 * 8.0 * 10.0_f64 * 10.0);
        assert!((value(&found, "energy.gain_max") - (after - before)).abs() < 1e-11);
        assert!(value(&found, "energy.drift") > 1e-3);
    }

    #[test]
    fn a_rise_after_a_loss_is_seen_though_the_start_is_never_exceeded() {
        let found = fall(|t| 10.0 * t * if !(0.5..=0.9).contains(&t) { 1.0 } else { 0.9 });
        assert!(value(&found, "energy.gain_max") < 1e-11);
        assert!(value(&found, "energy.rise_max") > 10.0);
    }
}
