//! A scene of another size.

use std::collections::BTreeMap;
use std::sync::Arc;

use rigor_geometry::Mesh;
use rigor_math::{Pose, Vec3};

use crate::body::{Body, Role};
use crate::bond::{Bond, BondKind};
use crate::expectation::{Bound, Expectation};
use crate::fluid::Fluid;
use crate::joint::{Drive, ForceLaw, Freedom, Goal, Joint, JointKind, Range};
use crate::motion::{KinematicPath, Motion};
use crate::part::{Part, PartKind};
use crate::particle::Particle;
use crate::placement::BodyState;
use crate::scene::Scene;
use crate::skeleton::Skeleton;

/// Returns `scene` with all lengths multiplied by `s`, a positive number.
///
/// Densities, viscosities, gravity, speeds of points, times, moduli of materials, and rates of damping stay as they are. It follows
/// that
///
/// | quantity | factor |
/// | --- | --- |
/// | length, radius, position; bounds and goals of slides | s |
/// | angle, friction, restitution, speed | 1 |
/// | angular velocity | 1/s |
/// | mass; force and its bounds | s³ |
/// | torque and its bounds | s⁴ |
/// | moment of inertia | s⁵ |
/// | compliance of a length (m/N) | 1/s |
/// | compliance of an angle (rad/(N m)) | 1/s³ |
/// | coefficient kᵢ of a driven length (N/mⁱ), of a driven turn (N m/radⁱ) | s²⁻ⁱ, s³ |
/// | force of a table of a driven length, torque of one of a driven turn | s², s³ |
/// | damping of a driven slide (N s/m), of a driven turn (N m s/rad) | s³, s⁵ |
///
/// The mass grows so for bodies and particles of any dimension. A spring of the same material has a stiffness in proportion to its length. Keyframes keep their times. Of the
/// expectations those remain whose bound is zero, which means the same at every size; the others hold for the scene's
/// own size. Settings of methods are not changed.
///
/// With `s` = 1 the scene is returned bit for bit.
pub fn rescale(scene: Scene, s: f64) -> Scene {
    if s == 1.0 {
        return scene;
    }
    let mut meshes: BTreeMap<*const Mesh, Arc<Mesh>> = BTreeMap::new();
    let mut mesh = |own: &Arc<Mesh>| {
        let scaled = || Arc::new(own.map_vertices(|v| v * s));
        Arc::clone(meshes.entry(Arc::as_ptr(own)).or_insert_with(scaled))
    };
    let scaled = |one: &Body| {
        let offsets = one.skeleton.offsets.iter().map(|offset| offset * s).collect();
        let skeleton = Skeleton { mesh: mesh(&one.skeleton.mesh), offsets };
        Body { mesh: mesh(&one.mesh), skeleton, ..body(one, s) }
    };
    let bodies = scene.bodies.iter().map(scaled).collect();
    let attachment = |mut one: crate::attachment::Attachment| {
        one.point_local *= s;
        one.compliance /= s;
        one
    };
    Scene {
        bodies,
        particles: scene.particles.iter().map(|one| particle(one, s)).collect(),
        fluids: scene.fluids.iter().map(|one| Fluid { spacing: one.spacing * s, ..one.clone() }).collect(),
        bonds: scene.bonds.iter().map(|one| bond(one, s)).collect(),
        attachments: scene.attachments.iter().cloned().map(attachment).collect(),
        joints: scene.joints.iter().map(|one| joint(one, s)).collect(),
        expectations: scene.expectations.iter().filter(|one| is_sizeless(one)).cloned().collect(),
        ..scene
    }
}

fn cube(s: f64) -> f64 {
    s * s * s
}

/// Whether the bound means the same at every size.
fn is_sizeless(expectation: &Expectation) -> bool {
    matches!(expectation.bound, Bound::AtMost(limit) | Bound::AtLeast(limit) if limit == 0.0)
}

fn placed(pose: &Pose, s: f64) -> Pose {
    Pose { position: pose.position * s, ..*pose }
}

fn state(own: &BodyState, s: f64) -> BodyState {
    BodyState { pose: placed(&own.pose, s), angular_velocity: own.angular_velocity / s, ..*own }
}

