//! Energy and momentum that a scene can convert, by which relative figures are divided.
//!
//! They are computed from the scene alone, so that a figure has one scale for every method, time step and duration of
//! a run. With the duration T of the scene, a dynamic body of mass m is accelerated by a = g + F/m in its free axes,
//! over a distance of at most
//!
//! h = min(½ a T², max(e, s)),
//!
//! where e is the distance along a from its centre of mass to the far end of all bodies, and s, only with joints, bonds
//! or attachments, the diagonal of the box around all centres, particles and anchors in the world: what hangs can swing
//! so far. A scene in which nothing is fixed has no end; there h = ½ a T². The body's speed is
//!
//! v = ‖v₀‖ + √(2 a h) + v_k,
//!
//! with the largest speed v_k of a kinematic body. Nothing here bounds a run: it is the size of what a run may do.

use rigor_geometry::Aabb;
use rigor_math::{Vec3, inertia};
use rigor_scene::JointError;
use rigor_scene::energy::elastic;
use rigor_scene::{Body, KinematicPath, Particle, Role, Scene, State};

/// Scales of the relative figures of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scale {
    /// Σ ½ m ‖v₀‖² + ½ ω₀·Iω₀ + m a h + ½ m v_k² + ½ τ·I⁻¹τ T², plus the elastic energy at the start (J).
    pub energy: f64,
    /// Σ m v (kg m/s).
    pub momentum: f64,
    /// Σ (‖x₀ − x̄‖ + r) m v + ‖I ω₀‖ + ‖τ‖ T (kg m²/s), with the radius r and the centre of mass x̄ of all.
    pub angular_momentum: f64,
}

impl Scale {
    /// Computes the scales of `scene`.
    ///
    /// Where nothing moves at the start and nothing is accelerated, every body has the speed L/T for which it would cross
    /// the box around all moving bodies, of diagonal L, in the scene's duration.
    pub fn of(scene: &Scene) -> Self {
        let room = Reachable::of(scene);
        let masses = || moving(scene).map(|mass| (mass, room.fall(&mass)));
        let kicked = room.kinematic_speed;
        let driven = |(mass, fall): (Mass, f64)| {
            let pull = mass.acceleration.norm();
            mass.m * (0.5 * (mass.velocity.norm_squared() + kicked * kicked) + pull * fall)
        };
        let turned: f64 = bodies(scene).map(|body| room.turning_energy(body)).sum();
        let energy = masses().map(driven).sum::<f64>() + turned + stored(scene);
        let crossing = if energy > 0.0 || room.duration == 0.0 { 0.0 } else { room.size / room.duration };
        let speed = |(mass, fall): (Mass, f64)| {
            let gained = (2.0 * mass.acceleration.norm() * fall).sqrt();
            mass.velocity.norm() + gained + kicked + crossing
        };
        let total: f64 = moving(scene).map(|mass| mass.m).sum();
        let centre =
            moving(scene).map(|mass| mass.position * mass.m).sum::<Vec3>() / total.max(f64::MIN_POSITIVE);
        let arm = |mass: &Mass| (mass.position - centre).norm() + mass.radius;
        let spin: f64 = bodies(scene).map(|body| room.spin(body)).sum();
        Self {
            energy: energy + 0.5 * total * crossing * crossing,
            momentum: masses().map(|(mass, fall)| mass.m * speed((mass, fall))).sum(),
            angular_momentum: spin
                + masses().map(|(mass, fall)| arm(&mass) * mass.m * speed((mass, fall))).sum::<f64>(),
        }
    }

    /// Returns `value` / `scale`, with 0/0 = 0.
    pub(crate) fn relative(value: f64, scale: f64) -> f64 {
        if value == 0.0 { 0.0 } else { value / scale }
    }
}

/// A dynamic body or a particle of finite mass, at the start.
#[derive(Clone, Copy)]
struct Mass {
    /// Mass (kg).
    m: f64,
    /// Centre (m).
    position: Vec3,
    /// Radius (m).
    radius: f64,
    /// Velocity (m/s).
    velocity: Vec3,
    /// a (m/s²).
    acceleration: Vec3,
}

fn bodies(scene: &Scene) -> impl Iterator<Item = &Body> {
    scene.bodies.iter().filter(|body| body.is_dynamic())
}

