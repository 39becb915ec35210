//! Flaws of completed steps: one list for all methods.

use std::borrow::Cow;

use crate::body::BodyId;
use crate::particle::ParticleId;
use crate::scene::Scene;

/// A flaw of a step that did not fail: its result is worse than the method promises.
///
/// A step may have several flaws of one kind, with different subjects. The program counts the steps of a run with
/// each kind of flaw, and keeps the largest amount.
///
/// ```
/// use rigor_scene::{BodyId, Flaw, FlawKind, Subject};
/// let flaw = Flaw::new(FlawKind::EnergyMade, Subject::Body(BodyId(2)), 14.0);
/// assert_eq!((flaw.kind.name(), flaw.kind.unit(), flaw.amount), ("energy_made", "J", 14.0));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Flaw {
    /// What is wrong.
    pub kind: FlawKind,
    /// What it concerns; of several, that with the largest amount.
    pub subject: Subject,
    /// How much, in the unit of the kind; larger is worse.
    pub amount: f64,
}

impl Flaw {
    /// Creates a flaw of `amount`, in the unit of `kind`.
    pub fn new(kind: FlawKind, subject: Subject, amount: f64) -> Self {
        Self { kind, subject, amount }
    }
}

/// A kind of flaw. `docs/flaws.md` says for each which methods have it, and from which bound.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FlawKind {
    /// Bodies move faster than a step or substep resolves.
    TooFast,
    /// The mechanical energy rose by more than forces, drives and prescribed motion gave.
    EnergyMade,
    /// A kinematic body did not reach its prescribed pose.
    PrescribedMissed,
    /// A multiplier was cut at its largest value.
    MultiplierAtLimit,
    /// Friction and the normal forces that it depends on did not agree.
    FrictionDisagrees,
    /// Particles overlap by much of their size.
    DeepOverlap,
    /// Positions are rounded to much of a particle's size.
    CoarsePositions,
    /// A fluid lost more volume than its compression allows.
    Compressed,
    /// A contact under load was not resolved: the bodies were pressed into each other.
    Squeezed,
    /// A corner of a body was deep inside a solid one.
    Sunk,
    /// A joint that holds its bodies rigidly was apart.
    JointApart,
    /// The equations of the joints had no unique solution.
    SingularJoints,
    /// Joints did not hold at the start, and bodies were moved to make them hold.
    StartCorrected,
    /// The iterations ended before their tolerance was reached.
    Unconverged,
    /// A step could not be solved as a whole, and was made in smaller parts.
    Halved,
    /// Elastic elements were turned inside out.
    Inverted,
    /// A flaw that only one method knows.
    Other {
        /// Its name, one word of letters, digits and `_`.
        name: Cow<'static, str>,
        /// The flaw as the first part of a sentence that ends in "in 3 of 100 steps".
        what: Cow<'static, str>,
        /// The unit of its amount; "1" for counts and ratios.
        unit: Cow<'static, str>,
    },
}

impl FlawKind {
    /// The kinds that Rigor knows, in the order of `docs/flaws.md`.
    pub const ALL: [Self; 16] = [
        Self::TooFast,
        Self::EnergyMade,
        Self::PrescribedMissed,
        Self::MultiplierAtLimit,
        Self::FrictionDisagrees,
        Self::DeepOverlap,
        Self::CoarsePositions,
        Self::Compressed,
        Self::Squeezed,
        Self::Sunk,
        Self::JointApart,
        Self::SingularJoints,
        Self::StartCorrected,
        Self::Unconverged,
        Self::Halved,
        Self::Inverted,
    ];

    /// The kind of this name, if Rigor knows it.
    ///
    /// ```
    /// use rigor_scene::FlawKind;
    /// assert_eq!(FlawKind::named("too_fast"), Some(FlawKind::TooFast));
    /// assert_eq!(FlawKind::named("other"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name in tables and files, one word of letters, digits and `_`.
    pub fn name(&self) -> &str {
        self.words().0
    }

    /// The flaw as the first part of a sentence that ends in "in 3 of 100 steps".
    pub fn what(&self) -> &str {
        self.words().1
    }

    /// The unit of the amount; "1" for counts and ratios.
    pub fn unit(&self) -> &str {
        self.words().2
    }

