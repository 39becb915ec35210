//! Contacts of an edge or a triangle of a soft body with an edge or a vertex of a rigid body.
//!
//! C = (Σ βₖ xₖ − q)·n − r ≥ 0 with constant barycentric weights β of the particles, and the point q and
//! normal n of the body. Each particle receives βₖ p, the body −p at the lever of Σ βₖ xₖ before the substep,
//! so both momenta are exact.
//!
//! In the body's frame the rigid feature is at rest and particles move straight, so every crossing is the
//! root of a cubic (`crossing`). Features that have not crossed are in contact if they are near, and were
//! outside at the start of the substep.

use rigor_math::Vec3;
use rigor_scene::{Body, Friction, Scene};

use super::crossing;
use super::row::{self, Multipliers};
use super::skeleton::{SkeletonFeature, Skeletons};
use super::skin::Skin;
use crate::body::SolverBody;
use crate::particle::SolverParticle;

/// Maximum depth of a surface inside a body at the start of the substep, as a fraction of the body's radius.
const OVERLAP: f64 = 1e-3;
/// sin² of the angle below which two edges count as parallel.
const PARALLEL_SQ: f64 = 1e-8;
/// Relative tolerance for points to count as inside a feature.
const WIDER: f64 = 1e-9;

/// Candidate features: an edge of the skin and an edge of a body (kind 0), or a triangle and a vertex (kind
/// 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SkinKey {
    pub kind: usize,
    pub soft: usize,
    pub body: usize,
    pub rigid: usize,
}

/// A contact of a skin with a body.
#[derive(Debug, Clone)]
pub(super) struct SkinContact {
    pub key: SkinKey,
    /// Particle indices; an edge repeats its second particle, with weight 0.
    pub particles: [usize; 3],
    /// β, with sum 1.
    pub weights: [f64; 3],
    /// q (m) and n, towards the soft body, in the body's frame.
    pub point_local: Vec3,
    pub normal_local: Vec3,
    /// r (m).
    radius: f64,
    /// C before the substep (m).
    pub gap_prev: f64,
    pub friction: Friction,
    pub lambda: Multipliers,
    /// Impulse that stopped the approach in the velocity solve (N s).
    stopped: f64,
}

/// A contact point of a skin, in the body's frame.
#[derive(Debug)]
struct SkinPoint {
    weights: [f64; 3],
    point: Vec3,
    normal: Vec3,
}

/// Particles of a skin feature before and after the substep (m, body's frame); an edge repeats its second
/// particle.
type Way = [[Vec3; 3]; 2];

/// How the features of a key meet in a substep.
#[derive(Debug)]
pub(super) enum Meeting {
    /// Their boxes stay farther apart than anything moves in the substep.
    Far,
    /// They are not in contact.
    Apart,
    Contact(SkinContact),
}

/// What is known about the side of a surface on which a skin is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// Normal in the previous substep (body's frame).
    pub normal: Option<Vec3>,
    /// Distance (m) within which rounding may put a skin on the wrong side of a sheet.
    pub margin: f64,
    /// Up (body's frame): the side of a skin that starts on a sheet.
    pub up: Vec3,
}

/// Returns how the features of `key` meet in this substep.
pub(super) fn detect(
    scene: &Scene,
    key: SkinKey,
    (skin, skeletons): (&Skin, &Skeletons),
    particles: &[SolverParticle],
    bodies: &[SolverBody],
    known: &Known,
) -> Meeting {
    let on = &bodies[key.body];
    let skeleton = skeletons.of_body(key.body);
    let (ids, is_closed, feature) = if key.kind == 0 {
        let [a, b] = skin.edges[key.soft];
        ([a, b, b], false, &skeleton.edges.features[key.rigid])
    } else {
        let patch = &skin.patches[key.soft];
        (patch.corners, patch.is_closed, &skeleton.vertices.features[key.rigid])
    };
    let way: Way = [
        ids.map(|i| on.pose_prev.inverse_point(&particles[i].x_prev)),
        ids.map(|i| on.pose.inverse_point(&particles[i].x)),
    ];
    let radius = ids.iter().map(|&i| scene.particles[i].radius).fold(f64::INFINITY, f64::min);
    let moved = (0..3).map(|k| (way[1][k] - way[0][k]).norm()).fold(0.0, f64::max);
    let slack = slack(&scene.bodies[key.body]);
    if is_far(&way, feature, radius + moved + slack) {
        return Meeting::Far;
    }
    let reach = (radius, moved, slack);
    let place = if key.kind == 0 {
        edges(&way, feature, reach, known)
    } else {
        vertex(&way, feature, is_closed, reach, known)
    };
    let Some(place) = place else { return Meeting::Apart };
    let before = mean(&place.weights, &way[0]);
    let rule = scene.friction_rule;
    let (data, other) = (&scene.particles[ids[0]], &scene.bodies[key.body]);
    Meeting::Contact(SkinContact {
        key,
        particles: ids,
        weights: place.weights,
        point_local: place.point,
        normal_local: place.normal,
        radius,
        gap_prev: (before - place.point).dot(&place.normal) - radius,
        friction: Friction {
            static_: rule.combine(data.friction.static_, other.friction.static_),
            dynamic: rule.combine(data.friction.dynamic, other.friction.dynamic),
        },
        lambda: Multipliers::default(),
        stopped: 0.0,
    })
}