fn moving(scene: &Scene) -> impl Iterator<Item = Mass> + '_ {
    let of_body = |body: &Body| {
        let mut acceleration = scene.gravity + body.force / body.mass;
        for k in (0..3).filter(|k| body.fixed.translation[*k]) {
            acceleration[k] = 0.0;
        }
        Mass {
            m: body.mass,
            position: body.initial.pose.position,
            radius: body.radius,
            velocity: body.initial.linear_velocity,
            acceleration,
        }
    };
    let of_particle = |particle: &Particle| Mass {
        m: particle.mass,
        position: particle.position,
        radius: particle.radius,
        velocity: particle.velocity,
        acceleration: scene.gravity,
    };
    let particles = scene.particles.iter().filter(|particle| particle.mass.is_finite());
    bodies(scene).map(of_body).chain(particles.map(of_particle))
}

/// Returns the energy (J) of springs at the start.
fn stored(scene: &Scene) -> f64 {
    let start = State::initial(scene);
    let joints: f64 = scene.joints.iter().map(|joint| JointError::of(joint, &start).energy(joint)).sum();
    (elastic::energy(scene, &start) + joints).abs()
}

/// Where the bodies of a scene may go.
struct Reachable {
    /// T (s).
    duration: f64,
    /// The box around all bodies and particles at the start (m), if something is fixed; a body ends there.
    ends: Option<Aabb>,
    /// s (m).
    swing: f64,
    /// Diagonal (m) of the box around all that moves.
    size: f64,
    /// v_k (m/s).
    kinematic_speed: f64,
}

impl Reachable {
    fn of(scene: &Scene) -> Self {
        let placed = |body: &Body| {
            let skeleton = &body.skeleton;
            let around = |(v, x): (usize, &Vec3)| {
                let x = body.initial.pose.point(x);
                Aabb::new(x, x).grow(skeleton.offset(v))
            };
            let vertices = skeleton.mesh.vertices().iter().enumerate();
            vertices.map(around).fold(Aabb::EMPTY, |all, one| all.union(&one))
        };
        let union = |all: Aabb, one: Aabb| Aabb { min: all.min.inf(&one.min), max: all.max.sup(&one.max) };
        let ball = |mass: Mass| Aabb::of_points(&[mass.position]).grow(mass.radius);
        let around = moving(scene).map(ball).fold(Aabb::EMPTY, union);
        let anchors = scene.joints.iter().filter(|joint| joint.body_b.is_none()).map(|j| j.frame_b.position);
        let pins = scene.particles.iter().filter(|p| p.mass.is_infinite()).map(|p| p.position);
        let held: Vec<Vec3> = anchors.chain(pins).collect();
        let is_fixed = !held.is_empty() || scene.bodies.iter().any(|body| !body.is_dynamic());
        let hangs = !(scene.joints.is_empty() && scene.bonds.is_empty() && scene.attachments.is_empty());
        let centres: Vec<Vec3> =
            moving(scene).map(|mass| mass.position).chain(held.iter().copied()).collect();
        let whole =
            scene.bodies.iter().map(placed).chain([around, Aabb::of_points(&held)]).fold(Aabb::EMPTY, union);
        Self {
            duration: if scene.time.duration.is_finite() { scene.time.duration.max(0.0) } else { 0.0 },
            ends: is_fixed.then_some(whole),
            swing: if hangs { diagonal(&Aabb::of_points(&centres)) } else { 0.0 },
            size: diagonal(&around),
            kinematic_speed: scene.bodies.iter().map(kinematic_speed).fold(0.0, f64::max),
        }
    }

    /// Returns h (m).
    fn fall(&self, mass: &Mass) -> f64 {
        let a = mass.acceleration.norm();
        let free = 0.5 * a * self.duration * self.duration;
        let Some(ends) = self.ends.filter(|_| a > 0.0) else { return free };
        let along = mass.acceleration / a;
        let corner = Vec3::from_fn(|k, _| if along[k] > 0.0 { ends.max[k] } else { ends.min[k] });
        free.min(along.dot(&(corner - mass.position)).max(self.swing))
    }

    /// Returns ½ ω₀·Iω₀ + ½ τ·I⁻¹τ T² (J).
    fn turning_energy(&self, body: &Body) -> f64 {
        let pose = &body.initial.pose;
        let (still, omega) = (Vec3::zeros(), &body.initial.angular_velocity);
        let spin = inertia::kinetic_energy(body.mass, &still, &body.inertia, &pose.rotation, omega);
        let torque = pose.inverse_vector(&body.torque);
        let terms = torque.iter().zip(body.inertia.iter()).filter(|(tau, i)| **tau != 0.0 && **i > 0.0);
        let work: f64 = terms.map(|(tau, i)| tau * tau / i).sum();
        spin + 0.5 * work * self.duration * self.duration
    }