fn body(own: &Body, s: f64) -> Body {
    let part = |part: &Part| {
        let kind = match &part.kind {
            PartKind::Box { half_extents } => PartKind::Box { half_extents: half_extents * s },
            PartKind::Ball { radius } => PartKind::Ball { radius: radius * s },
            PartKind::Capsule { radius, half_length } => {
                PartKind::Capsule { radius: radius * s, half_length: half_length * s }
            }
            PartKind::Convex | PartKind::Concave => part.kind.clone(),
        };
        Part { kind, pose: placed(&part.pose, s), ..part.clone() }
    };
    let role = match &own.role {
        Role::Kinematic(Motion { path: KinematicPath::Keyframes(frames), stops_at }) => {
            let frames = frames.iter().map(|(time, pose)| (*time, placed(pose, s))).collect();
            Role::Kinematic(Motion { path: KinematicPath::Keyframes(frames), stops_at: *stops_at })
        }
        Role::Static
        | Role::Dynamic
        | Role::Kinematic(Motion { path: KinematicPath::ConstantVelocity, .. }) => own.role.clone(),
    };
    Body {
        role,
        parts: own.parts.iter().map(part).collect(),
        frame: placed(&own.frame, s),
        mass: own.mass * cube(s),
        inertia: own.inertia * (cube(s) * s * s),
        initial: state(&own.initial, s),
        force: own.force * cube(s),
        torque: own.torque * (cube(s) * s),
        radius: own.radius * s,
        ..own.clone()
    }
}

fn particle(own: &Particle, s: f64) -> Particle {
    Particle { mass: own.mass * cube(s), radius: own.radius * s, position: own.position * s, ..own.clone() }
}

/// The energy C²/(2α) of a bond is that of a volume of the material: α grows as C²/s³.
fn bond(own: &Bond, s: f64) -> Bond {
    let (kind, compliance) = match &own.kind {
        BondKind::Distance { rest } => (BondKind::Distance { rest: rest * s }, 1.0 / s),
        BondKind::Bending { rest } => (BondKind::Bending { rest: *rest }, 1.0 / cube(s)),
        BondKind::Volume { rest } => (BondKind::Volume { rest: rest * cube(s) }, cube(s)),
        BondKind::Shape { rest } => {
            let rest: Vec<Vec3> = rest.iter().map(|point| point * s).collect();
            (BondKind::Shape { rest }, 1.0 / s)
        }
        BondKind::Tetrahedron { material, inverse_rest, volume } => {
            let (inverse_rest, volume) = (inverse_rest / s, volume * cube(s));
            (BondKind::Tetrahedron { material: *material, inverse_rest, volume }, 1.0)
        }
        BondKind::QuadraturePoint { material, gradients, volume } => {
            let (gradients, volume) = (Box::new(gradients.map(|b| b / s)), volume * cube(s));
            (BondKind::QuadraturePoint { material: *material, gradients, volume }, 1.0)
        }
    };
    Bond { kind, compliance: own.compliance * compliance, ..own.clone() }
}

fn joint(own: &Joint, s: f64) -> Joint {
    let mut scaled = own.clone();
    scaled.frame_a = placed(&own.frame_a, s);
    scaled.frame_b = placed(&own.frame_b, s);
    scaled.compliance /= s;
    scaled.angular_compliance /= cube(s);
    scaled.strength.force *= cube(s);
    scaled.strength.torque *= cube(s) * s;
    match &mut scaled.kind {
        JointKind::Ball { swing, twist } => {
            swing.compliance /= cube(s);
            twist.compliance /= cube(s);
        }
        JointKind::Hinge { turn } => turned(turn, s),
        JointKind::Prismatic { slide } => slid(slide, s),
        JointKind::Cylindrical { slide, turn } => {
            slid(slide, s);
            turned(turn, s);
        }
        JointKind::Distance { min, max, drive } => {
            *min *= s;
            *max *= s;
            drive.iter_mut().for_each(|drive| pulled(drive, s));
        }
        JointKind::Fixed | JointKind::Universal | JointKind::Gear { .. } => {}
    }
    scaled
}

