//! Contacts of [balls](crate::round::Ball) with faces, edges and corners of another body, and with its balls; and of
//! [rods](crate::round::Rod), what is between the ends of capsules.
//!
//! A rod touches with the ball on its axis that is nearest to an edge, a corner, a ball or another rod, if that is none of its
//! ends. It touches a face with its ends only: with both if it lies on it.
//!
//! A ball touches a surface where the distance of its centre has a local minimum: above a face, across an edge or at a
//! corner whose cone of normals the direction to the centre is in. The direction is the normal of the contact.

use rigor_geometry::Aabb;
use rigor_geometry::distance::{edge_edge, point_edge, point_triangle};
use rigor_math::Vec3;

use crate::feature::{Face, Features};
use crate::found::NormalFeature;
use crate::found::{Footing, Found};
use crate::frame::Frame;
use crate::round::{Ball, Rod};
use crate::tolerance::{DEEP, INSIDE, PARALLEL};
use crate::window::Window;

/// A ball or rod of one body against a feature of the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundFeature {
    which: Which,
    feature: Feature,
}

/// A ball or rod of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Ball(u32),
    Rod(u32),
}

/// A feature of the body that a ball meets.
#[derive(Debug, Clone, Copy)]
enum Feature {
    Face(u32),
    Edge(u32),
    Corner(u32),
    Ball(u32),
    Rod(u32),
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
/// The same of rods.
const KINDS_OF_RODS: [u32; 2] = [19, 24];

impl RoundFeature {
    /// Finds the features of `other` that the balls and rods of `features`, whose frame in that of `other` is `frame`, may touch
    /// within `far` (m). Two balls, or two rods, are found from the first body only.
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
            let mut push = |feature: Feature| found.push(Self { which: Which::Ball(ball), feature });
            let sorted = |mut ids: Vec<u32>| {
                ids.sort_unstable();
                ids
            };
            let near_faces = if other.is_round { Vec::new() } else { other.face_tree.overlapping(&near) };
            for id in sorted(near_faces) {
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
        for (rod, Rod { ends, radius }) in (0..).zip(&features.rods) {
            let [p, q] = ends.map(|end| frame.point(&end));
            let reach = radius + far;
            let near = Aabb::of_points(&[p, q]).grow(reach);
            let sq = reach * reach;
            let mut push = |feature: Feature| found.push(Self { which: Which::Rod(rod), feature });
            let sorted = |mut ids: Vec<u32>| {
                ids.sort_unstable();
                ids
            };
            for id in sorted(other.edge_tree.overlapping(&near)) {
                let edge = &other.edges[id as usize];
                let [a, b] = &edge.ends;
                if !edge.in_ball && edge_edge::distance_sq(&p, &q, a, b) <= sq {
                    push(Feature::Edge(id));
                }
            }
            for id in sorted(other.corner_tree.overlapping(&near)) {
                let corner = &other.corners[id as usize];
                if !corner.in_ball && point_edge::distance_sq(&corner.position, &p, &q) <= sq {
                    push(Feature::Corner(id));
                }
            }
            for (id, ball) in (0..).zip(&other.balls) {
                if point_edge::distance_sq(&ball.center, &p, &q).sqrt() <= reach + ball.radius {
                    push(Feature::Ball(id));
                }
            }
            for (id, of_other) in (0..).zip(&other.rods).filter(|_| is_first) {
                let [a, b] = &of_other.ends;
                if edge_edge::distance_sq(&p, &q, a, b).sqrt() <= reach + of_other.radius {
                    push(Feature::Rod(id));
                }
            }
        }
    }
}

/// Where a ball meets a feature, in the frame of the feature's body.
struct Meeting {
    feature: Feature,
    /// The ball, in the frame of its own body: of a rod the one that is nearest.
    ball: Ball,
    /// The ball of the feature's body, if it is a ball or on a rod.
    other: Option<Ball>,
    /// Unit vector from the feature to the centre of the ball.
    normal: Vec3,
    /// Distance (m) of the centre; negative behind a face.
    height: f64,
    /// Nearest point of the feature (m).
    foot: Vec3,
}

/// Adds the contacts of the balls and rods of `features` with `other` to those `found`.
pub(crate) fn find(
    features: &Features,
    other: &Features,
    seen: &BallView<'_>,
    candidates: &[RoundFeature],
    same: f64,
    found: &mut Vec<Found>,
) {
    for of_one in candidates.chunk_by(|x, y| x.which == y.which) {
        let meet = |near: &RoundFeature| match near.which {
            Which::Ball(index) => of_ball(&features.balls[index as usize], near.feature, other, seen),
            Which::Rod(index) => of_rod(&features.rods[index as usize], near.feature, other, seen),
        };
        let mut meetings: Vec<Meeting> = of_one.iter().filter_map(meet).collect();
        // Where the centre is in front of some face, those behind which it is are on the far side of the body.
        // Inside of a body only the nearest face counts.
        let deepest = meetings.iter().map(|m| m.height).fold(f64::NEG_INFINITY, f64::max).min(0.0);
        meetings.retain(|m| {
            let separation = m.height - m.ball.radius;
            let center = seen.frame.point(&m.ball.center);
            m.height >= deepest
                && seen.window.admits(separation)
                && (separation >= -DEEP * seen.slop || m.height < 0.0 || other.is_clear(&center, &m.foot))
        });
        for meeting in &meetings {
            let new = contact(of_one[0].which, meeting, seen);
            if !found.iter().any(|f| f.is_at(&new.point_b_local, &new.normal_b_local, same)) {
                found.push(new);
            }
        }
    }
}

/// Returns where a ball meets a feature.
fn of_ball(ball: &Ball, feature: Feature, other: &Features, seen: &BallView<'_>) -> Option<Meeting> {
    let (center, start) = (seen.frame.point(&ball.center), seen.start.point(&ball.center));
    match feature {
        Feature::Face(id) => above(feature, ball, &other.faces[id as usize], &center, &start),
        Feature::Edge(id) => {
            let edge = &other.edges[id as usize];
            let along = (center - edge.ends[0]).dot(&edge.direction);
            let foot = edge.ends[0] + along * edge.direction;
            let is_on = (0.0..=edge.length).contains(&along);
            is_on.then(|| across(feature, ball, &foot, &center, |m| edge.contains(m)))?
        }
        Feature::Corner(id) => {
            let corner = &other.corners[id as usize];
            across(feature, ball, &corner.position, &center, |m| corner.contains(m))
        }
        Feature::Ball(id) => with_ball(feature, ball, other.balls[id as usize], &center),
        // Found from the rod.
        Feature::Rod(_) => None,
    }
}

/// Returns where a rod meets a feature, with none of its ends.
fn of_rod(rod: &Rod, feature: Feature, other: &Features, seen: &BallView<'_>) -> Option<Meeting> {
    let [p, q] = rod.ends.map(|end| seen.frame.point(&end));
    let is_between = |t: f64| t > 0.0 && t < 1.0;
    let beside = |point: &Vec3| {
        let t = (point - p).dot(&(q - p)) / (q - p).norm_squared();
        is_between(t).then(|| (rod.at(t), p + (q - p) * t))
    };
    let crossing = |[a, b]: &[Vec3; 2]| {
        let (u, v) = (q - p, b - a);
        let sine_sq = u.cross(&v).norm_squared() / (u.norm_squared() * v.norm_squared());
        // Parallel ones touch with their ends.
        if sine_sq <= PARALLEL {
            return None;
        }
        let [_, t, _, s] = edge_edge::closest(&p, &q, a, b).weights;
        let s = -s;
        (is_between(t) && is_between(s)).then(|| (rod.at(t), p + u * t, s))
    };
    match feature {
        // With its ends.
        Feature::Face(_) => None,
        Feature::Edge(id) => {
            let edge = &other.edges[id as usize];
            let (ball, center, s) = crossing(&edge.ends)?;
            let foot = edge.ends[0] + s * (edge.ends[1] - edge.ends[0]);
            across(feature, &ball, &foot, &center, |m| edge.contains(m))
        }
        Feature::Corner(id) => {
            let corner = &other.corners[id as usize];
            let (ball, center) = beside(&corner.position)?;
            across(feature, &ball, &corner.position, &center, |m| corner.contains(m))
        }
        Feature::Ball(id) => {
            let of_other = other.balls[id as usize];
            let (ball, center) = beside(&of_other.center)?;
            with_ball(feature, &ball, of_other, &center)
        }
        Feature::Rod(id) => {
            let of_other = &other.rods[id as usize];
            let (ball, center, s) = crossing(&of_other.ends)?;
            with_ball(feature, &ball, of_other.at(s), &center)
        }
    }
}

/// Returns the meeting with a face, if the foot of the centre is inside of it.
///
/// A sheet is touched from the side on which the centre was at the start of the step, if it was over the face then, else
/// from that on which it is.
fn above(feature: Feature, ball: &Ball, face: &Face, center: &Vec3, start: &Vec3) -> Option<Meeting> {
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
    Some(Meeting { feature, ball: *ball, other: None, normal: side * face.normal, height: side * now, foot })
}

/// Returns the meeting with the point `foot`, if the direction to the centre is one that its feature `contains`.
fn across(
    feature: Feature,
    ball: &Ball,
    foot: &Vec3,
    center: &Vec3,
    contains: impl Fn(&Vec3) -> bool,
) -> Option<Meeting> {
    let between = center - foot;
    let height = between.norm();
    let normal = between.try_normalize(f64::MIN_POSITIVE)?;
    contains(&normal).then_some(Meeting { feature, ball: *ball, other: None, normal, height, foot: *foot })
}

/// Returns the meeting with a ball of the other body, which may be on a rod.
fn with_ball(feature: Feature, ball: &Ball, other: Ball, center: &Vec3) -> Option<Meeting> {
    let meeting = across(feature, ball, &other.center, center, |_| true)?;
    let foot = other.tip(&meeting.normal);
    Some(Meeting { foot, height: meeting.height - other.radius, other: Some(other), ..meeting })
}

fn contact(which: Which, meeting: &Meeting, seen: &BallView<'_>) -> Found {
    let Meeting { feature, ball, other, normal, foot, .. } = meeting;
    let tip = ball.tip(&-seen.frame.inverse_vector(normal));
    let (kind, of_feature) = match *feature {
        Feature::Face(id) => (0, id),
        Feature::Edge(id) => (1, id),
        Feature::Corner(id) => (2, id),
        Feature::Ball(id) => (3, id),
        Feature::Rod(id) => (4, id),
    };
    let (kinds, index) = match which {
        Which::Ball(index) => (KINDS, index),
        Which::Rod(index) => (KINDS_OF_RODS, index),
    };
    let footing = match (*feature, seen.of_a) {
        (Feature::Ball(_) | Feature::Rod(_), true) => {
            other.map_or(Footing::Midpoint, |other| Footing::Balls([*ball, other]))
        }
        (Feature::Ball(_) | Feature::Rod(_), false) => {
            other.map_or(Footing::Midpoint, |other| Footing::Balls([other, *ball]))
        }
        (Feature::Face(_), true) => Footing::BallOfA(*ball),
        (Feature::Face(_), false) => Footing::BallOfB(*ball),
        (Feature::Edge(_) | Feature::Corner(_), true) => Footing::PointOfB(*ball),
        (Feature::Edge(_) | Feature::Corner(_), false) => Footing::PointOfA(*ball),
    };
    if seen.of_a {
        return Found {
            key: [kinds[0] + kind, index, of_feature],
            point_a_local: tip,
            point_b_local: *foot,
            feature: NormalFeature::FaceOfB(*normal),
            normal_b_local: *normal,
            footing,
        };
    }
    Found {
        key: [kinds[1] + kind, of_feature, index],
        point_a_local: *foot,
        point_b_local: tip,
        feature: NormalFeature::FaceOfA(*normal),
        normal_b_local: seen.frame.inverse_vector(&-normal),
        footing,
    }
}
