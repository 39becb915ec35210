//! Random scenes without overlap at the start.

use proptest::prelude::*;
use rigor_geometry::Aabb;
use rigor_math::{Pose, Vec3};
use rigor_scene::{
    Body, BodySpec, FixedAxes, Friction, KinematicPath, Motion, Role, Scene, Setting, TimeSpan, Weight,
};

use super::mixed::{Mixed, mix};
use super::shape::{Shape, shape};

/// The description of a scene. Its debug output is Rust code that reproduces it.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Length scale (m) of the scene.
    pub scale: f64,
    /// Time step (s).
    pub dt: f64,
    pub steps: u64,
    /// m/s².
    pub gravity: f64,
    pub friction: f64,
    /// Settings of the method.
    pub settings: Settings,
    pub bodies: Vec<BodyPlan>,
    /// What they have beyond contact.
    pub mixed: Option<Mixed>,
}

/// Lengths relative to the scale; `None` for the method's default.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub d_hat: Option<f64>,
    pub rotation_vector: bool,
}

/// One body.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyPlan {
    pub shape: Shape,
    /// Relative to the scale.
    pub size: f64,
    pub kind: Kind,
    /// kg.
    pub mass: f64,
    /// Rotation vector at the start.
    pub turn: [f64; 3],
    /// Index of the earlier body next to which it is placed.
    pub beside: usize,
    /// Direction from that body: +x, +y, +z, −x, −y, −z.
    pub direction: usize,
    /// Distance of their boxes, relative to the scale.
    pub gap: f64,
    /// Sideways offset, relative to the boxes.
    pub shift: [f64; 2],
    /// Against `direction`, then sideways (m/s).
    pub velocity: [f64; 3],
    /// Angular velocity (rad/s).
    pub spin: [f64; 3],
    /// Fixed degrees of freedom, if dynamic.
    pub fixed: [bool; 6],
}

/// The role of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Static,
    Dynamic,
    /// With constant velocities until this many steps are done.
    Kinematic(f64),
}

impl Plan {
    /// Builds the scene, with `[method.ipc]` as planned.
    pub fn scene(&self) -> Scene {
        let mut bodies: Vec<Body> = Vec::new();
        let mut boxes: Vec<Aabb> = Vec::new();
        for (i, plan) in self.bodies.iter().enumerate() {
            let mut body = plan.spec(i, self).build().unwrap();
            place(plan, self.scale, &mut body, &boxes);
            boxes.push(bounds(&body));
            bodies.push(body);
        }
        let mut settings = rigor_scene::Settings::new();
        if let Some(d_hat) = self.settings.d_hat {
            settings.insert("d_hat".into(), Setting::Number(d_hat * self.scale));
        }
        let coordinates = if self.settings.rotation_vector { "rotation_vector" } else { "local" };
        settings.insert("coordinates".into(), coordinates.into());
        if let Some(mixed) = &self.mixed {
            mixed.enter(&mut settings);
        }
        let scene = Scene {
            name: "random".into(),
            gravity: -self.gravity * Vec3::y(),
            time: TimeSpan { dt: self.dt, duration: self.steps as f64 * self.dt },
            bodies,
            methods: [("ipc".into(), settings)].into(),
            ..Scene::default()
        };
        match &self.mixed {
            Some(mixed) => mix(scene, mixed, self.scale),
            None => scene,
        }
    }
}

impl BodyPlan {
    fn spec(&self, index: usize, plan: &Plan) -> BodySpec {
        let velocity = self.axes().iter().zip(self.velocity).map(|(axis, v)| axis * v).sum();
        let (role, linear_velocity, angular_velocity) = match self.kind {
            Kind::Static => (Role::Static, Vec3::zeros(), Vec3::zeros()),
            Kind::Dynamic => (Role::Dynamic, velocity, Vec3::from(self.spin)),
            Kind::Kinematic(steps) => {
                let motion = Motion { path: KinematicPath::ConstantVelocity, stops_at: steps * plan.dt };
                (Role::Kinematic(motion), velocity, Vec3::from(self.spin))
            }
        };
        let fixed = if self.kind == Kind::Dynamic { self.fixed } else { [false; 6] };
        let [x, y, z, rx, ry, rz] = fixed;
        BodySpec {
            role,
            weight: Weight::Mass(self.mass),
            friction: Friction::uniform(plan.friction),
            pose: Pose::from_rotation_vector(Vec3::zeros(), &Vec3::from(self.turn)),
            linear_velocity: Vec3::from_fn(|k, _| if fixed[k] { 0.0 } else { linear_velocity[k] }),
            angular_velocity: Vec3::from_fn(|k, _| if fixed[k + 3] { 0.0 } else { angular_velocity[k] }),
            fixed: FixedAxes { translation: [x, y, z], rotation: [rx, ry, rz] },
            group: index as u32,
            ..BodySpec::new(format!("body-{index}"), self.shape.parts(self.size * plan.scale))
        }
    }