    /// What the amount measures, in the unit of the kind.
    pub fn amount(&self) -> &'static str {
        match self {
            Self::TooFast => "motion, over the largest that the method resolves",
            Self::EnergyMade => "energy from nowhere, beyond the bound of the step",
            Self::PrescribedMissed => {
                "distance between the place of a point of the body and its prescribed place"
            }
            Self::MultiplierAtLimit => "value that the multiplier would have needed, over its limit",
            Self::FrictionDisagrees => "number of bodies whose friction did not agree",
            Self::DeepOverlap => "overlap, over the diameter of the particle",
            Self::CoarsePositions => "rounding error, over the diameter of the particle",
            Self::Compressed => "change of density, over the density at rest",
            Self::Squeezed => "depth of the contact, over the thickness of the thinner body",
            Self::Sunk => "depth of the corner, over the thickness of the thinner body",
            Self::JointApart => "distance by which the joint was apart, over the radius of its smaller body",
            Self::SingularJoints => "condition number of the equations",
            Self::StartCorrected => "largest error of a joint at the start, as a distance",
            Self::Unconverged => "residual, over its tolerance",
            Self::Halved => "length of the step, over that of its smallest part",
            Self::Inverted => "number of elements, or of their quadrature points",
            Self::Other { .. } => "as the method says",
        }
    }

    fn words(&self) -> (&str, &str, &str) {
        match self {
            Self::TooFast => {
                ("too_fast", "bodies moved faster than the method resolves: contact may be missed", "1")
            }
            Self::EnergyMade => {
                ("energy_made", "energy was made that no force, drive or prescribed motion gave", "J")
            }
            Self::PrescribedMissed => ("prescribed_missed", "a body did not reach its prescribed pose", "m"),
            Self::MultiplierAtLimit => ("multiplier_at_limit", "a multiplier was cut at its limit", "1"),
            Self::FrictionDisagrees => (
                "friction_disagrees",
                "friction did not agree with its normal forces within the maximum number of rounds",
                "1",
            ),
            Self::DeepOverlap => ("deep_overlap", "particles overlapped by more than half a diameter", "1"),
            Self::CoarsePositions => (
                "coarse_positions",
                "positions were so far from the origin that single precision rounds them to a thousandth of a diameter",
                "1",
            ),
            Self::Compressed => {
                ("compressed", "a fluid was compressed by more than ten times `compression`", "1")
            }
            Self::Squeezed => {
                ("squeezed", "a loaded contact was not resolved: bodies were pressed into each other", "1")
            }
            Self::Sunk => ("sunk", "bodies were deep inside each other", "1"),
            Self::JointApart => ("joint_apart", "a joint did not hold its bodies together", "1"),
            Self::SingularJoints => {
                ("singular_joints", "the equations of joints had no unique solution", "1")
            }
            Self::StartCorrected => {
                ("start_corrected", "bodies were moved since joints did not hold at the start", "m")
            }
            Self::Unconverged => {
                ("unconverged", "the iterations ended before they reached their tolerance", "1")
            }
            Self::Halved => {
                ("halved", "a step that could not be solved as a whole was made in smaller parts", "1")
            }
            Self::Inverted => ("inverted", "elastic elements were turned inside out", "1"),
            Self::Other { name, what, unit } => (name, what, unit),
        }
    }
}

/// What a flaw concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The scene as a whole, or a part that the method does not name.
    Scene,
    /// A body.
    Body(BodyId),
    /// Two bodies.
    Pair(BodyId, BodyId),
    /// The index of a joint in [`Scene::joints`].
    Joint(usize),
    /// The index of a bond in [`Scene::bonds`].
    Bond(usize),
    /// A particle.
    Particle(ParticleId),
}

impl Subject {
    /// Returns the name for messages; `None` for the scene as a whole, and where `scene` has no such thing.
    ///
    /// ```
    /// use rigor_scene::{Scene, Subject};
    /// assert_eq!(Subject::Scene.name(&Scene::default()), None);
    /// assert_eq!(Subject::Joint(3).name(&Scene::default()), None);
    /// ```
    pub fn name(&self, scene: &Scene) -> Option<String> {
        let body = |id: BodyId| scene.bodies.get(id.0).map(|body| &body.name);
        match *self {
            Self::Scene => None,
            Self::Body(id) => body(id).map(|name| format!("body {name:?}")),
            Self::Pair(a, b) => Some(format!("bodies {:?} and {:?}", body(a)?, body(b)?)),
            Self::Joint(i) => scene.joints.get(i).map(|joint| format!("joint {:?}", joint.name)),
            Self::Bond(i) => (i < scene.bonds.len()).then(|| scene.bond_name(i)),
            Self::Particle(id) => (id.0 < scene.particles.len()).then(|| scene.particle_name(id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_words_and_descriptions_begin_a_sentence() {
        let names: BTreeSet<_> = FlawKind::ALL.iter().map(FlawKind::name).collect();
        assert_eq!(names.len(), FlawKind::ALL.len());
        for kind in &FlawKind::ALL {
            assert!(kind.name().chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{}", kind.name());
            assert!(!kind.what().ends_with('.') && !kind.amount().ends_with('.'), "{}", kind.name());
        }
    }

    #[test]
    fn a_kind_of_a_guest_has_its_own_words() {
        let own = FlawKind::Other { name: "late".into(), what: "it was late".into(), unit: "s".into() };
        assert_eq!((own.name(), own.what(), own.unit()), ("late", "it was late", "s"));
    }
}