/// Returns the allowed depth (m) of a surface inside `body` at the start of the substep, beyond its motion in
/// the substep.
pub(super) fn slack(body: &Body) -> f64 {
    OVERLAP * body.radius
}

/// Returns whether the boxes of both features, over the whole substep, are farther apart than `reach` (m).
fn is_far(way: &Way, feature: &SkeletonFeature, reach: f64) -> bool {
    let [p, q] = &feature.ends;
    (0..3).any(|axis| {
        let (low, high) = (p[axis].min(q[axis]) - reach, p[axis].max(q[axis]) + reach);
        let all = || way.iter().flatten().map(|x| x[axis]);
        all().all(|x| x < low) || all().all(|x| x > high)
    })
}

fn mean(weights: &[f64; 3], x: &[Vec3; 3]) -> Vec3 {
    x[0] * weights[0] + x[1] * weights[1] + x[2] * weights[2]
}

/// Returns the contact point of a skin edge with a body edge.
fn edges(way: &Way, feature: &SkeletonFeature, reach: (f64, f64, f64), known: &Known) -> Option<SkinPoint> {
    let [p, q] = feature.ends;
    let quad = |x: &[Vec3; 3]| [x[0], x[1], p, q];
    let crossed = |t: f64| edges_at(&between(way, t), feature);
    crossing(way, &quad(&way[0]), &quad(&way[1]), feature, known, crossed)
        .or_else(|| near(way, edges_at(&way[1], feature)?, feature, reach, known))
}

/// Returns the nearest points of both edges, if they lie inside, with the direction across both.
fn edges_at(x: &[Vec3; 3], feature: &SkeletonFeature) -> Option<SkinPoint> {
    let [p, q] = feature.ends;
    let (along, other) = (x[1] - x[0], q - p);
    let across = along.cross(&other);
    if across.norm_squared() <= PARALLEL_SQ * along.norm_squared() * other.norm_squared() {
        return None;
    }
    // Nearest points of the lines: (x₀ + s along − p − t other) ⟂ both.
    let to = p - x[0];
    let s = to.cross(&other).dot(&across) / across.norm_squared();
    let t = to.cross(&along).dot(&across) / across.norm_squared();
    let is_inside = |s: f64| (-WIDER..=1.0 + WIDER).contains(&s);
    (is_inside(s) && is_inside(t)).then(|| SkinPoint {
        weights: [1.0 - s, s, 0.0],
        point: p + other * t,
        normal: across.normalize(),
    })
}

/// Returns the contact point of a skin triangle with a body vertex.
fn vertex(
    way: &Way,
    feature: &SkeletonFeature,
    is_closed: bool,
    reach: (f64, f64, f64),
    known: &Known,
) -> Option<SkinPoint> {
    let quad = |x: &[Vec3; 3]| [x[0], x[1], x[2], feature.ends[0]];
    let at = |x: &[Vec3; 3]| vertex_at(x, feature);
    let place = crossing(way, &quad(&way[0]), &quad(&way[1]), feature, known, |t| at(&between(way, t)))
        .or_else(|| near(way, at(&way[1])?, feature, reach, known))?;
    // The skin of a block is touched from outside only.
    let outside = (way[1][1] - way[1][0]).cross(&(way[1][2] - way[1][0]));
    (!is_closed || outside.dot(&place.normal) < 0.0).then_some(place)
}