    /// Unit vectors against its direction, and sideways.
    fn axes(&self) -> [Vec3; 3] {
        let axis = |k: usize| Vec3::from_fn(|row, _| f64::from(u8::from(row == k % 3)));
        let sign = if self.direction < 3 { -1.0 } else { 1.0 };
        [axis(self.direction) * sign, axis(self.direction + 1), axis(self.direction + 2)]
    }
}

fn bounds(body: &Body) -> Aabb {
    let skeleton = &body.skeleton;
    let around = |(v, x): (usize, &Vec3)| {
        let x = body.initial.pose.point(x);
        Aabb::new(x, x).grow(skeleton.offset(v))
    };
    let boxes = skeleton.mesh.vertices().iter().enumerate().map(around);
    boxes.fold(Aabb::EMPTY, |all, one| all.union(&one))
}

/// Moves `body` next to the planned one, and on until its box is `gap` away from all `boxes`.
fn place(plan: &BodyPlan, scale: f64, body: &mut Body, boxes: &[Aabb]) {
    let Some(last) = boxes.len().checked_sub(1) else { return };
    let (axis, sign) = (plan.direction % 3, if plan.direction < 3 { 1.0 } else { -1.0 });
    let gap = plan.gap * scale;
    let beyond = |other: &Aabb, own: &Aabb| {
        if sign > 0.0 { other.max[axis] + gap - own.min[axis] } else { other.min[axis] - gap - own.max[axis] }
    };
    let (other, own) = (&boxes[plan.beside.min(last)], bounds(body));
    let mut by = other.center() - own.center();
    for (k, shift) in plan.shift.iter().enumerate() {
        let side = (axis + 1 + k) % 3;
        by[side] += 0.5 * shift * (other.extent()[side] + own.extent()[side]);
    }
    by[axis] = beyond(other, &own);
    body.initial.pose.position += by;
    loop {
        let own = bounds(body);
        let Some(other) = boxes.iter().find(|b| b.overlaps(&own.grow(0.5 * gap))) else { return };
        body.initial.pose.position[axis] += beyond(other, &own);
    }
}

/// 10ˣ for x in this range.
pub fn decades(digits: std::ops::Range<f64>) -> impl Strategy<Value = f64> {
    digits.prop_map(|x| 10.0_f64.powf(x))
}

fn sign() -> impl Strategy<Value = f64> {
    prop_oneof![3 => Just(1.0), 1 => Just(-1.0)]
}

fn turn() -> impl Strategy<Value = [f64; 3]> {
    prop_oneof![2 => Just([0.0; 3]), 1 => prop::array::uniform3(-2.0..2.0)]
}

/// Up to 100 m/s, mostly towards the neighbouring body, mostly so fast that bodies meet within the run.
fn velocity(size_a_step: f64) -> impl Strategy<Value = [f64; 3]> {
    let speed = prop_oneof![
        1 => decades(-2.0..2.0),
        3 => decades(-3.0..0.5).prop_map(move |sizes| (sizes * size_a_step).min(100.0)),
    ];
    let fast = (speed, sign(), prop::array::uniform2(-1.0..1.0));
    let fast = fast.prop_map(|(v, sign, [side, up])| [0.7 * v * sign, 0.5 * v * side, 0.5 * v * up]);
    prop_oneof![1 => Just([0.0; 3]), 3 => fast]
}

fn spin(dt: f64) -> impl Strategy<Value = [f64; 3]> {
    spin_at(prop_oneof![1 => decades(-1.0..2.0), 1 => decades(-3.0..0.5).prop_map(move |a| a / dt)])
}

fn spin_at(speed: impl Strategy<Value = f64>) -> impl Strategy<Value = [f64; 3]> {
    let fast = (speed, prop::array::uniform3(-1.0..1.0)).prop_map(|(w, axis)| axis.map(|a| w * a));
    prop_oneof![1 => Just([0.0; 3]), 1 => fast]
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        2 => Just(Kind::Static),
        7 => Just(Kind::Dynamic),
        1 => (0.0..20.0).prop_map(|steps| Kind::Kinematic(f64::round(steps))),
        1 => Just(Kind::Kinematic(f64::INFINITY)),
    ]
}

fn fixed() -> impl Strategy<Value = [bool; 6]> {
    prop_oneof![5 => Just([false; 6]), 1 => any::<[bool; 6]>()]
}

fn body(scale: f64, dt: f64) -> impl Strategy<Value = BodyPlan> {
    body_of(scale, dt, [-1.0..0.5, -3.0..3.0], spin(dt).boxed())
}

