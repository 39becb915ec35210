//! How figures change as a run goes on: whether a bound that is broken stays broken.

use rigor_scene::Bound;

use crate::figure::Figure;

/// How a figure changes while a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// It never falls: the largest so far, or a count.
    Grows,
    /// It never rises: the smallest so far.
    Falls,
    /// It stays what it is once it is measured.
    Stays,
    /// It may do either: a value at the end, or a mean.
    Changes,
}

/// The figures that only grow.
const GROWING: [&str; 51] = [
    "compare.position_bound",
    "compare.position_max",
    "compare.rotation_bound",
    "compare.rotation_max",
    "compare.samples",
    "constraint.attachment",
    "constraint.bond_stretch",
    "constraint.fixed_rotation",
    "constraint.fixed_spin",
    "constraint.fixed_translation",
    "constraint.joint_angle",
    "constraint.joint_bend",
    "constraint.joint_limit_angle",
    "constraint.joint_limit_position",
    "constraint.joint_position",
    "constraint.joint_stretch",
    "constraint.prescribed_angle",
    "constraint.prescribed_position",
    "constraint.quaternion_norm",
    "constraint.strain",
    "contact.balance",
    "contact.count_max",
    "contact.force_at_gap",
    "contact.pull",
    "energy.drift",
    "energy.gain_max",
    "energy.rise_max",
    "energy.rise_relative",
    "friction.cone_excess",
    "friction.misalignment",
    "friction.normal_part",
    "friction.power_gain",
    "friction.sliding_defect",
    "intersection.frames",
    "intersection.inside_frames",
    "intersection.observed",
    "intersection.pairs",
    "intersection.touching_frames",
    "momentum.angular_drift",
    "momentum.angular_relative",
    "momentum.linear_drift",
    "momentum.linear_relative",
    "motion.angular_speed_max",
    "motion.displacement_max",
    "motion.rotation_max",
    "motion.speed_max",
    "penetration.deepest",
    "penetration.particle",
    "tunnelling.centre_crossings",
    "tunnelling.passes",
    "tunnelling.unlinked",
];

impl Growth {
    /// Returns how the figure `name` changes; a figure that is not known may change in any way.
    ///
    /// ```
    /// use rigor_audit::Growth;
    /// assert_eq!(Growth::of("penetration.deepest"), Growth::Grows);
    /// assert_eq!(Growth::of("energy.end"), Growth::Changes);
    /// ```
    pub fn of(name: &str) -> Self {
        match name {
            name if GROWING.contains(&name) => Self::Grows,
            name if is_axis_of_drift(name) => Self::Grows,
            "distance.smallest" => Self::Falls,
            "energy.scale" | "energy.start" | "intersection.first_time" => Self::Stays,
            _ => Self::Changes,
        }
    }

    /// Returns whether a figure of this kind with `value` so far breaks `bound` however the run goes on. A value that is no number
    /// is the worst of a figure that grows, falls or stays, and remains.
    ///
    /// ```
    /// use rigor_audit::Growth;
    /// use rigor_scene::Bound;
    /// let limit = Bound::AtMost(1e-3);
    /// assert!(Growth::Grows.is_broken(&limit, 2e-3));
    /// assert!(!Growth::Grows.is_broken(&limit, 0.0));
    /// assert!(!Growth::Changes.is_broken(&limit, 2e-3));
    /// ```
    pub fn is_broken(self, bound: &Bound, value: f64) -> bool {
        if bound.holds(value) {
            return false;
        }
        let is_above = match *bound {
            Bound::AtMost(_) => true,
            Bound::AtLeast(_) => false,
            Bound::Near { target, .. } => value > target,
        };
        match self {
            Self::Grows => is_above || value.is_nan(),
            Self::Falls => !is_above || value.is_nan(),
            Self::Stays => true,
            Self::Changes => false,
        }
    }
}

/// Whether it is the largest drift of momentum along or about an axis.
fn is_axis_of_drift(name: &str) -> bool {
    let axis = name.strip_prefix("momentum.linear_drift_").or(name.strip_prefix("momentum.angular_drift_"));
    axis.is_some_and(|axis| ["x", "y", "z"].contains(&axis))
}

impl Figure {
    /// Returns how the figure changes while a run goes on.
    pub fn growth(&self) -> Growth {
        Growth::of(self.name)
    }
}

#[cfg(test)]
mod tests {
    use rigor_scene::{Body, Scene, State};

    use super::*;
    use crate::testing::{cube, scene};
    use crate::{Panel, figures};

    #[test]
    fn every_figure_that_only_grows_exists_and_says_so() {
        for name in GROWING {
            let figure = Figure::named(name).expect(name);
            let starts = [
                "largest",
                "greatest",
                "number of",
                "how ",
                "in how many",
                "those of",
                "momentum.",
                "energy.",
            ];
            assert!(
                starts.iter().any(|start| figure.meaning.starts_with(start)),
                "{name}: {}",
                figure.meaning
            );
            assert!(!figure.meaning.contains("at the end"), "{name}");
        }
        let largest = figures().filter(|figure| figure.meaning.starts_with("largest"));
        for figure in largest.filter(|figure| !figure.meaning.contains("at the end")) {
            let is_told = matches!(figure.name, "tunnelling.detour");
            assert!(is_told || figure.growth() == Growth::Grows, "{}", figure.name);
        }
    }

    /// Cubes that meet, go through each other, turn and part: no figure that is said to grow ever falls.
    #[test]
    fn figures_change_as_they_are_said_to() {
        let bodies: Vec<Body> =
            vec![cube("a", rigor_math::Vec3::zeros()), cube("b", rigor_math::Vec3::x() * 3.0)];
        let scene: Scene = scene(bodies);
        let mut panel = Panel::full(1);
        let mut before: Vec<(&'static str, Option<usize>, f64)> = Vec::new();
        for step in 0..60_u64 {
            let mut state = State { step, time: 0.1 * step as f64, ..State::initial(&scene) };
            let phase = 0.21 * step as f64;
            state.bodies[1].pose.position.x = 3.0 * phase.cos();
            state.bodies[1].pose.position.y = 0.4 * phase.sin() * phase;
            state.bodies[1].linear_velocity.x = (1.7 * phase).sin();
            state.bodies[0].angular_velocity.z = (0.9 * phase).cos();
            panel.observe(&scene, &state, None);
            let now: Vec<_> =
                panel.findings(&scene).iter().map(|f| (f.figure, f.body.map(|id| id.0), f.value)).collect();
            for (name, body, value) in &now {
                let Some((.., old)) = before.iter().find(|(n, b, _)| n == name && b == body) else {
                    continue;
                };
                let is_kept = match Growth::of(name) {
                    Growth::Grows => value >= old,
                    Growth::Falls => value <= old,
                    Growth::Stays => value.to_bits() == old.to_bits(),
                    Growth::Changes => true,
                };
                assert!(is_kept, "{name}: {old} and then {value}");
            }
            before = now;
        }
        assert!(before.iter().any(|(name, _, value)| *name == "intersection.frames" && *value > 0.0));
    }
}