/// Returns the projection of the vertex onto the triangle, if it lies inside, with the triangle's normal.
fn vertex_at(x: &[Vec3; 3], feature: &SkeletonFeature) -> Option<SkinPoint> {
    let point = feature.ends[0];
    let (a, b, c) = (x[1] - x[0], x[2] - x[0], point - x[0]);
    let normal = a.cross(&b);
    let twice_area_sq = normal.norm_squared();
    if twice_area_sq == 0.0 {
        return None;
    }
    let v = c.cross(&b).dot(&normal) / twice_area_sq;
    let w = a.cross(&c).dot(&normal) / twice_area_sq;
    let weights = [1.0 - v - w, v, w];
    weights.iter().all(|weight| *weight >= -WIDER).then(|| SkinPoint {
        weights,
        point,
        normal: normal / twice_area_sq.sqrt(),
    })
}

fn between(way: &Way, t: f64) -> [Vec3; 3] {
    [0, 1, 2].map(|k| way[0][k].lerp(&way[1][k], t))
}

/// Returns the first point at which the skin passes through the feature from its outer side.
fn crossing(
    way: &Way,
    from: &[Vec3; 4],
    to: &[Vec3; 4],
    feature: &SkeletonFeature,
    known: &Known,
    at: impl Fn(f64) -> Option<SkinPoint>,
) -> Option<SkinPoint> {
    if (crossing::volume(from) < 0.0) == (crossing::volume(to) < 0.0) {
        return None;
    }
    crossing::times(from, to).find_map(|t| {
        let mut place = at(t)?;
        let moved = mean(&place.weights, &way[1]) - mean(&place.weights, &way[0]);
        if place.normal.dot(&moved) > 0.0 {
            place.normal = -place.normal;
        }
        let supported = feature.supported(&place.normal)?;
        let before = mean(&place.weights, &way[0]) - place.point;
        // A skin that rounding had put behind a sheet comes back.
        let comes_back = feature.outwards.is_none() && known.is_behind(&before, &place.normal);
        (supported == place.normal && !comes_back).then_some(place)
    })
}

/// Returns the point with its normal towards the outside, if the skin is near it and was not deep inside
/// before.
fn near(
    way: &Way,
    mut place: SkinPoint,
    feature: &SkeletonFeature,
    (radius, moved, slack): (f64, f64, f64),
    known: &Known,
) -> Option<SkinPoint> {
    let before = mean(&place.weights, &way[0]) - place.point;
    let now = mean(&place.weights, &way[1]) - place.point;
    place.normal = if feature.outwards.is_some() {
        feature.supported(&place.normal)?
    } else {
        // Sheets and wires are touched from the side on which the skin was.
        if known.is_behind(&before, &place.normal) { -place.normal } else { place.normal }
    };
    let is_same = known.normal.is_some_and(|n| n.dot(&place.normal) > 0.0);
    let was_outside = before.dot(&place.normal) >= -slack - moved || is_same;
    (was_outside && now.dot(&place.normal) <= radius + moved + slack).then_some(place)
}

impl Known {
    /// Returns whether a skin `before` (m) the substep beside a sheet is on its side of −n.
    fn is_behind(&self, before: &Vec3, n: &Vec3) -> bool {
        let height = before.dot(n);
        match self.normal {
            Some(known) => known.dot(n) < 0.0,
            None if height.abs() > self.margin => height < 0.0,
            None => self.up.dot(n) < 0.0,
        }
    }
}

impl SkinContact {
    /// Returns n (world).
    pub fn normal(&self, body: &SolverBody) -> Vec3 {
        body.pose.vector(&self.normal_local)
    }

    /// Returns q (m, world).
    pub fn point(&self, body: &SolverBody) -> Vec3 {
        body.point(&self.point_local)
    }

    fn sum(&self, of: impl Fn(usize) -> Vec3) -> Vec3 {
        (0..3).map(|k| of(self.particles[k]) * self.weights[k]).sum()
    }

    /// Returns Σ β² w (1/kg).
    fn w(&self, particles: &[SolverParticle]) -> f64 {
        // An edge lists its second particle twice, the second time with weight 0.
        (0..3).map(|k| self.weights[k] * self.weights[k] * particles[self.particles[k]].w).sum()
    }

