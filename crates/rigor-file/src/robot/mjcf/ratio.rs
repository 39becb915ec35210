//! Damping by a ratio: that of an oscillator with the mass that an actuator moves.

use std::collections::BTreeMap;
use std::ops::Range;

use nalgebra::{DMatrix, DVector};
use rigor_math::Vec3;

use super::super::model::{Joint, Kind, Model};
use super::super::{Dropped, Place};

/// Maximum number of coordinates.
const MAX_COORDINATES: usize = 1000;

/// A damping by the mass that moves.
pub enum Ratio {
    /// An actuator of stiffness `kp` (N m/rad or N/m) and gear `gear` with the ratio `zeta`.
    Servo { joint: String, zeta: f64, kp: f64, gear: f64 },
    /// The spring and damper of a joint, of the time `time` (s) and the ratio `zeta`, which rests at `rest` (rad or m).
    Spring { joint: String, time: f64, zeta: f64, rest: f64 },
}

impl Ratio {
    fn joint(&self) -> &str {
        match self {
            Self::Servo { joint, .. } | Self::Spring { joint, .. } => joint,
        }
    }
}

/// A coordinate: a point p moves with `shift` + `turn` × p.
#[derive(Clone, Copy)]
struct Coordinate {
    turn: Vec3,
    shift: Vec3,
}

impl Coordinate {
    fn turn(axis: Vec3, through: &Vec3) -> Self {
        Self { turn: axis, shift: through.cross(&axis) }
    }

    fn shift(way: Vec3) -> Self {
        Self { turn: Vec3::zeros(), shift: way }
    }

    /// Those of a joint.
    fn of_joint(joint: &Joint) -> Vec<Self> {
        let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
        match joint.kind {
            Kind::Fixed => Vec::new(),
            Kind::Hinge => vec![Self::turn(joint.axis, &joint.position)],
            Kind::Slide => vec![Self::shift(joint.axis)],
            Kind::Ball => axes.map(|axis| Self::turn(axis, &joint.position)).to_vec(),
        }
    }

    /// Those of a free body.
    fn free() -> Vec<Self> {
        let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
        let turns = axes.map(|axis| Self::turn(axis, &Vec3::zeros()));
        axes.map(Self::shift).into_iter().chain(turns).collect()
    }
}

/// Adds the damping of ratios. With the matrix of masses M, a coordinate j has the mass m = 1/(M⁻¹)ⱼⱼ. An actuator of gear g and
/// stiffness k_p, which moves m/g², damps with 2 ζ √(k_p m/g²); a spring of time τ has the stiffness m/(τζ)² and the damping 2m/τ.
///
/// Source: MuJoCo, XML reference, `position/dampratio` and `joint/springdamper`. Deviation: the posture is that of the start.
pub fn resolve(model: &mut Model, ratios: &[Ratio]) {
    if ratios.is_empty() {
        return;
    }
    let moves = Moves::of(model);
    let n = moves.all.len();
    if n > MAX_COORDINATES {
        let what = format!("the damping by ratios of {} joints", ratios.len());
        let why = format!(
            "it is left out: the model has {n} coordinates, and at most {MAX_COORDINATES} are treated"
        );
        model.dropped.push(Dropped { file: model.file.clone(), place: Place::Line(1), what, why });
        return;
    }
    let mut matrix = moves.masses(model);
    let mut place = BTreeMap::new();
    let is_single = |joint: &&Joint| matches!(joint.kind, Kind::Hinge | Kind::Slide);
    for joint in model.joints.iter().filter(is_single) {
        if let Some(i) = moves.of_link.get(&joint.child).map(|range| range.start) {
            matrix[(i, i)] += joint.rotor;
            place.insert(joint.name.as_str(), i);
        }
    }
    let Some(factor) = matrix.cholesky() else { return };
    let mut masses = BTreeMap::new();
    for name in ratios.iter().map(Ratio::joint) {
        let Some(i) = place.get(name) else { continue };
        let mut column = DVector::zeros(n);
        column[*i] = 1.0;
        factor.solve_mut(&mut column);
        masses.insert(name.to_owned(), 1.0 / column[*i]);
    }
    for ratio in ratios {
        let Some(mass) = masses.get(ratio.joint()).filter(|mass| mass.is_finite()) else { continue };
        let Some(joint) = model.joints.iter_mut().find(|joint| joint.name == ratio.joint()) else { continue };
        match *ratio {
            Ratio::Servo { zeta, kp, gear, .. } => {
                joint.damping += 2.0 * zeta * (kp * mass).sqrt() * gear.abs();
            }
            Ratio::Spring { time, zeta, rest, .. } => {
                joint.pull(mass / (time * zeta * time * zeta), 2.0 * mass / time, rest);
            }
        }
    }
}

/// The coordinates of a model.
struct Moves {
    all: Vec<Coordinate>,
    /// Those with which a link moves against the one above it.
    of_link: BTreeMap<usize, Range<usize>>,
    /// The link above each one.
    above: BTreeMap<usize, usize>,
}

impl Moves {
    fn of(model: &Model) -> Self {
        let mut own = Self { all: Vec::new(), of_link: BTreeMap::new(), above: BTreeMap::new() };
        for joint in &model.joints {
            own.add(joint.child, Coordinate::of_joint(joint));
            own.above.extend(joint.parent.map(|parent| (joint.child, parent)));
        }
        for (i, link) in model.links.iter().enumerate() {
            if !link.is_static && !own.of_link.contains_key(&i) {
                own.add(i, Coordinate::free());
            }
        }
        own
    }

    fn add(&mut self, link: usize, coordinates: Vec<Coordinate>) {
        let start = self.all.len();
        self.all.extend(coordinates);
        self.of_link.insert(link, start..self.all.len());
    }

    /// The coordinates with which a link moves.
    fn moving(&self, link: usize) -> Vec<usize> {
        let mut moving = Vec::new();
        let mut next = Some(link);
        while let Some(at) = next {
            moving.extend(self.of_link.get(&at).cloned().unwrap_or_default());
            next = self.above.get(&at).copied();
        }
        moving
    }

    /// Mᵢⱼ = Σ m vᵢ·vⱼ + ωᵢ·I ωⱼ over all links, of which those between joints in a row move with the link below.
    fn masses(&self, model: &Model) -> DMatrix<f64> {
        let n = self.all.len();
        let mut matrix = DMatrix::zeros(n, n);
        for (i, link) in model.links.iter().enumerate() {
            let moving = self.moving(model.stands_for.get(&i).copied().unwrap_or(i));
            let mass = link.mass.at(&link.pose);
            for a in &moving {
                for b in &moving {
                    let (a_, b_) = (self.all[*a], self.all[*b]);
                    let [v, w] = [a_, b_].map(|c| c.shift + c.turn.cross(&mass.center));
                    matrix[(*a, *b)] += mass.mass * v.dot(&w) + a_.turn.dot(&(mass.inertia * b_.turn));
                }
            }
        }
        matrix
    }
}
