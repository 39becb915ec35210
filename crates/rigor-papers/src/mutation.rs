//! Changes of a scene under which a claim should fail.
//!
//! A claim that holds whatever is done to its scene says nothing. Each change here breaks the physics of a scene, or a
//! setting of its method, in one way.

use rigor_file::Loaded;
use rigor_file::document::{FrictionEntry, RoleName};

/// A change of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutation {
    /// g = 0.
    NoGravity,
    /// g/2.
    HalfGravity,
    /// −g.
    ReversedGravity,
    /// Gravity tilted by 30° across; where there is none, that of the earth so.
    TiltedGravity,
    /// μ = 0 everywhere.
    NoFriction,
    /// μ = 1 everywhere.
    MuchFriction,
    /// The friction of each body is that of the body as far from the end of the list as it is from the beginning.
    SwappedFriction,
    /// e = 1 where it was 0, and 0 elsewhere.
    OtherRestitution,
    /// No initial velocities.
    AtRest,
    /// Initial velocities the other way.
    ReversedVelocities,
    /// Constant forces and torques the other way.
    ReversedForces,
    /// The method `free` in place of the paper's: bodies fly through each other, and the judges see it; where there is no gravity,
    /// they fall as well.
    FreeFlight,
    /// No two bodies collide, and the judges know it.
    NoContact,
    /// No static body that can be left out.
    NoSupports,
    /// Static bodies that rise and drift, by 0.5 m/s along each axis.
    MovingSupports,
    /// Joints, bonds and attachments that yield: by 0.1 m/N and 0.1 rad/(N m) more.
    Yielding,
    /// One substep, one iteration; where a method has no substeps, steps four times as long.
    Coarse,
    /// Another integrator.
    OtherIntegrator,
}

