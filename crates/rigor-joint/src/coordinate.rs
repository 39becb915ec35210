//! What a joint measures of its bodies: values and gradients.

use rigor_math::{Pose, Vec3, elementary};
use rigor_scene::joint::unwrapped;
use rigor_scene::{HeldRotation, Joint, JointFrames, JointKind, Range};

use crate::axis::{Axis, Ends};

/// A coordinate of a joint.
#[derive(Debug, Clone, Copy)]
pub struct Coordinate {
    /// Its gradient: ẋ is the velocity along this axis.
    pub axis: Axis,
    /// Its value x (m or rad).
    pub x: f64,
}

/// A coordinate that may have bounds and a drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The slide, or the distance (m).
    Length,
    /// The turn (rad).
    Turn,
    /// The swing (rad).
    Swing,
}

/// A joint at some poses of its bodies.
#[derive(Debug)]
pub struct PlacedJoint<'a> {
    joint: &'a Joint,
    /// Its frames.
    pub frames: JointFrames,
    /// From the centres of mass to the origin of frame A (m); of the world, to B's point at it.
    levers: [Vec3; 2],
}

impl<'a> PlacedJoint<'a> {
    /// Places `joint` between bodies at these poses.
    pub fn new(joint: &'a Joint, pose: impl Fn(usize) -> Pose) -> Self {
        let frames = JointFrames::of(joint, |id| pose(id.0));
        let origin = frames.a.position;
        let of_b = joint.body_b.map_or_else(Vec3::zeros, |b| origin - pose(b.0).position);
        Self { joint, frames, levers: [origin - pose(joint.body_a.0).position, of_b] }
    }

    /// Returns the bodies between which it acts.
    pub fn ends(&self) -> Ends {
        ends_of(self.joint)
    }

    /// Returns the levers (m): from the centres of mass to the origin of frame A, and of the world B's point at it.
    pub fn levers(&self) -> [Vec3; 2] {
        self.levers
    }

    /// Returns the displacements of A's origin along the held axes of B.
    pub fn gaps(&self) -> impl Iterator<Item = Coordinate> {
        let (axes, local, held) = (self.frames.axes_b(), self.frames.gap_local(), self.joint.kind.held().gap);
        (0..3).filter(move |&i| held[i]).map(move |i| Coordinate {
            axis: Axis::at(axes.column(i).into_owned(), self.levers),
            x: local[i],
        })
    }

    /// Returns the rotations that are held.
    pub fn rotations(&self) -> impl Iterator<Item = Coordinate> + use<> {
        let axes = self.frames.axes_b();
        let about = |i: usize, x: f64| Some(Coordinate { axis: Axis::about(axes.column(i).into_owned()), x });
        let held: [Option<Coordinate>; 3] = match self.joint.kind.held().rotation {
            HeldRotation::All => {
                let log = rigor_math::rotation_vector::log(&self.frames.relative());
                [0, 1, 2].map(|i| about(i, log[i]))
            }
            HeldRotation::Swing => {
                let swing = self.frames.swing();
                [None, about(1, swing[1]), about(2, swing[2])]
            }
            HeldRotation::Cross => {
                let axis = self.frames.a.vector(&Vec3::y()).cross(&self.frames.axis_b());
                let size = axis.norm().max(f64::MIN_POSITIVE);
                let x = elementary::asin(self.frames.cross().clamp(-1.0, 1.0));
                [Some(Coordinate { axis: Axis::about(axis / size), x }), None, None]
            }
            HeldRotation::None => [None; 3],
        };
        held.into_iter().flatten()
    }

    /// Returns the distance of a rod less its length.
    pub fn rod(&self) -> Option<Coordinate> {
        match self.joint.kind {
            JointKind::Distance { min, max, .. } if min == max && max > 0.0 => {
                let coordinate = self.length();
                Some(Coordinate { x: coordinate.x - max, ..coordinate })
            }
            JointKind::Distance { .. }
            | JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Gear { .. } => None,
        }
    }

