//! Contacts of [balls](crate::round::Ball) with faces, edges and corners of another body, and with its balls.
//!
//! A ball touches a surface where the distance of its centre has a local minimum: above a face, across an edge or at a
//! corner whose cone of normals the direction to the centre is in. The direction is the normal of the contact.

use rigor_geometry::Aabb;
use rigor_geometry::distance::{point_edge, point_triangle};
use rigor_math::Vec3;

use crate::feature::{Face, Features};
use crate::found::NormalFeature;
use crate::found::{Footing, Found};
use crate::frame::Frame;
use crate::round::Ball;
use crate::tolerance::{DEEP, INSIDE};
use crate::window::Window;

/// A ball of one body against a feature of the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BallFeature {
    ball: u32,
    feature: Feature,
}

/// A feature of the body that a ball meets.
#[derive(Debug, Clone, Copy)]
enum Feature {
    Face(u32),
    Edge(u32),
    Corner(u32),
    Ball(u32),
}

/// The body with the balls as seen from the frame of the other.
pub(crate) struct BallView<'a> {
    /// Its frame in that of the other.
    pub frame: &'a Frame,
    /// The same at the start of the step.
    pub start: &'a Frame,
    pub window: &'a Window,
    /// Overlap (m) that stays uncorrected.
    pub slop: f64,
    /// Whether the balls are of the first body of the pair.
    pub of_a: bool,
}

/// First kinds of contacts in a [`ContactKey`](crate::ContactKey): those of balls of a, and of b.
const KINDS: [u32; 2] = [11, 15];

impl BallFeature {
    /// Finds the features of `other` that the balls of `features`, whose frame in that of `other` is `frame`, may touch
    /// within `far` (m). Two balls are found from the first body only.
    pub fn find(
        features: &Features,
        other: &Features,
        frame: &Frame,
        far: f64,
        is_first: bool,
        found: &mut Vec<Self>,
    ) {
        found.clear();
        for (ball, Ball { center, radius }) in (0..).zip(&features.balls) {
            let center = frame.point(center);
            let reach = radius + far;
            let near = Aabb::new(center, center).grow(reach);
            let sq = reach * reach;
            let mut push = |feature: Feature| found.push(Self { ball, feature });
            let sorted = |mut ids: Vec<u32>| {
                ids.sort_unstable();
                ids
            };
            for id in sorted(other.face_tree.overlapping(&near)) {
                let face = &other.faces[id as usize];
                let [a, b, c] = &face.corners;
                let apart = point_triangle::closest(&center, a, b, c).separation;
                if !face.in_ball && apart.norm_squared() <= sq {
                    push(Feature::Face(id));
                }
            }
            for id in sorted(other.edge_tree.overlapping(&near)) {
                let edge = &other.edges[id as usize];
                let [a, b] = &edge.ends;
                if !edge.in_ball && point_edge::distance_sq(&center, a, b) <= sq {
                    push(Feature::Edge(id));
                }
            }
            for id in sorted(other.corner_tree.overlapping(&near)) {
                let corner = &other.corners[id as usize];
                if !corner.in_ball && (center - corner.position).norm_squared() <= sq {
                    push(Feature::Corner(id));
                }
            }
            for (id, of_other) in (0..).zip(&other.balls).filter(|_| is_first) {
                if (center - of_other.center).norm() <= reach + of_other.radius {
                    push(Feature::Ball(id));
                }
            }
        }
    }
}

/// Where a ball meets a feature, in the frame of the feature's body.
struct Meeting {
    feature: Feature,
    /// Unit vector from the feature to the centre of the ball.
    normal: Vec3,
    /// Distance (m) of the centre; negative behind a face.
    height: f64,
    /// Nearest point of the feature (m).
    foot: Vec3,
}

