//! A query under construction: first the place and manner of contact, then motions through it.

use rigor_math::{Mat3, UnitQuaternion, Vec3, rotation_vector};

use super::family::Family;
use super::plan::{Course, Plan};
use super::random::Random;
use super::witness::Hint;
use rigor_ccd::{Kind, LinearQuery, RigidMotion, RigidQuery};

/// Two primitives of size about 1 at the time `hint.t`, at which chosen points of them are opposite each
/// other.
///
/// On the grid (`Plan::on_grid`) every number is a small multiple of a power of two, so that the points at
/// t = 0 and 1 are exact, and points placed to coincide at `hint.t` do so exactly.
pub(super) struct Encounter<'a> {
    kind: Kind,
    plan: Plan,
    random: &'a mut Random,
    /// Direction from B to A.
    normal: Vec3,
    /// Two directions perpendicular to the normal.
    tangents: [Vec3; 2],
    hint: Hint,
    points: [Vec3; 4],
    /// Velocities of the two points that meet.
    velocities: [Vec3; 2],
    /// θ₀ and θ₁ − θ₀ of bodies that turn together, once they are drawn.
    common_turn: Option<[Vec3; 2]>,
}

/// Rounds to a multiple of 2⁻¹².
fn on_grid(x: f64) -> f64 {
    (x * 4096.0).round() / 4096.0
}

impl<'a> Encounter<'a> {
    pub fn new(family: Family, kind: Kind, is_curved: bool, random: &'a mut Random) -> Self {
        let plan = Plan::new(family, kind, is_curved, random);
        let (normal, tangents) = frame(plan.is_planar, random);
        let hint = Hint { t: plan.t, weights: [0.0; 4] };
        let (points, velocities) = ([Vec3::zeros(); 4], [Vec3::zeros(); 2]);
        let mut made =
            Self { kind, plan, random, normal, tangents, hint, points, velocities, common_turn: None };
        made.place();
        made.set_in_motion();
        made
    }

    fn snap(&self, v: Vec3) -> Vec3 {
        if self.plan.on_grid { v.map(on_grid) } else { v }
    }

    /// Returns a random vector in the cube [−1, 1]³, or in the square if the query is planar.
    fn vector(&mut self) -> Vec3 {
        let mut v = self.random.vector();
        if self.plan.is_planar {
            v.z = 0.0;
        }
        v
    }

    /// Returns a fraction in (0, 1), a multiple of 1/8 on the grid.
    fn share(&mut self) -> f64 {
        let share = self.random.within(0.1, 0.9);
        if self.plan.on_grid { (share * 8.0).round() / 8.0 } else { share }
    }

    /// Places the points at the time of contact: that of B at the origin, that of A at the gap along the
    /// normal.
    fn place(&mut self) {
        let contact_a = self.snap(self.plan.gap * self.normal);
        let [u, w] = self.tangents;
        match self.kind {
            Kind::PointPoint => self.place_point(0, contact_a),
            Kind::PointEdge | Kind::PointTriangle => self.place_point(0, contact_a),
            Kind::EdgeEdge if self.hangs(0) => self.place_corner(0..2, contact_a, self.normal),
            Kind::EdgeEdge if self.plan.is_planar => {
                let along = self.normal + self.random.within(-1.0, 1.0) * u;
                self.place_edge(0, contact_a, along, 0.0);
            }
            Kind::EdgeEdge => {
                let share = self.share();
                self.place_edge(0, contact_a, u + self.plan.angle * w, share);
            }
        }
        match self.kind {
            Kind::PointPoint => self.place_point(1, Vec3::zeros()),
            Kind::PointEdge | Kind::PointTriangle | Kind::EdgeEdge if self.hangs(1) => {
                let (n_a, n) = (self.kind.sizes().0, self.kind.n_points());
                self.place_corner(n_a..n, Vec3::zeros(), -self.normal);
            }
            Kind::PointEdge | Kind::EdgeEdge => {
                let share = self.share();
                self.place_edge(self.kind.sizes().0, Vec3::zeros(), u, share);
            }
            Kind::PointTriangle => self.place_triangle(),
        }
    }

    fn hangs(&self, which: usize) -> bool {
        matches!(self.plan.course, Course::Hanging(hangs) if hangs[which])
    }

    /// Places the first of `own` at the contact and the others on the side that `away` points to.
    fn place_corner(&mut self, own: std::ops::Range<usize>, contact: Vec3, away: Vec3) {
        self.place_point(own.start, contact);
        for i in own.skip(1) {
            let [u, w] = self.tangents;
            let across = self.random.within(-0.5, 0.5) * u + self.random.within(-0.5, 0.5) * w;
            self.points[i] = contact + self.random.within(0.3, 1.0) * away + across;
        }
    }