    /// Returns the slide, or the distance.
    pub fn length(&self) -> Coordinate {
        let n = match self.joint.kind {
            JointKind::Distance { .. } => {
                self.frames.gap().try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vec3::x)
            }
            JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Gear { .. } => self.frames.axis_b(),
        };
        Coordinate { axis: Axis::at(n, self.levers), x: length(&self.joint.kind, &self.frames) }
    }

    /// Returns the turn, counted so that it is nearest to `near` (rad); `None` near a swing of π.
    pub fn turn(&self, near: f64) -> Option<Coordinate> {
        let g = self.frames.turn_gradient()?;
        Some(Coordinate { axis: Axis::about(g), x: unwrapped(self.frames.turn(), near) })
    }

    /// Returns the swing.
    pub fn swing(&self) -> Coordinate {
        let swing = self.frames.swing();
        let axis = swing.try_normalize(1e-12).unwrap_or_else(Vec3::y);
        Coordinate { axis: Axis::about(self.frames.b.vector(&axis)), x: swing.norm() }
    }

    /// Returns what `measure` says; `turn` (rad) says which of its whole turns a turn is in. `None` of a turn near a swing of π.
    pub fn measured(&self, measure: Measure, turn: f64) -> Option<Coordinate> {
        match measure {
            Measure::Length => Some(self.length()),
            Measure::Turn => self.turn(turn),
            Measure::Swing => Some(self.swing()),
        }
    }

    /// Returns the coordinates that have bounds, with these; `turn` (rad) says which of its whole turns it is in.
    pub fn bounded(&self, turn: f64) -> impl Iterator<Item = (Measure, Range, Coordinate)> + use<> {
        let kind = &self.joint.kind;
        let mut found = [None; 3];
        let is_rod = self.rod().is_some();
        let is_pin = kind.held().gap == [true; 3];
        let range = match kind {
            JointKind::Distance { .. } => Range { compliance: self.joint.compliance, ..kind.length_range() },
            JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Gear { .. } => kind.length_range(),
        };
        if range.is_bounded() && !is_rod && !is_pin {
            found[0] = Some((Measure::Length, range, self.length()));
        }
        let range = kind.turn_range();
        if range.is_bounded()
            && let Some(turn) = self.turn(turn)
        {
            found[1] = Some((Measure::Turn, range, turn));
        }
        let range = kind.swing_range();
        if range.is_bounded() {
            let range = Range { min: f64::NEG_INFINITY, ..range };
            found[2] = Some((Measure::Swing, range, self.swing()));
        }
        found.into_iter().flatten()
    }

    /// Returns the rate of `ratio` · (turn of a about A's x axis) − (turn of b about B's x axis); `None` unless it is a gear.
    pub fn gear(&self) -> Option<Axis> {
        match self.joint.kind {
            JointKind::Gear { ratio } => Some(Axis {
                linear: Vec3::zeros(),
                turns: [self.frames.axis_a() * ratio, self.frames.axis_b()],
            }),
            JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Distance { .. } => None,
        }
    }

    /// Returns the directions in which its damping acts: along it, and about it.
    pub fn damped(&self) -> ([Option<Axis>; 3], [Axis; 3]) {
        let world = [Vec3::x(), Vec3::y(), Vec3::z()];
        let along = match self.joint.kind {
            JointKind::Distance { max, .. } if max > 0.0 => [Some(self.length().axis), None, None],
            JointKind::Distance { .. }
            | JointKind::Fixed
            | JointKind::Ball { .. }
            | JointKind::Hinge { .. }
            | JointKind::Universal
            | JointKind::Prismatic { .. }
            | JointKind::Cylindrical { .. }
            | JointKind::Gear { .. } => world.map(|n| Some(Axis::at(n, self.levers))),
        };
        (along, world.map(Axis::about))
    }
}

/// Returns the bodies between which a joint acts.
pub fn ends_of(joint: &Joint) -> Ends {
    Ends { a: joint.body_a.0, b: joint.body_b.map(|b| b.0) }
}

/// Returns the slide (m), or the distance of a distance joint.
fn length(kind: &JointKind, frames: &JointFrames) -> f64 {
    match kind {
        JointKind::Distance { .. } => frames.gap().norm(),
        JointKind::Fixed
        | JointKind::Ball { .. }
        | JointKind::Hinge { .. }
        | JointKind::Universal
        | JointKind::Prismatic { .. }
        | JointKind::Cylindrical { .. }
        | JointKind::Gear { .. } => frames.slide(),
    }
}