/// Adds the contacts of the balls of `features` with `other` to those `found`.
pub(crate) fn find(
    features: &Features,
    other: &Features,
    seen: &BallView<'_>,
    candidates: &[BallFeature],
    same: f64,
    found: &mut Vec<Found>,
) {
    for of_ball in candidates.chunk_by(|x, y| x.ball == y.ball) {
        let index = of_ball[0].ball;
        let ball = &features.balls[index as usize];
        let (center, start) = (seen.frame.point(&ball.center), seen.start.point(&ball.center));
        let meet = |near: &BallFeature| match near.feature {
            Feature::Face(id) => above(near.feature, &other.faces[id as usize], &center, &start),
            Feature::Edge(id) => {
                let edge = &other.edges[id as usize];
                let along = (center - edge.ends[0]).dot(&edge.direction);
                let foot = edge.ends[0] + along * edge.direction;
                let is_on = (0.0..=edge.length).contains(&along);
                is_on.then(|| across(near.feature, &foot, &center, |m| edge.contains(m)))?
            }
            Feature::Corner(id) => {
                let corner = &other.corners[id as usize];
                across(near.feature, &corner.position, &center, |m| corner.contains(m))
            }
            Feature::Ball(id) => {
                let of_other = &other.balls[id as usize];
                let meeting = across(near.feature, &of_other.center, &center, |_| true)?;
                let foot = of_other.tip(&meeting.normal);
                Some(Meeting { foot, height: meeting.height - of_other.radius, ..meeting })
            }
        };
        let mut meetings: Vec<Meeting> = of_ball.iter().filter_map(meet).collect();
        // Where the centre is in front of some face, those behind which it is are on the far side of the body.
        // Inside of a body only the nearest face counts.
        let deepest = meetings.iter().map(|m| m.height).fold(f64::NEG_INFINITY, f64::max).min(0.0);
        meetings.retain(|m| {
            let separation = m.height - ball.radius;
            m.height >= deepest
                && seen.window.admits(separation)
                && (separation >= -DEEP * seen.slop || m.height < 0.0 || other.is_clear(&center, &m.foot))
        });
        for meeting in &meetings {
            let new = contact(index, ball, other, meeting, seen);
            if !found.iter().any(|f| f.is_at(&new.point_b_local, &new.normal_b_local, same)) {
                found.push(new);
            }
        }
    }
}

/// Returns the meeting with a face, if the foot of the centre is inside of it.
///
/// A sheet is touched from the side on which the centre was at the start of the step, if it was over the face then, else
/// from that on which it is.
fn above(feature: Feature, face: &Face, center: &Vec3, start: &Vec3) -> Option<Meeting> {
    let height = |p: &Vec3| face.normal.dot(p) - face.offset;
    let (now, before) = (height(center), height(start));
    let foot = center - now * face.normal;
    if face.past(&foot) > INSIDE * face.length {
        return None;
    }
    let was_over = face.past(&(start - before * face.normal)) <= before.abs();
    let side = match face.solid {
        true => 1.0,
        false => 1.0_f64.copysign(if was_over && before != 0.0 { before } else { now }),
    };
    Some(Meeting { feature, normal: side * face.normal, height: side * now, foot })
}

/// Returns the meeting with the point `foot`, if the direction to the centre is one that its feature `contains`.
fn across(feature: Feature, foot: &Vec3, center: &Vec3, contains: impl Fn(&Vec3) -> bool) -> Option<Meeting> {
    let between = center - foot;
    let height = between.norm();
    let normal = between.try_normalize(f64::MIN_POSITIVE)?;
    contains(&normal).then_some(Meeting { feature, normal, height, foot: *foot })
}

fn contact(index: u32, ball: &Ball, other: &Features, meeting: &Meeting, seen: &BallView<'_>) -> Found {
    let Meeting { feature, normal, foot, .. } = meeting;
    let tip = ball.tip(&-seen.frame.inverse_vector(normal));
    let (kind, of_feature, balls) = match *feature {
        Feature::Face(id) => (0, id, None),
        Feature::Edge(id) => (1, id, None),
        Feature::Corner(id) => (2, id, None),
        Feature::Ball(id) => (3, id, Some([*ball, other.balls[id as usize]])),
    };
    let footing = match (*feature, seen.of_a) {
        (Feature::Ball(_), _) => balls.map_or(Footing::Midpoint, Footing::Balls),
        (Feature::Face(_), true) => Footing::BallOfA(*ball),
        (Feature::Face(_), false) => Footing::BallOfB(*ball),
        (Feature::Edge(_) | Feature::Corner(_), true) => Footing::PointOfB(*ball),
        (Feature::Edge(_) | Feature::Corner(_), false) => Footing::PointOfA(*ball),
    };
    if seen.of_a {
        return Found {
            key: [KINDS[0] + kind, index, of_feature],
            point_a_local: tip,
            point_b_local: *foot,
            feature: NormalFeature::FaceOfB(*normal),
            normal_b_local: *normal,
            footing,
        };
    }
    Found {
        key: [KINDS[1] + kind, of_feature, index],
        point_a_local: *foot,
        point_b_local: tip,
        feature: NormalFeature::FaceOfA(*normal),
        normal_b_local: seen.frame.inverse_vector(&-normal),
        footing,
    }
}
