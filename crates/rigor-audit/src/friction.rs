//! Coulomb's law in the reported contacts.

use rigor_scene::{ContactReport, Scene, State, StepReport};

use crate::contact::names;
use crate::figure::Figure;
use crate::finding::{Finding, Moment};
use crate::judge::{Frame, Judge};
use crate::peak::Peaks;
use rigor_math::angle;

const CONE_EXCESS: Figure = Figure::new(
    "friction.cone_excess",
    "1",
    "largest (‖f_t‖ − μ f_n) / largest f_n of the step, μ the larger coefficient; 0: inside the cone",
);
const SLIDING_DEFECT: Figure = Figure::new(
    "friction.sliding_defect",
    "1",
    "largest |‖f_t‖ − μ_d f_n| / largest f_n of the step, of sliding contacts; 0: on the cone",
);
const MISALIGNMENT: Figure = Figure::new(
    "friction.misalignment",
    "rad",
    "largest angle between the friction force of a sliding contact and the direction against its slip",
);
const POWER_GAIN: Figure = Figure::new(
    "friction.power_gain",
    "W",
    "largest power f_t · slip that friction feeds in; 0: it only dissipates",
);
const NORMAL_PART: Figure = Figure::new(
    "friction.normal_part",
    "1",
    "largest |f_t · n| / largest f_n of the step; 0: friction is tangential",
);

pub(crate) const FIGURES: &[Figure] = &[CONE_EXCESS, SLIDING_DEFECT, MISALIGNMENT, POWER_GAIN, NORMAL_PART];

/// Judges the friction forces that a method reports. Without reports it has no findings.
///
/// Coulomb's law for a contact with normal force f_n, friction force f_t and slip velocity v_t: ‖f_t‖ ≤ μ_s
/// f_n, and f_t = −μ_d f_n v_t/‖v_t‖ where it slides. A contact counts as sliding when ‖v_t‖ exceeds
/// [`Friction::slip_speed`]. Forces are compared with the largest f_n of the step, so that contacts with a
/// small normal force do not matter.
#[derive(Debug)]
pub struct Friction {
    /// Speed (m/s) above which a contact counts as sliding.
    pub slip_speed: f64,
    cone_excess: Peaks,
    sliding_defect: Peaks,
    misalignment: Peaks,
    power_gain: Peaks,
    normal_part: Peaks,
}

impl Default for Friction {
    /// Sliding starts at 1 cm/s.
    fn default() -> Self {
        Self {
            slip_speed: 1e-2,
            cone_excess: Peaks::default(),
            sliding_defect: Peaks::default(),
            misalignment: Peaks::default(),
            power_gain: Peaks::default(),
            normal_part: Peaks::default(),
        }
    }
}

impl Judge for Friction {
    fn name(&self) -> &'static str {
        "friction"
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        let Some(StepReport { contacts, .. }) = frame.report else { return };
        let scale = contacts.iter().map(|contact| contact.normal_force).fold(0.0, f64::max);
        for contact in contacts {
            self.measure(frame.scene, contact, scale, frame.moment());
        }
    }

    fn needs_reports(&self) -> bool {
        true
    }

    fn resume(&mut self, findings: &[Finding], _last: &State) {
        let peaks = [
            &mut self.cone_excess,
            &mut self.sliding_defect,
            &mut self.misalignment,
            &mut self.power_gain,
            &mut self.normal_part,
        ];
        FIGURES.iter().zip(peaks).for_each(|(figure, peaks)| peaks.resume(figure, findings));
    }

    fn findings(&self, _scene: &Scene) -> Vec<Finding> {
        let peaks = [
            &self.cone_excess,
            &self.sliding_defect,
            &self.misalignment,
            &self.power_gain,
            &self.normal_part,
        ];
        FIGURES.iter().zip(peaks).flat_map(|(figure, peaks)| peaks.findings(figure)).collect()
    }
}

impl Friction {
    fn measure(&mut self, scene: &Scene, contact: &ContactReport, scale: f64, at: Moment) {
        let (force, slip) = (&contact.friction_force_world, &contact.slip_velocity_world);
        let (mu_s, mu_d) = contact.friction;
        let size = force.norm();
        // Without any normal force, no friction is correct and any friction is an infinite error.
        let relative = |value: f64| if value == 0.0 { 0.0 } else { value / scale };
        let pair = || names(scene, contact);
        let slides = slip.norm() > self.slip_speed;
        let excess = (size - mu_s.max(mu_d) * contact.normal_force.max(0.0)).max(0.0);
        for body in [contact.body_a, contact.body_b] {
            self.cone_excess.raise(body, relative(excess), at, pair);
            self.power_gain.raise(body, force.dot(slip).max(0.0), at, pair);
            self.normal_part.raise(body, relative(force.dot(&contact.normal_world).abs()), at, pair);
            if slides {
                let defect = (size - mu_d * contact.normal_force).abs();
                self.sliding_defect.raise(body, relative(defect), at, pair);
                self.misalignment.raise(body, angle::between_directions(force, &-slip), at, pair);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;
    use rigor_scene::BodyId;

    use super::*;
    use crate::testing::{cube, judge_reports, scene, value};

    /// Returns the findings on a contact of 10 N along y with μ_s = 0.6, μ_d = 0.5, friction `force` (N) and
    /// `slip` (m/s).
    fn contact(force: Vec3, slip: Vec3) -> Vec<Finding> {
        let scene = scene(vec![cube("a", Vec3::zeros()), cube("b", -Vec3::y() * 2.0)]);
        let contact = ContactReport {
            body_a: BodyId(0),
            body_b: BodyId(1),
            point_world: Vec3::zeros(),
            normal_world: Vec3::y(),
            distance: 0.0,
            normal_force: 10.0,
            friction_force_world: force,
            slip_velocity_world: slip,
            friction: (0.6, 0.5),
        };
        let report = StepReport { contacts: vec![contact], ..StepReport::default() };
        let run = [(State::initial(&scene), Some(report))];
        judge_reports(&scene, &mut Friction::default(), run.into_iter())
    }

    #[test]
    fn coulombs_law_holds_for_holding_and_for_sliding() {
        let holding = contact(Vec3::new(3.6, 0.0, 4.8), Vec3::zeros());
        assert!(value(&holding, "friction.cone_excess") < 1e-15);
        assert!(!holding.iter().any(|f| f.figure == "friction.misalignment"));
        let sliding = contact(Vec3::new(-3.0, 0.0, -4.0), Vec3::new(0.6, 0.0, 0.8));
        for figure in FIGURES {
            assert!(value(&sliding, figure.name) < 1e-15, "{figure:?}");
        }
    }

    #[test]
    fn each_breach_is_found() {
        let near = |x: f64, y: f64| (x - y).abs() < 1e-14;
        let strong = contact(Vec3::x() * 8.0, Vec3::zeros());
        assert!(near(value(&strong, "friction.cone_excess"), 0.2));
        let weak = contact(-Vec3::x() * 4.0, Vec3::x());
        assert!(near(value(&weak, "friction.sliding_defect"), 0.1));
        let askew = contact(-Vec3::x() * 5.0, Vec3::z());
        assert!(near(value(&askew, "friction.misalignment"), std::f64::consts::FRAC_PI_2));
        let driving = contact(Vec3::x() * 5.0, Vec3::x() * 2.0);
        assert!(near(value(&driving, "friction.power_gain"), 10.0));
        let lifting = contact(Vec3::y(), Vec3::zeros());
        assert!(near(value(&lifting, "friction.normal_part"), 0.1));
    }
}