impl Mutation {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 18] = [
        Self::NoGravity,
        Self::HalfGravity,
        Self::ReversedGravity,
        Self::TiltedGravity,
        Self::NoFriction,
        Self::MuchFriction,
        Self::SwappedFriction,
        Self::OtherRestitution,
        Self::AtRest,
        Self::ReversedVelocities,
        Self::ReversedForces,
        Self::FreeFlight,
        Self::NoContact,
        Self::NoSupports,
        Self::MovingSupports,
        Self::Yielding,
        Self::Coarse,
        Self::OtherIntegrator,
    ];

    /// Returns what it does, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::NoGravity => "no gravity",
            Self::HalfGravity => "half the gravity",
            Self::ReversedGravity => "gravity upwards",
            Self::TiltedGravity => "gravity tilted by 30°",
            Self::NoFriction => "no friction",
            Self::MuchFriction => "μ = 1",
            Self::SwappedFriction => "friction of bodies swapped",
            Self::OtherRestitution => "e = 1 for 0, and 0 for others",
            Self::AtRest => "starts at rest",
            Self::ReversedVelocities => "velocities reversed",
            Self::ReversedForces => "forces reversed",
            Self::FreeFlight => "the method `free`, under gravity",
            Self::NoContact => "no contact between bodies",
            Self::NoSupports => "no static bodies",
            Self::MovingSupports => "static bodies move",
            Self::Yielding => "constraints yield by 0.1 m/N, 0.1 rad/(N m)",
            Self::Coarse => "one substep and iteration, or steps × 4",
            Self::OtherIntegrator => "another integrator",
        }
    }

    /// Returns the method of the run in place of `method`.
    pub fn method(self, method: &str) -> &str {
        if self == Self::FreeFlight { "free" } else { method }
    }

    /// Returns the changes of the scene, `KEY=VALUE`, for a run with `method`; none if the scene would stay what it is.
    pub fn lines(self, loaded: &Loaded, method: &str) -> Vec<String> {
        let document = &loaded.document;
        let gravity = |factor: f64| match document.gravity {
            [0.0, 0.0, 0.0] => vec![],
            [x, y, z] => vec![format!("gravity=[{:?}, {:?}, {:?}]", factor * x, factor * y, factor * z)],
        };
        let frictions: Vec<[f64; 2]> = document.body.iter().map(|body| both(body.friction)).collect();
        let friction = |new: &dyn Fn(usize) -> [f64; 2]| {
            let line = |k: usize| match new(k) {
                changed if changed == frictions[k] => None,
                [static_, dynamic] => {
                    Some(format!("body.{k}.friction={{ static = {static_:?}, dynamic = {dynamic:?} }}"))
                }
            };
            (0..frictions.len()).filter_map(line).collect()
        };
        let vector = |key: &str, of: fn(&rigor_file::document::BodyEntry) -> [f64; 3], factor: f64| {
            let line = |(k, body): (usize, &rigor_file::document::BodyEntry)| match of(body) {
                [0.0, 0.0, 0.0] => None,
                [x, y, z] => {
                    Some(format!("body.{k}.{key}=[{:?}, {:?}, {:?}]", factor * x, factor * y, factor * z))
                }
            };
            document.body.iter().enumerate().filter_map(line).collect::<Vec<String>>()
        };
        let velocities = |factor: f64| {
            let about = vector("angular_velocity", |body| body.angular_velocity.unwrap_or_default(), factor);
            let in_deg =
                vector("angular_velocity_deg", |body| body.angular_velocity_deg.unwrap_or_default(), factor);
            let along = vector("linear_velocity", |body| body.linear_velocity, factor);
            [along, about, in_deg, of_particles(loaded, factor)].concat()
        };
        match self {
            Self::NoGravity => gravity(0.0),
            Self::HalfGravity => gravity(0.5),
            Self::ReversedGravity => gravity(-1.0),
            Self::TiltedGravity => vec![tilted(document.gravity)],
            Self::NoFriction => friction(&|_| [0.0; 2]),
            Self::MuchFriction => friction(&|_| [1.0; 2]),
            Self::SwappedFriction => friction(&|k| frictions[frictions.len() - 1 - k]),
            Self::OtherRestitution => {
                let e = |e: f64| if e > 0.0 { 0 } else { 1 };
                let line = |(k, body): (usize, &rigor_file::document::BodyEntry)| {
                    format!("body.{k}.restitution={}", e(body.restitution))
                };
                let bodies = document.body.iter().enumerate().map(line);
                let particles = document.particle.iter().enumerate();
                let particles = particles.filter(|(_, particle)| particle.radius > 0.0);
                let of_particle = |(k, particle): (usize, &rigor_file::document::ParticleEntry)| {
                    format!("particle.{k}.restitution={}", e(particle.restitution))
                };
                bodies.chain(particles.map(of_particle)).collect()
            }
            Self::AtRest => velocities(0.0),
            Self::ReversedVelocities => velocities(-1.0),
            Self::ReversedForces => {
                [vector("force", |body| body.force, -1.0), vector("torque", |body| body.torque, -1.0)]
                    .concat()
            }
            Self::NoContact if document.body.len() > 1 => {
                (0..document.body.len()).map(|k| format!("body.{k}.group=\"mutation\"")).collect()
            }
            Self::NoContact => vec![],
            Self::FreeFlight if document.gravity == [0.0; 3] => vec![tilted(document.gravity)],
            Self::FreeFlight => vec![],
            Self::MovingSupports => {
                let bodies = document.body.iter().enumerate();
                let static_ = bodies.filter(|(_, body)| body.role == RoleName::Static);
                let moving = |(k, _)| {
                    [format!("body.{k}.role=kinematic"), format!("body.{k}.linear_velocity=[0.5, 0.5, 0.5]")]
                };
                static_.flat_map(moving).collect()
            }
            Self::NoSupports => {
                let is_free = |name: &str| {
                    let joints = document.joint.iter();
                    !joints.clone().any(|joint| joint.body_a == name || joint.body_b.as_deref() == Some(name))
                        && !document.expect.iter().any(|expect| expect.body.as_deref() == Some(name))
                };
                let bodies = document.body.iter().enumerate();
                let static_ = bodies.filter(|(_, body)| body.role == RoleName::Static && is_free(&body.name));
                static_.map(|(k, _)| format!("body.{k}.enabled=false")).collect()
            }
            Self::Yielding => yielding(loaded, method),
            Self::Coarse => coarse(loaded, method),
            Self::OtherIntegrator => integrator(loaded, method).into_iter().collect(),
        }
    }
}

/// Changes of the velocities of particles.
fn of_particles(loaded: &Loaded, factor: f64) -> Vec<String> {
    let document = &loaded.document;
    let line = |section: &str, k: usize, velocity: [f64; 3]| match velocity {
        [0.0, 0.0, 0.0] => None,
        [x, y, z] => {
            Some(format!("{section}.{k}.velocity=[{:?}, {:?}, {:?}]", factor * x, factor * y, factor * z))
        }
    };
    let particles = document.particle.iter().enumerate().map(|(k, entry)| ("particle", k, entry.velocity));
    let ropes = document.rope.iter().enumerate().map(|(k, entry)| ("rope", k, entry.velocity));
    let cloths = document.cloth.iter().enumerate().map(|(k, entry)| ("cloth", k, entry.velocity));
    let blocks = document.soft.iter().enumerate().map(|(k, entry)| ("soft", k, entry.velocity));
    let all = particles.chain(ropes).chain(cloths).chain(blocks);
    all.filter_map(|(section, k, velocity)| line(section, k, velocity)).collect()
}

