//! Contacts as detection finds them: points, normal, and where impulses act.

use rigor_math::{Pose, Vec3};

use crate::frame::Frame;
use crate::round::{Ball, Circle};

/// The kind of contact (corner of a, corner of b, crossed edges, either end of parallel edges, those of features that crossed,
/// those of balls) and the feature indices of a and b: it identifies a contact from substep to substep.
pub type ContactKey = [u32; 3];

/// The feature that determines the normal of a contact, from which every solve recomputes the normal.
#[derive(Debug, Clone, Copy)]
pub enum NormalFeature {
    /// A face of a: its outward normal in a's frame, which points at b.
    FaceOfA(Vec3),
    /// A face of b: its outward normal in b's frame, which points at a.
    FaceOfB(Vec3),
    /// Two edges: their directions in the frames of a and b, ordered so that their cross product points to a.
    Edges(Vec3, Vec3),
}

impl NormalFeature {
    /// Returns the unit normal from b to a (world), given the bodies' frames `a` and `b`.
    #[inline]
    pub fn normal(&self, a: &Frame, b: &Frame) -> Vec3 {
        self.normal_turned(|local| a.vector(local), |local| b.vector(local))
    }

    /// Returns the same normal, given the bodies' poses; cheaper for a single contact.
    #[inline]
    pub fn normal_posed(&self, a: &Pose, b: &Pose) -> Vec3 {
        self.normal_turned(|local| a.rotation * local, |local| b.rotation * local)
    }

    #[inline]
    fn normal_turned(&self, a: impl Fn(&Vec3) -> Vec3, b: impl Fn(&Vec3) -> Vec3) -> Vec3 {
        match self {
            Self::FaceOfA(n) => -a(n),
            Self::FaceOfB(n) => b(n),
            Self::Edges(u, w) => a(u).cross(&b(w)).normalize(),
        }
    }
}

/// A contact found between two bodies a and b.
#[derive(Debug, Clone)]
pub struct Found {
    /// The features in contact.
    pub key: ContactKey,
    /// Point of a, in its frame (m).
    pub point_a_local: Vec3,
    /// Point of b, in its frame (m).
    pub point_b_local: Vec3,
    /// What determines the normal.
    pub feature: NormalFeature,
    /// n in the frame of b.
    pub normal_b_local: Vec3,
    /// Where impulses act.
    pub footing: Footing,
}

/// Where the bodies touched before the substep, which is where impulses act.
///
/// The point of a ball that touches the ground at the end of a substep h was ahead of its centre by h v before. If the
/// impulse that carries the ball acted there, it would slow its rotation at the rate g h/r.
#[derive(Debug, Clone, Copy)]
pub enum Footing {
    /// Midway between the two points that touch.
    Midpoint,
    /// The point of a on which a ball of b turns.
    PointOfA(Ball),
    /// The same of b.
    PointOfB(Ball),
    /// The outermost point of a round surface of a along the normal.
    BallOfA(Ball),
    /// The same of b.
    BallOfB(Ball),
    /// The same of the rim of a disc of a.
    CircleOfA(Circle),
    /// The same of b.
    CircleOfB(Circle),
    /// Between the centres of balls of a and b.
    Balls([Ball; 2]),
}

impl Footing {
    /// Returns the point (m, world), given the two points `p_a`, `p_b` and the normal `n`.
    pub fn point(&self, before: [&Frame; 2], [p_a, p_b]: [Vec3; 2], n: &Vec3) -> Vec3 {
        let [a, b] = before;
        let midpoint = 0.5 * (p_a + p_b);
        match self {
            Self::Midpoint => midpoint,
            Self::PointOfA(_) => p_a,
            Self::PointOfB(_) => p_b,
            Self::BallOfA(ball) => a.point(&ball.tip(&-a.inverse_vector(n))),
            Self::BallOfB(ball) => b.point(&ball.tip(&b.inverse_vector(n))),
            Self::CircleOfA(circle) => {
                circle.tip(&-a.inverse_vector(n)).map_or(midpoint, |tip| a.point(&tip))
            }
            Self::CircleOfB(circle) => circle.tip(&b.inverse_vector(n)).map_or(midpoint, |tip| b.point(&tip)),
            Self::Balls([of_a, of_b]) => {
                let (center_a, center_b) = (a.point(&of_a.center), b.point(&of_b.center));
                center_b + of_b.radius / (of_a.radius + of_b.radius) * (center_a - center_b)
            }
        }
    }
}