    /// Returns ‖I ω₀‖ + ‖τ‖ T (kg m²/s).
    fn spin(&self, body: &Body) -> f64 {
        let (rotation, omega) = (&body.initial.pose.rotation, &body.initial.angular_velocity);
        inertia::angular_momentum(&body.inertia, rotation, omega).norm() + body.torque.norm() * self.duration
    }
}

/// Returns the largest speed (m/s) of a point of a kinematic body; 0 for others.
fn kinematic_speed(body: &Body) -> f64 {
    let Role::Kinematic(motion) = &body.role else { return 0.0 };
    let times: Vec<f64> = match &motion.path {
        KinematicPath::ConstantVelocity => vec![0.0],
        KinematicPath::Keyframes(keyframes) => keyframes.iter().map(|(time, _)| *time).collect(),
    };
    let speed = |time: f64| {
        let at = motion.at(&body.initial, time);
        at.linear_velocity.norm() + at.angular_velocity.norm() * body.radius
    };
    times.into_iter().map(speed).fold(0.0, f64::max)
}

fn diagonal(bounds: &Aabb) -> f64 {
    let size = (bounds.max - bounds.min).norm();
    if bounds.is_finite() && size.is_finite() { size } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ball, cube, scene, sheet};

    #[test]
    fn a_free_body_falls_as_long_as_the_scene_lasts() {
        // 8 kg under 10 m/s² for 1 s: 5 m, 10 m/s.
        let scale = Scale::of(&scene(vec![cube("cube", Vec3::zeros())]));
        assert!((scale.energy - 400.0).abs() < 1e-10, "{scale:?}");
        assert!((scale.momentum - 80.0).abs() < 1e-10, "{scale:?}");
        assert!((scale.angular_momentum - 80.0 * 3.0_f64.sqrt()).abs() < 1e-10, "{scale:?}");
    }

    #[test]
    fn a_body_over_a_floor_falls_as_far_as_the_floor() {
        let scale = Scale::of(&scene(vec![cube("cube", Vec3::y() * 2.0), sheet(50.0)]));
        assert!((scale.energy - 8.0 * 10.0 * 2.0).abs() < 1e-10, "{scale:?}");
    }

    #[test]
    fn a_body_over_a_ball_falls_as_far_as_its_lowest_point() {
        let mut mound = ball("mound", 2.0);
        mound.role = Role::Static;
        mound.initial.pose = rigor_math::Pose::from_rotation_vector(Vec3::zeros(), &Vec3::new(0.3, 0.5, 0.2));
        let scale = Scale::of(&scene(vec![cube("cube", Vec3::y() * 1.5), mound]));
        assert!((scale.energy - 8.0 * 10.0 * 3.5).abs() < 1e-10, "{scale:?}");
    }

    #[test]
    fn speeds_and_turns_at_the_start_count_and_locked_axes_do_not_fall() {
        let mut one = scene(vec![cube("cube", Vec3::zeros())]);
        one.bodies[0].fixed.translation = [true; 3];
        one.bodies[0].initial.angular_velocity = Vec3::z() * 3.0;
        one.bodies[0].torque = Vec3::z() * 2.0;
        let i = one.bodies[0].inertia.z;
        let scale = Scale::of(&one);
        assert!((scale.energy - (0.5 * i * 9.0 + 0.5 * 4.0 / i)).abs() < 1e-10, "{scale:?}");
        assert!((scale.angular_momentum - (3.0 * i + 2.0)).abs() < 1e-10, "{scale:?}");
    }

    #[test]
    fn a_scene_at_rest_without_forces_has_a_scale_too() {
        let mut one = scene(vec![cube("a", Vec3::zeros()), cube("b", Vec3::x() * 3.0)]);
        one.gravity = Vec3::zeros();
        let radius = 3.0_f64.sqrt();
        let size = Vec3::new(3.0 + 2.0 * radius, 2.0 * radius, 2.0 * radius).norm();
        assert!((Scale::of(&one).energy - 0.5 * 16.0 * size * size).abs() < 1e-9);
    }

    #[test]
    fn neither_time_step_nor_origin_matters() {
        let at = |origin: Vec3| {
            let mut sheet = sheet(5.0);
            sheet.initial.pose.position = origin;
            scene(vec![cube("cube", origin + Vec3::y() * 2.0), sheet])
        };
        let (mut here, there) = (at(Vec3::zeros()), at(Vec3::new(64.0, 128.0, -32.0)));
        here.time.dt *= 0.5;
        let (here, there) = (Scale::of(&here), Scale::of(&there));
        assert!((here.energy - there.energy).abs() < 1e-9 && (here.momentum - there.momentum).abs() < 1e-9);
    }
}