    fn place_point(&mut self, i: usize, contact: Vec3) {
        self.points[i] = contact;
        self.hint.weights[i] = 1.0;
    }

    fn place_edge(&mut self, i: usize, contact: Vec3, along: Vec3, share: f64) {
        let edge = self.snap(self.plan.length * along);
        self.points[i] = contact - share * edge;
        self.points[i + 1] = contact + (1.0 - share) * edge;
        self.hint.weights[i] = 1.0 - share;
        self.hint.weights[i + 1] = share;
    }

    /// Places the triangle b c d around the origin; in planar queries the origin is on its edge b c.
    fn place_triangle(&mut self) {
        let [u, w] = self.tangents;
        let (along, across) =
            if self.plan.is_planar { (u, -self.plan.thin * self.normal) } else { (u, self.plan.thin * w) };
        let edge = self.snap(self.plan.length * along);
        let other = self.random.within(-0.5, 1.5) * edge + self.plan.length * across;
        let other = self.snap(other);
        let (share, rest) = (self.share(), self.share());
        let inside = if self.plan.is_planar { 0.0 } else { rest };
        let weights = [(1.0 - share) * (1.0 - inside), share * (1.0 - inside), inside];
        let b = -(weights[1] * edge + weights[2] * other);
        self.points[1..].copy_from_slice(&[b, b + edge, b + other]);
        self.hint.weights[1..].copy_from_slice(&weights);
    }

    fn set_in_motion(&mut self) {
        let common = 0.5 * self.vector();
        let across = self.vector();
        let along = across - across.dot(&self.normal) * self.normal;
        let half = 0.5 * (self.plan.slide * along - self.plan.approach * self.normal);
        self.velocities = [self.snap(common + half), self.snap(common - half)];
    }

    /// Completes the query with straight motions.
    pub fn linear(mut self) -> (LinearQuery, Hint) {
        let (n_a, t) = (self.kind.sizes().0, self.hint.t);
        let offset = self.offset();
        let (mut start, mut end) = ([Vec3::zeros(); 4], [Vec3::zeros(); 4]);
        let spread = self.plan.spread;
        let common = self.common_velocity();
        for i in 0..self.kind.n_points() {
            let own = self.vector() * spread + common(&self.points[i]);
            let velocity = self.velocities[usize::from(i >= n_a)] + self.snap(own);
            start[i] = (self.points[i] - t * velocity + offset) * self.plan.scale;
            end[i] = (self.points[i] + (1.0 - t) * velocity + offset) * self.plan.scale;
        }
        if self.plan.on_grid {
            self.meet_again(&mut start, &mut end, offset);
        }
        let d_min = self.plan.d_min * self.plan.scale;
        (LinearQuery::new(self.kind, start, end, d_min), self.hint)
    }

    /// Returns the velocity at contact of a point there that follows the course of its plan.
    fn common_velocity(&mut self) -> impl Fn(&Vec3) -> Vec3 + use<> {
        let t = self.hint.t;
        let mut center = Vec3::zeros();
        let field = match self.plan.course {
            Course::Free | Course::Hanging(_) => Mat3::zeros(),
            Course::Growing => {
                let kept = self.random.magnitude(-40, -20);
                Mat3::identity() * if t > 0.5 { (1.0 - kept) / t } else { (kept - 1.0) / (1.0 - t) }
            }
            Course::Together => {
                // The chords of a turn: x(0) = R₀ y and x(1) = R₁ y, so that x(t) = ((1 − t) R₀ + t R₁) y.
                let turn = self.random.direction() * self.plan.turns[0];
                let rotation =
                    |share: f64| rotation_vector::exp(&(turn * share)).to_rotation_matrix().into_inner();
                let (from, to) = (rotation(-t), rotation(1.0 - t));
                let at_contact = from * (1.0 - t) + to * t;
                center = self.vector() * self.plan.arms[0];
                (to - from) * at_contact.try_inverse().unwrap_or_else(Mat3::zeros)
            }
        };
        move |x| field * (x - center)
    }

    /// On the grid, occasionally lets a single-point primitive rest where it meets the other: coordinates are
    /// then equal at all times, and every sign that an algorithm evaluates is 0.
    fn meet_again(&mut self, start: &mut [Vec3; 4], end: &mut [Vec3; 4], offset: Vec3) {
        if self.random.chance(0.1) && self.kind.sizes().0 == 1 {
            start[0] = (self.points[0] + offset) * self.plan.scale;
            end[0] = start[0];
        }
    }