/// A contact at some poses of its bodies, in the world.
#[derive(Debug, Clone, Copy)]
pub struct Touch {
    /// Unit normal from b to a.
    pub normal: Vec3,
    /// Signed gap along the normal (m).
    pub gap: f64,
    /// Where impulses act (m).
    pub point: Vec3,
}

impl Found {
    /// Returns the contact with the bodies' frames at `a` and `b`: of a round surface with the point that touches there, not with the one
    /// that did where the contact was found.
    pub fn touch(&self, a: &Frame, b: &Frame) -> Touch {
        let (p_a, p_b) = (a.point(&self.point_a_local), b.point(&self.point_b_local));
        let round = |center: Vec3, other: Vec3, size: f64, sign: f64| {
            let between = (center - other) * sign;
            let normal =
                between.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(|| self.feature.normal(a, b));
            (normal, between.norm() - size)
        };
        match self.footing {
            Footing::Balls([of_a, of_b]) => {
                let (center_a, center_b) = (a.point(&of_a.center), b.point(&of_b.center));
                let (normal, gap) = round(center_a, center_b, of_a.radius + of_b.radius, 1.0);
                Touch { normal, gap, point: center_b + (of_b.radius + 0.5 * gap) * normal }
            }
            Footing::PointOfA(ball) => {
                let (normal, gap) = round(b.point(&ball.center), p_a, ball.radius, -1.0);
                Touch { normal, gap, point: p_a }
            }
            Footing::PointOfB(ball) => {
                let (normal, gap) = round(a.point(&ball.center), p_b, ball.radius, 1.0);
                Touch { normal, gap, point: p_b }
            }
            Footing::Midpoint
            | Footing::BallOfA(_)
            | Footing::BallOfB(_)
            | Footing::CircleOfA(_)
            | Footing::CircleOfB(_) => {
                let normal = self.feature.normal(a, b);
                let tip = self.footing.point([a, b], [p_a, p_b], &normal);
                match self.footing {
                    Footing::BallOfA(_) | Footing::CircleOfA(_) => {
                        Touch { normal, gap: (tip - p_b).dot(&normal), point: tip }
                    }
                    Footing::BallOfB(_) | Footing::CircleOfB(_) => {
                        Touch { normal, gap: (p_a - tip).dot(&normal), point: tip }
                    }
                    Footing::Midpoint | Footing::PointOfA(_) | Footing::PointOfB(_) | Footing::Balls(_) => {
                        Touch { normal, gap: (p_a - p_b).dot(&normal), point: tip }
                    }
                }
            }
        }
    }

    /// Returns whether it pushes within `same` (m) of `point_b_local` (m) along the line of `direction`, of
    /// any length. Where a corner meets an edge, for example, two pairs of features describe one contact.
    pub fn is_at(&self, point_b_local: &Vec3, direction: &Vec3, same: f64) -> bool {
        let along = self.normal_b_local.dot(direction);
        (self.point_b_local - point_b_local).norm_squared() <= same * same
            && along * along > 0.98 * direction.norm_squared()
    }

    /// Returns whether its features were behind each other by more than `deep` (m) before the substep, as a
    /// corner above a plate is behind the plate's lower face.
    ///
    /// A round surface was there with another point: the one that touches now was r (ω h)²/2 farther back.
    pub(crate) fn was_behind(&self, [a, b]: [&Frame; 2], deep: f64) -> bool {
        self.gap([a, b]) < -deep
    }

    /// Returns the gap (m) along the normal with the bodies' frames at `a` and `b`: of the two points that touch where the contact was
    /// found, but of a round surface as it is there.
    pub(crate) fn gap(&self, [a, b]: [&Frame; 2]) -> f64 {
        match self.footing {
            Footing::Midpoint => {
                let gap = a.point(&self.point_a_local) - b.point(&self.point_b_local);
                gap.dot(&self.feature.normal(a, b))
            }
            Footing::PointOfA(_)
            | Footing::PointOfB(_)
            | Footing::BallOfA(_)
            | Footing::BallOfB(_)
            | Footing::CircleOfA(_)
            | Footing::CircleOfB(_)
            | Footing::Balls(_) => self.touch(a, b).gap,
        }
    }
}