fn slid(slide: &mut Freedom, s: f64) {
    let Range { min, max, compliance } = slide.range;
    slide.range = Range { min: min * s, max: max * s, compliance: compliance / s };
    slide.drive.iter_mut().for_each(|drive| pulled(drive, s));
}

/// Scales the drive of a length.
fn pulled(drive: &mut Drive, s: f64) {
    let Drive { goal, law, damping, max_effort } = drive;
    if let Goal::Position(at) = goal {
        *at *= s;
    }
    *law = law_of(law, s, s);
    *damping *= cube(s);
    *max_effort *= cube(s);
}

/// Returns `law` with deviations times `length` and dR/dc times `slope`.
fn law_of(law: &ForceLaw, length: f64, slope: f64) -> ForceLaw {
    match law {
        ForceLaw::Linear { compliance } => ForceLaw::Linear { compliance: compliance / slope },
        ForceLaw::Polynomial { stiffness } => {
            let mut factor = slope * length;
            let scaled = stiffness.map(|k| {
                factor /= length;
                k * factor
            });
            ForceLaw::Polynomial { stiffness: scaled }
        }
        ForceLaw::Table(table) => ForceLaw::Table(Arc::new(table.scaled(length, slope * length))),
    }
}

fn turned(turn: &mut Freedom, s: f64) {
    turn.range.compliance /= cube(s);
    if let Some(Drive { goal, law, damping, max_effort }) = &mut turn.drive {
        if let Goal::Velocity(rate) = goal {
            *rate /= s;
        }
        *law = law_of(law, 1.0, cube(s));
        *damping *= cube(s) * s * s;
        *max_effort *= cube(s) * s;
    }
}

#[cfg(test)]
mod tests {
    use rigor_math::quaternion;

    use super::*;
    use crate::build::{BodySpec, PlacedShape, Weight};
    use crate::scene::TimeSpan;

    /// A box with the edges `size` · (1, 2, 3) m and 100 kg/m³, turned and moving.
    fn one(size: f64) -> Scene {
        let corners = (0..8).map(|k| {
            Vec3::new(f64::from(k & 1), f64::from(2 * ((k >> 1) & 1)), f64::from(3 * ((k >> 2) & 1))) * size
        });
        let triangles = vec![
            [0, 2, 3],
            [0, 3, 1],
            [4, 5, 7],
            [4, 7, 6],
            [0, 1, 5],
            [0, 5, 4],
            [2, 6, 7],
            [2, 7, 3],
            [0, 4, 6],
            [0, 6, 2],
            [1, 3, 7],
            [1, 7, 5],
        ];
        let mesh = Mesh::new(corners.collect(), triangles, vec![]).unwrap();
        let shape = PlacedShape { mesh, kind: PartKind::Convex, pose: Pose::identity() };
        let mut spec = BodySpec::new("box", vec![shape]);
        spec.weight = Weight::Density(100.0);
        spec.pose =
            Pose::new(Vec3::new(1.0, 2.0, 3.0) * size, quaternion::from_wxyz([0.8, 0.6, 0.0, 0.0]).unwrap());
        spec.linear_velocity = Vec3::x();
        spec.angular_velocity = Vec3::z() / size;
        let body = spec.build().unwrap();
        Scene { bodies: vec![body], time: TimeSpan { dt: 0.01, duration: 1.0 }, ..Scene::default() }
    }

    #[test]
    fn a_scaled_body_is_one_that_was_built_at_that_size() {
        let (scaled, built) = (rescale(one(1.0), 0.25), one(0.25));
        let (a, b) = (&scaled.bodies[0], &built.bodies[0]);
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-12 * y.abs();
        assert!(near(a.mass, b.mass) && near(a.radius, b.radius), "{a:?} {b:?}");
        assert!(a.inertia.iter().zip(b.inertia.iter()).all(|(x, y)| near(*x, *y)));
        assert!((a.initial.pose.position - b.initial.pose.position).norm() < 1e-12);
        assert!((a.initial.angular_velocity - b.initial.angular_velocity).norm() < 1e-12);
        let apart = a.mesh.vertices().iter().zip(b.mesh.vertices()).map(|(x, y)| (x - y).norm());
        assert!(apart.fold(0.0, f64::max) < 1e-12);
        assert!(Arc::ptr_eq(&a.mesh, &a.skeleton.mesh));
    }