    /// Returns C (m).
    pub fn gap(&self, particles: &[SolverParticle], body: &SolverBody) -> f64 {
        (self.sum(|i| particles[i].x) - self.point(body)).dot(&self.normal(body)) - self.radius
    }

    /// Returns the vector from the body to the skin's point, both before the substep (m).
    fn lever(&self, particles: &[SolverParticle], body: &SolverBody) -> Vec3 {
        body.lever(&self.sum(|i| particles[i].x_prev))
    }

    /// Returns the impulses on the skin in this substep (N s, world), along the normal and across it.
    pub fn impulses(&self, body: &SolverBody, h: f64) -> (Vec3, Vec3) {
        (self.normal(body) * (self.lambda.n / h + self.stopped), self.lambda.t / h)
    }

    /// Applies a positional impulse `p` (kg m) to the skin, and −p to the body at lever `r` (m).
    fn apply(&self, particles: &mut [SolverParticle], body: &mut SolverBody, r: &Vec3, p: &Vec3) {
        for k in 0..3 {
            let particle = &mut particles[self.particles[k]];
            particle.x += p * (self.weights[k] * particle.w);
        }
        if body.is_moved() {
            body.apply_positional(r, &-p);
        }
    }

    /// Applies the initial multipliers.
    pub fn start(&self, particles: &mut [SolverParticle], bodies: &mut [SolverBody]) {
        if self.lambda.n > 0.0 {
            let body = &mut bodies[self.key.body];
            let r = self.lever(particles, body);
            let p = self.lambda.sum(&self.normal(body));
            self.apply(particles, body, &r, &p);
        }
    }

    /// Solves positions: no approach, and no slip that friction can hold.
    pub fn solve_positions(&mut self, particles: &mut [SolverParticle], bodies: &mut [SolverBody]) {
        let body = &mut bodies[self.key.body];
        let n = self.normal(body);
        let r = self.lever(particles, body);
        let of_skin = self.w(particles);
        let w = of_skin + body.generalized_inverse_mass(&r, &n);
        let c = self.gap(particles, body) - self.gap_prev.min(0.0);
        let grown = self.lambda.push(c, w);
        if grown != 0.0 {
            self.apply(particles, body, &r, &(n * grown));
        }
        if row::is_smooth(self.friction) || (self.lambda.n == 0.0 && self.lambda.t == Vec3::zeros()) {
            return;
        }
        let moved = self.point(body) - body.point_prev(&self.point_local);
        let slip = row::tangential(&(self.sum(|i| particles[i].x - particles[i].x_prev) - moved), &n);
        let t = slip.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let w_t = of_skin + body.generalized_inverse_mass(&r, &t);
        let change = self.lambda.hold(&slip, &n, w_t, self.friction);
        self.apply(particles, body, &r, &change);
    }

    /// Stops the approach of a contact that pushed.
    pub fn stop(&mut self, particles: &mut [SolverParticle], bodies: &mut [SolverBody]) {
        if self.lambda.n == 0.0 {
            return;
        }
        let body = &mut bodies[self.key.body];
        let n = self.normal(body);
        let r = self.sum(|i| particles[i].x) - body.pose.position;
        let v = self.sum(|i| particles[i].v) - body.linear_velocity - body.angular_velocity.cross(&r);
        let w = self.w(particles) + body.generalized_inverse_mass(&r, &n);
        if v.dot(&n) < 0.0 && w > 0.0 {
            let p = -v.dot(&n) / w;
            self.stopped += p;
            for k in 0..3 {
                let particle = &mut particles[self.particles[k]];
                particle.v += n * (self.weights[k] * particle.w * p);
            }
            body.apply_impulse(&r, &(n * -p));
        }
    }

    /// Removes the fraction [`RECOVERY`](row::RECOVERY) of the overlap.
    pub fn stabilize(&self, particles: &mut [SolverParticle], bodies: &mut [SolverBody]) {
        let body = &mut bodies[self.key.body];
        let gap = self.gap(particles, body);
        if gap < 0.0 {
            let n = self.normal(body);
            let r = self.sum(|i| particles[i].x) - body.pose.position;
            let w = self.w(particles) + body.generalized_inverse_mass(&r, &n);
            if w > 0.0 {
                self.apply(particles, body, &r, &(n * (-row::RECOVERY * gap / w)));
            }
        }
    }
}