/// A body whose size (relative to the scale) and mass (kg) are within these decades.
fn body_of(
    scale: f64,
    dt: f64,
    [sizes, masses]: [std::ops::Range<f64>; 2],
    spin: BoxedStrategy<[f64; 3]>,
) -> impl Strategy<Value = BodyPlan> {
    let look = (shape(), decades(sizes), kind(), decades(masses), turn());
    let place = (0_usize..5, 0_usize..6, decades(-6.0..0.0), prop::array::uniform2(-0.9..0.9));
    let motion = (velocity(scale / dt), spin, fixed());
    (look, place, motion).prop_map(|(look, place, motion)| {
        let (shape, size, kind, mass, turn) = look;
        let (beside, direction, gap, shift) = place;
        let (velocity, spin, fixed) = motion;
        BodyPlan { shape, size, kind, mass, turn, beside, direction, gap, shift, velocity, spin, fixed }
    })
}

fn settings() -> impl Strategy<Value = Settings> {
    let d_hat = prop_oneof![3 => Just(None), 1 => decades(-5.0..0.0).prop_map(Some)];
    (d_hat, prop::bool::weighted(0.2))
        .prop_map(|(d_hat, rotation_vector)| Settings { d_hat, rotation_vector })
}

/// Gravity (m/s²): that of the Earth, none, or such that bodies fall onto each other within the run.
fn gravity(scale: f64, dt: f64) -> impl Strategy<Value = f64> {
    prop_oneof![
        2 => Just(9.81),
        1 => Just(0.0),
        2 => decades(-5.0..-1.0).prop_map(move |fall| fall * scale / (dt * dt)),
    ]
}

/// Scenes of two to six bodies, at least one of them dynamic.
pub fn plan() -> impl Strategy<Value = Plan> {
    let plan = (decades(-3.0..3.0), decades(-4.0..-1.0), 5_u64..=25).prop_flat_map(|(scale, dt, steps)| {
        let friction = prop_oneof![1 => Just(0.0), 2 => 0.0..2.0];
        let bodies = prop::collection::vec(body(scale, dt), 2..=6);
        let parts = (gravity(scale, dt), friction, settings(), bodies);
        parts.prop_map(move |(gravity, friction, settings, bodies)| Plan {
            scale,
            dt,
            steps,
            gravity,
            friction,
            settings,
            bodies,
            mixed: None,
        })
    });
    plan.prop_filter("nothing moves", |plan| plan.bodies.iter().any(|b| b.kind == Kind::Dynamic))
}

/// Scenes of bodies like those of machines: 3 cm to 30 m, 100 to 8000 kg/m³ of their cube, up to 20 m/s.
pub fn machine_plan() -> impl Strategy<Value = Plan> {
    let plan = (decades(-1.0..1.0), decades(-3.3..-1.7), 5_u64..=25).prop_flat_map(|(scale, dt, steps)| {
        let friction = prop_oneof![1 => Just(0.0), 2 => 0.0..1.5];
        let one = || body_of(scale, dt, [-0.5..0.5, 2.0..3.9], spin_at(decades(-1.0..1.5)).boxed());
        let bodies = prop::collection::vec(one(), 2..=6);
        let gravity = prop_oneof![2 => Just(9.81), 1 => Just(0.0)];
        (gravity, friction, bodies).prop_map(move |(gravity, friction, mut bodies)| {
            for body in &mut bodies {
                let edge = body.size * scale;
                body.mass *= edge * edge * edge;
                body.velocity = body.velocity.map(|v| v.clamp(-20.0, 20.0));
            }
            let settings = Settings { d_hat: None, rotation_vector: false };
            Plan { scale, dt, steps, gravity, friction, settings, bodies, mixed: None }
        })
    });
    plan.prop_filter("nothing moves", |plan| plan.bodies.iter().any(|b| b.kind == Kind::Dynamic))
}

/// Scenes whose bodies differ as much as can be: sizes by 10³, masses from 10⁻¹⁰ to 10³ kg, up to 150 rad/s about each axis, μ up to
/// 1.5, steps of 0.5 to 50 ms; with the default settings.
pub fn wide_plan() -> impl Strategy<Value = Plan> {
    let plan = (decades(-2.0..1.0), decades(-3.3..-1.3), 5_u64..=25).prop_flat_map(|(scale, dt, steps)| {
        let friction = prop_oneof![1 => Just(0.0), 2 => 0.0..1.5];
        let one = || body_of(scale, dt, [-3.0..0.0, -10.0..3.0], spin_at(0.0..150.0).boxed());
        let bodies = prop::collection::vec(one(), 2..=6);
        let gravity = prop_oneof![2 => Just(9.81), 1 => Just(0.0)];
        (gravity, friction, bodies).prop_map(move |(gravity, friction, bodies)| Plan {
            scale,
            dt,
            steps,
            gravity,
            friction,
            settings: Settings { d_hat: None, rotation_vector: false },
            bodies,
            mixed: None,
        })
    });
    plan.prop_filter("nothing moves", |plan| plan.bodies.iter().any(|b| b.kind == Kind::Dynamic))
}