    #[test]
    fn a_scaled_ball_is_a_ball_of_that_size() {
        let ball = |size: f64| {
            let mesh = rigor_shapes::Icosphere { radius: size, subdivisions: 1 }.mesh().unwrap();
            let kind = PartKind::Ball { radius: size };
            let body = BodySpec::new("ball", vec![PlacedShape { mesh, kind, pose: Pose::identity() }]);
            Scene { bodies: vec![body.build().unwrap()], ..Scene::default() }
        };
        let (scaled, built) = (rescale(ball(1.0), 0.25), ball(0.25));
        let (a, b) = (&scaled.bodies[0], &built.bodies[0]);
        assert_eq!((&a.skeleton.offsets, &a.parts[0].kind), (&b.skeleton.offsets, &b.parts[0].kind));
        assert_eq!((a.radius, a.bounds()), (b.radius, b.bounds()));
    }

    #[test]
    fn size_one_changes_nothing_and_equal_meshes_stay_shared() {
        let mut scene = one(1.0);
        scene.bodies.push(scene.bodies[0].clone());
        assert_eq!(rescale(scene.clone(), 1.0), scene);
        let small = rescale(scene, 0.5);
        assert!(Arc::ptr_eq(&small.bodies[0].mesh, &small.bodies[1].mesh));
    }

    #[test]
    fn expectations_of_the_own_size_are_left_out() {
        let mut scene = one(1.0);
        for limit in [0.0, 1e-3] {
            scene.expectations.push(Expectation {
                figure: "penetration.deepest".into(),
                body: None,
                bound: Bound::AtMost(limit),
                methods: vec![],
                methods_because: String::new(),
                because: String::new(),
            });
        }
        assert_eq!(rescale(scene, 2.0).expectations.len(), 1);
    }

    #[test]
    fn a_spring_of_any_law_stores_the_energy_of_its_volume() {
        use crate::joint::{ForceTable, MAX_TERMS};

        let table = ForceTable::new(vec![[-1.0, -3.0], [0.5, 1.0], [2.0, 7.0]]).unwrap();
        let stiffness: [f64; MAX_TERMS] = [3.0, 2.0, 0.0, 0.5, 0.25];
        let laws = [
            ForceLaw::Linear { compliance: 0.5 },
            ForceLaw::Polynomial { stiffness },
            ForceLaw::Table(Arc::new(table)),
        ];
        let s = 0.1;
        for law in laws {
            for c in [-3.0, -0.4, 0.3, 1.0, 5.0] {
                let of_length = law_of(&law, s, s).energy(c * s) / law.energy(c);
                let of_turn = law_of(&law, 1.0, cube(s)).energy(c) / law.energy(c);
                assert!((of_length / cube(s) - 1.0).abs() < 1e-13, "{law:?} at {c}: {of_length}");
                assert!((of_turn / cube(s) - 1.0).abs() < 1e-13, "{law:?} at {c}: {of_turn}");
            }
        }
    }

    #[test]
    fn an_elastic_bond_stores_the_energy_of_its_volume() {
        let bond = |rest| Bond { kind: BondKind::Distance { rest }, particles: vec![], compliance: 0.5 };
        let (own, scaled) = (bond(2.0), super::bond(&bond(2.0), 0.1));
        // A strain of 1 %: C²/(2α).
        let energy = |bond: &Bond| match bond.kind {
            BondKind::Distance { rest } => (0.01 * rest).powi(2) / (2.0 * bond.compliance),
            BondKind::Bending { .. }
            | BondKind::Volume { .. }
            | BondKind::Tetrahedron { .. }
            | BondKind::QuadraturePoint { .. }
            | BondKind::Shape { .. } => f64::NAN,
        };
        assert!((energy(&scaled) / energy(&own) - 1e-3).abs() < 1e-15);
    }
}