    /// Completes the query with rigid motions.
    pub fn rigid(mut self) -> (RigidQuery, Hint) {
        let offset = self.offset();
        let (n_a, n) = (self.kind.sizes().0, self.kind.n_points());
        let mut points_local = [Vec3::zeros(); 4];
        let (a, b) = points_local.split_at_mut(n_a);
        let motion_a = self.body(0, 0..n_a, offset, a);
        let motion_b = self.body(1, n_a..n, offset, b);
        let d_min = self.plan.d_min * self.plan.scale;
        (RigidQuery::new(self.kind, [motion_a, motion_b], points_local, d_min), self.hint)
    }

    /// Returns the motion of a body with the points `own`, and writes their local coordinates to `local`.
    fn body(
        &mut self,
        which: usize,
        own: std::ops::Range<usize>,
        offset: Vec3,
        local: &mut [Vec3],
    ) -> RigidMotion {
        let (t, scale) = (self.hint.t, self.plan.scale);
        let contact: Vec3 = own.clone().map(|i| self.hint.weights[i] * self.points[i]).sum();
        let center = contact + self.arm(which);
        let center = self.snap(center);
        let (orientation, mut theta_t0) = self.placement();
        let mut delta = self.turn(which);
        match self.plan.course {
            Course::Free | Course::Growing => {}
            // About a fixed axis, where the bound of the acceleration is attained.
            Course::Hanging(_) => {
                theta_t0 = delta * if self.random.chance(0.5) { 0.0 } else { self.random.within(-3.0, 3.0) }
            }
            Course::Together => [theta_t0, delta] = *self.common_turn.get_or_insert([theta_t0, delta]),
        }
        let theta = theta_t0 + t * delta;
        let omega = rotation_vector::left_jacobian(&theta) * delta;
        let swing = if self.plan.swings_freely { Vec3::zeros() } else { omega.cross(&(contact - center)) };
        let velocity = self.velocities[which] - swing;
        let back = (rotation_vector::exp(&theta) * orientation).inverse();
        for (x, i) in local.iter_mut().zip(own) {
            *x = back * (self.points[i] - center) * scale;
        }
        let position = |t_to: f64| (center + (t_to - t) * velocity + offset) * scale;
        let [position_t0, position_t1] = [position(0.0), position(1.0)];
        RigidMotion { position_t0, position_t1, theta_t0, theta_t1: theta_t0 + delta, orientation }
    }

    /// Returns Q and θ₀, at least one of which is the identity.
    fn placement(&mut self) -> (UnitQuaternion, Vec3) {
        if self.plan.on_grid {
            return (UnitQuaternion::identity(), Vec3::zeros());
        }
        let axis = if self.plan.is_planar { Vec3::z() } else { self.random.direction() };
        let theta = self.random.within(-3.0, 3.0) * axis;
        if self.random.chance(0.5) {
            (rotation_vector::exp(&theta), Vec3::zeros())
        } else {
            (UnitQuaternion::identity(), theta)
        }
    }

    /// Returns the vector from the contact to the centre of a body.
    fn arm(&mut self, which: usize) -> Vec3 {
        let arm = self.vector() * self.plan.arms[which];
        match self.plan.course {
            Course::Hanging(_) => self.plan.arms[which] * if which == 0 { self.normal } else { -self.normal },
            Course::Free | Course::Growing | Course::Together => arm,
        }
    }

    /// Returns θ₁ − θ₀.
    fn turn(&mut self, which: usize) -> Vec3 {
        let axis = match (self.plan.course, self.plan.is_planar, self.plan.turns_about_normal) {
            (Course::Hanging(_), ..) => self.tangent(),
            (_, true, _) => Vec3::z(),
            (_, _, true) => self.normal,
            _ => self.random.direction(),
        };
        // One body in eight does not turn.
        if self.plan.on_grid || self.random.chance(0.125) {
            Vec3::zeros()
        } else {
            self.random.sign() * self.plan.turns[which] * axis
        }
    }

    /// Returns a unit vector perpendicular to the normal.
    fn tangent(&mut self) -> Vec3 {
        let direction = self.random.direction();
        let flat = direction - direction.dot(&self.normal) * self.normal;
        flat.try_normalize(0.1).unwrap_or(self.tangents[0])
    }

    fn offset(&mut self) -> Vec3 {
        let offset = self.vector() * self.plan.distance;
        self.snap(offset)
    }
}

/// Returns a normal and two perpendicular directions. In planar queries the first two vectors lie in the
/// plane z = 0 and the third is perpendicular to it.
fn frame(is_planar: bool, random: &mut Random) -> (Vec3, [Vec3; 2]) {
    let mut u = random.direction();
    if is_planar {
        u.z = 0.0;
        u = u.try_normalize(0.1).unwrap_or_else(Vec3::x);
        return (Vec3::z().cross(&u), [u, Vec3::z()]);
    }
    let n = loop {
        let n = u.cross(&random.direction());
        if n.norm_squared() > 0.1 {
            break n.normalize();
        }
    };
    (n, [u, n.cross(&u)])
}