/// Gravity of the same size at 30° to what it was, towards an axis across and the one after it alike; that of the earth where
/// there is none.
fn tilted(gravity: [f64; 3]) -> String {
    let gravity = if gravity == [0.0; 3] { [0.0, -9.81, 0.0] } else { gravity };
    let size = gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
    let is_main = |axis: usize| gravity.iter().all(|other| other.abs() <= gravity[axis].abs());
    let main = (0..3).find(|axis| is_main(*axis));
    // cos 30° and sin 30°/√2.
    let (along, across) = (0.866_025_403_784, 0.353_553_390_593);
    let component = |axis: usize| if main == Some(axis) { along * gravity[axis] } else { across * size };
    format!("gravity=[{:?}, {:?}, {:?}]", component(0), component(1), component(2))
}

fn both(friction: FrictionEntry) -> [f64; 2] {
    match friction {
        FrictionEntry::Uniform(mu) => [mu, mu],
        FrictionEntry::Pair(pair) => [pair.static_, pair.dynamic],
    }
}

fn yielding(loaded: &Loaded, method: &str) -> Vec<String> {
    let document = &loaded.document;
    let more = |section: &str, key: &str, k: usize, now: f64| format!("{section}.{k}.{key}={:?}", now + 0.1);
    let joints = document.joint.iter().enumerate();
    let joints = joints.flat_map(|(k, joint)| {
        let angular = more("joint", "angular_compliance", k, joint.angular_compliance);
        [more("joint", "compliance", k, joint.compliance), angular]
    });
    let ropes = document.rope.iter().enumerate();
    let ropes = ropes.map(|(k, rope)| more("rope", "stretch_compliance", k, rope.stretch_compliance));
    let cloths = document.cloth.iter().enumerate();
    let cloths = cloths.map(|(k, cloth)| more("cloth", "stretch_compliance", k, cloth.stretch_compliance));
    let bonds = document.bond.iter().enumerate();
    let bonds = bonds.map(|(k, bond)| more("bond", "compliance", k, bond.compliance));
    let ties = document.attachment.iter().enumerate();
    let ties = ties.map(|(k, tie)| more("attachment", "compliance", k, tie.compliance));
    let blocks = document.soft.iter().enumerate();
    let blocks =
        blocks.filter_map(|(k, soft)| soft.young.map(|young| format!("soft.{k}.young={:?}", 0.1 * young)));
    // Position-based dynamics has one stiffness for all bonds in place of compliances.
    let stiffness = document.method.get("pbd").and_then(|settings| settings.get("stiffness"));
    let stiffness = stiffness.map_or(1.0, |value| value.as_f64().unwrap_or(1.0));
    let softer = (method == "pbd").then(|| format!("method.pbd.stiffness={:?}", 0.5 * stiffness));
    joints.chain(softer).chain(ropes).chain(cloths).chain(bonds).chain(ties).chain(blocks).collect()
}

fn coarse(loaded: &Loaded, method: &str) -> Vec<String> {
    // About four times as long, so that the duration stays.
    let time = loaded.scene.time;
    let steps = time.steps().div_ceil(4).max(1);
    let longer = format!("time.dt={:?}", time.duration / steps as f64);
    let one = |key: &str| format!("method.{method}.{key}=1");
    match method {
        // `xpbd` still divides steps of fast bodies: else beads pile up into each other, and a step takes a minute.
        "xpbd" | "pbd" | "avbd" => vec![one("substeps"), one("iterations")],
        _ => vec![longer],
    }
}

fn integrator(loaded: &Loaded, method: &str) -> Option<String> {
    let settings = loaded.document.method.get(method);
    let now = settings.and_then(|settings| settings.get("integrator")).and_then(|value| value.as_str());
    let other = match (method, now) {
        ("ipc", Some("implicit_euler")) => "impulse",
        ("ipc", _) => "implicit_euler",
        ("xpbd" | "pbd", Some("velocity_verlet")) => "symplectic_euler",
        ("xpbd" | "pbd", _) => "velocity_verlet",
        _ => return None,
    };
    Some(format!("method.{method}.integrator={other}"))
}
