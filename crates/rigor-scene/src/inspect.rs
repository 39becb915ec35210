//! Flaws that any method's step can have, found from the states before and after it and from its report.

use rigor_math::Pose;

use crate::body::{Body, BodyId, Role};
use crate::energy::made;
use crate::flaw::{Flaw, FlawKind, Subject};
use crate::joint::Joint;
use crate::joint_error::JointError;
use crate::method::{ContactReport, StepReport};
use crate::scene::Scene;
use crate::state::State;

/// Part of the displacement prescribed for a step by which a kinematic body may miss its pose.
const MISSED: f64 = 0.01;

/// Rounding error of a place, over its distance from the origin and the body's radius.
const ROUNDING: f64 = 1e-9;

/// Depth of a contact that pushes, over the thickness of the thinner body, from which it is not resolved.
const SQUEEZED: f64 = 0.05;

/// Thickness over the radius below which a body is a surface.
const FLAT: f64 = 1e-6;

/// Radius over that of the largest dynamic body below which a body is a point.
const POINT: f64 = 1e-9;

/// Distance of a rigid joint's ends, over the radius of its smaller body, from which it does not hold.
const APART: f64 = 0.05;

/// Depth over the radius below which the thickness is not computed.
const SHALLOW: f64 = 0.005;

/// Returns the flaws of a step of `dt` (s) from `before` to `after` that no method needs to tell itself:
/// [energy made](made), prescribed poses missed, contacts not resolved, joints apart. A kind that `report` has already is left
/// out.
///
/// They depend on the arguments alone, so that a resumed run has those of an uninterrupted one.
pub fn inspect(scene: &Scene, before: &State, after: &State, report: &StepReport, dt: f64) -> Vec<Flaw> {
    let is_told = |flaw: &Flaw| report.flaws.iter().any(|told| told.kind == flaw.kind);
    let found = [
        made::flaw(scene, before, after, report, dt),
        missed(scene, before, after),
        squeezed(scene, report),
        apart(scene, after, report),
    ];
    found.into_iter().flatten().filter(|flaw| !is_told(flaw)).collect()
}

/// The kinematic body that ended farthest from its prescribed pose.
///
/// A body misses its pose if one of its points may be more than 1 % of the step's way away: ‖x − x̂‖ + r φ, with the
/// body's radius r and twice the sine φ of half the angle between the rotations, against the same between the prescribed poses at both ends.
fn missed(scene: &Scene, before: &State, after: &State) -> Option<Flaw> {
    let of = |id: BodyId| {
        let body = &scene.bodies[id.0];
        let Role::Kinematic(_) = body.role else { return None };
        let (from, to) = (body.prescribed(before.time)?.pose, body.prescribed(after.time)?.pose);
        let reached = &after.bodies[id.0].pose;
        let off = |a: &Pose, b: &Pose| {
            (a.position - b.position).norm()
                + 2.0 * body.radius * (a.rotation.inverse() * b.rotation).imag().norm()
        };
        let (miss, way) = (off(reached, &to), off(&from, &to));
        let rounding = ROUNDING * (to.position.norm() + body.radius);
        (miss > MISSED * way + rounding)
            .then(|| Flaw::new(FlawKind::PrescribedMissed, Subject::Body(id), miss))
    };
    worst(scene.body_ids().filter_map(of))
}

/// The contact between bodies that pushes and is deepest, if it is not resolved: deeper than a twentieth of the thickness of
/// the thinner dynamic body. Surfaces without thickness are left out.
fn squeezed(scene: &Scene, report: &StepReport) -> Option<Flaw> {
    let of = |contact: &ContactReport| {
        let depth = -contact.distance;
        let ids = [contact.body_a, contact.body_b];
        let bodies = ids.map(|id| &scene.bodies[id.0]);
        let radius = bodies.iter().map(|body| body.radius).fold(f64::INFINITY, f64::min);
        if contact.normal_force <= 0.0 || depth <= SHALLOW * radius {
            return None;
        }
        let thin = bodies
            .into_iter()
            .filter(|body| body.is_dynamic())
            .map(Body::thickness)
            .fold(f64::INFINITY, f64::min);
        let part = depth / thin;
        let is_deep = thin > FLAT * radius && part > SQUEEZED;
        is_deep.then(|| {
            Flaw::new(FlawKind::Squeezed, Subject::Pair(ids[0].min(ids[1]), ids[0].max(ids[1])), part)
        })
    };
    worst(report.contacts.iter().filter_map(of))
}

/// The joint that is farthest apart for its bodies, if it does not hold: the rigid part of its distance, and of its angle times
/// the radius, is more than a twentieth of the radius of its smaller dynamic body. A joint that may have broken is left out
/// unless the report says that it did not. A body that is a point beside the largest dynamic one counts with the lever of the joint,
/// and not at all where that is none.
fn apart(scene: &Scene, after: &State, report: &StepReport) -> Option<Flaw> {
    let mut is_broken: Vec<Option<bool>> = vec![None; scene.joints.len()];
    for told in &report.joints {
        is_broken[told.joint] = Some(told.broken);
    }
    let dynamic = scene.bodies.iter().filter(|body| body.is_dynamic());
    let point = POINT * dynamic.map(|body| body.radius).fold(0.0, f64::max);
    let of = |(i, joint): (usize, &Joint)| {
        if is_broken[i].unwrap_or(joint.can_break()) {
            return None;
        }
        let lever = |body: &Body, frame: &Pose| {
            if body.radius > point { body.radius } else { frame.position.norm() }
        };
        let ends = [(Some(joint.body_a), &joint.frame_a), (joint.body_b, &joint.frame_b)];
        let ends = ends.into_iter().filter_map(|(id, frame)| Some((&scene.bodies[id?.0], frame)));
        let size = ends
            .filter(|(body, _)| body.is_dynamic())
            .map(|(body, frame)| lever(body, frame))
            .filter(|size| *size > point)
            .fold(f64::INFINITY, f64::min);
        let error = JointError::of(joint, after);
        let rigid = |error: Option<f64>, compliance: f64| error.filter(|_| compliance == 0.0).unwrap_or(0.0);
        let distance = rigid(error.position, joint.compliance)
            .max(rigid(error.slide_excess, joint.kind.length_range().compliance));
        let part = (distance / size).max(rigid(error.angle, joint.angular_compliance));
        (size.is_finite() && size > 0.0 && part > APART)
            .then(|| Flaw::new(FlawKind::JointApart, Subject::Joint(i), part))
    };
    worst(scene.joints.iter().enumerate().filter_map(of))
}

fn worst(flaws: impl Iterator<Item = Flaw>) -> Option<Flaw> {
    flaws.reduce(|most, next| if next.amount > most.amount { next } else { most })
}

#[cfg(test)]
mod tests {
    use rigor_math::{Vec3, rotation_vector};
    use rigor_shapes::Cuboid;

    use super::*;
    use crate::body::Friction;
    use crate::build::{BodySpec, PlacedShape};
    use crate::joint::{Drive, Freedom, Goal, Joint, JointKind};
    use crate::method::JointReport;
    use crate::motion::{KinematicPath, Motion};
    use crate::part::PartKind;
    use crate::placement::BodyState;

    const DT: f64 = 0.01;

    /// A cube with edges of 2 m and 8 kg.
    fn cube(name: &str) -> BodySpec {
        let mesh = Cuboid::new(Vec3::repeat(2.0)).mesh().expect("it has edges");
        let shape = PlacedShape { mesh, kind: PartKind::Convex, pose: Pose::identity() };
        BodySpec { weight: crate::build::Weight::Density(1.0), ..BodySpec::new(name, vec![shape]) }
    }

    fn scene(bodies: Vec<BodySpec>) -> Scene {
        let bodies = bodies.into_iter().map(|spec| spec.build().expect("it has a volume")).collect();
        Scene { gravity: Vec3::y() * -10.0, bodies, ..Scene::default() }
    }

    /// Returns the flaws of a step that gives the bodies these linear velocities (m/s), and moves them as `path` says.
    fn flaws(scene: &Scene, before: &State, velocities: &[Vec3], report: &StepReport) -> Vec<Flaw> {
        let mut after = State { step: 1, time: before.time + DT, ..before.clone() };
        for (body, v) in after.bodies.iter_mut().zip(velocities) {
            body.pose.position += DT * 0.5 * (body.linear_velocity + v);
            body.linear_velocity = *v;
        }
        inspect(scene, before, &after, report, DT)
    }

    fn contact(f: f64, distance: f64) -> ContactReport {
        ContactReport {
            body_a: BodyId(0),
            body_b: BodyId(1),
            point_world: Vec3::zeros(),
            normal_world: Vec3::y(),
            distance,
            normal_force: f,
            friction_force_world: Vec3::zeros(),
            slip_velocity_world: Vec3::zeros(),
            friction: (0.0, 0.0),
        }
    }

    /// The report of joint 0 that pulls with this force (N).
    fn pulling(force_world: Vec3) -> StepReport {
        let (torque_world, position_error, angle_error) = (Vec3::zeros(), 0.0, 0.0);
        let told = JointReport {
            joint: 0,
            force_world,
            torque_world,
            position_error,
            angle_error,
            turn: None,
            broken: false,
        };
        StepReport { joints: vec![told], ..StepReport::default() }
    }

    #[test]
    fn free_fall_has_no_flaw_under_any_first_order_integrator() {
        let scene = scene(vec![cube("a")]);
        for speed in [0.0, 3.0, -3.0, 1e3] {
            for moves in [0.0, 0.5, 1.0] {
                let mut before = State::initial(&scene);
                before.bodies[0].linear_velocity = Vec3::y() * speed;
                let mut after = State { time: DT, ..before.clone() };
                let fall = -10.0 * DT;
                after.bodies[0].linear_velocity.y += fall;
                after.bodies[0].pose.position.y += DT * (speed + moves * fall);
                assert_eq!(inspect(&scene, &before, &after, &StepReport::default(), DT), []);
            }
        }
    }

    #[test]
    fn a_rebound_may_not_be_faster_than_the_approach() {
        let scene = scene(vec![cube("a")]);
        let mut before = State::initial(&scene);
        before.bodies[0].linear_velocity = Vec3::y() * -4.0;
        assert_eq!(flaws(&scene, &before, &[Vec3::y() * 4.0], &StepReport::default()), []);
        let made = flaws(&scene, &before, &[Vec3::y() * 5.0], &StepReport::default());
        assert_eq!((made[0].kind.clone(), made[0].subject), (FlawKind::EnergyMade, Subject::Body(BodyId(0))));
        // ½·8·(25 − 16) J, less the bound: a thousandth of the kinetic energies, and 8·0.1·(5 + 0.05) J.
        assert!((made[0].amount - (36.0 + 8.0 * 0.1 * 0.5 - 0.164 - 4.04)).abs() < 1e-9, "{made:?}");
    }

    #[test]
    fn a_turn_that_speeds_up_by_itself_is_told() {
        let scene = scene(vec![cube("a")]);
        let mut before = State::initial(&scene);
        before.bodies[0].angular_velocity = Vec3::z() * 3.0;
        let mut after = State { time: DT, ..before.clone() };
        let v = scene.gravity * DT;
        after.bodies[0].linear_velocity = v;
        after.bodies[0].pose = Pose::new(v * (0.5 * DT), rotation_vector::exp(&(Vec3::z() * 0.03)));
        assert_eq!(inspect(&scene, &before, &after, &StepReport::default(), DT), []);
        after.bodies[0].angular_velocity *= 1.01;
        assert_eq!(inspect(&scene, &before, &after, &StepReport::default(), DT).len(), 1);
    }

    #[test]
    fn torques_and_moving_bodies_give_what_their_forces_do() {
        let press = |v: Vec3| {
            let motion = Motion { path: KinematicPath::ConstantVelocity, stops_at: f64::INFINITY };
            BodySpec { role: Role::Kinematic(motion), linear_velocity: v, ..cube("press") }
        };
        let mut pushed = scene(vec![cube("a"), press(Vec3::y() * 3.0)]);
        pushed.gravity = Vec3::zeros();
        let before = State::initial(&pushed);
        let up = Vec3::y() * 3.0;
        // 8 kg from 0 to 3 m/s: 24 N s, 2400 N over the step, along the way of the press 72 J; 36 J stay.
        let told = StepReport { contacts: vec![contact(2400.0, 0.0)], ..StepReport::default() };
        assert_eq!(flaws(&pushed, &before, &[up, up], &told), []);
        let weak = StepReport { contacts: vec![contact(240.0, 0.0)], ..StepReport::default() };
        let made = flaws(&pushed, &before, &[up, up], &weak);
        assert_eq!(made.len(), 1, "7.2 J cannot become 36 J");
        assert_eq!(
            flaws(&pushed, &before, &[up, up], &StepReport::default()),
            [],
            "without forces it is not judged"
        );
        let mut turned = scene(vec![BodySpec { torque: Vec3::z() * 100.0, ..cube("a") }]);
        turned.gravity = Vec3::zeros();
        let before = State::initial(&turned);
        let mut after = State { time: DT, ..before.clone() };
        after.bodies[0].angular_velocity = turned.bodies[0].torque * (DT / turned.bodies[0].inertia.z);
        assert_eq!(inspect(&turned, &before, &after, &StepReport::default(), DT), []);
        after.bodies[0].angular_velocity *= 1.5;
        assert_eq!(inspect(&turned, &before, &after, &StepReport::default(), DT).len(), 1);
    }

    #[test]
    fn a_fast_bystander_hides_nothing() {
        let mut scene = scene(vec![cube("hit"), cube("bystander")]);
        scene.gravity = Vec3::zeros();
        let mut before = State::initial(&scene);
        before.bodies[1].linear_velocity = Vec3::x() * 1e4;
        let mut after = State { time: DT, ..before.clone() };
        after.bodies[1].pose.position += Vec3::x() * (1e4 * DT);
        assert_eq!(inspect(&scene, &before, &after, &StepReport::default(), DT), []);
        after.bodies[0].linear_velocity = Vec3::y();
        let flaws = inspect(&scene, &before, &after, &StepReport::default(), DT);
        assert_eq!(flaws.len(), 1, "{flaws:?}");
        assert_eq!(
            (flaws[0].kind.clone(), flaws[0].subject),
            (FlawKind::EnergyMade, Subject::Body(BodyId(0)))
        );
    }

    #[test]
    fn a_spring_gives_what_it_stored_and_no_more_than_that() {
        let frame = Pose::identity();
        let spring = Drive::spring(Goal::Position(0.0), 1e-3);
        let kind = JointKind::Prismatic { slide: Freedom::driven(spring) };
        let report = pulling(Vec3::x() * 2400.0);
        let mut scene = scene(vec![cube("a")]);
        scene.gravity = Vec3::zeros();
        scene.joints = vec![Joint::new("spring", kind, (BodyId(0), frame), (None, frame))];
        let mut before = State::initial(&scene);
        let m = scene.bodies[0].mass;
        // It moves the body from 0.1 m to 0.05 m and gives ½ (0.1² − 0.05²)/10⁻³ = 3.75 J.
        before.bodies[0].pose.position = Vec3::x() * 0.1;
        for (energy, is_made) in [(3.75, false), (4.5, true)] {
            let mut after = State { time: DT, ..before.clone() };
            after.bodies[0].pose.position = Vec3::x() * 0.05;
            after.bodies[0].linear_velocity = Vec3::x() * (2.0 * energy / m).sqrt();
            let flaws = inspect(&scene, &before, &after, &report, DT);
            assert_eq!(!flaws.is_empty(), is_made, "{energy} J: {flaws:?}");
        }
    }

    #[test]
    fn a_joint_that_is_apart_is_told_unless_it_broke() {
        let frame = Pose::identity();
        let mut scene = scene(vec![cube("a"), cube("b")]);
        scene.gravity = Vec3::zeros();
        scene.joints = vec![Joint::new("pin", JointKind::BALL, (BodyId(0), frame), (Some(BodyId(1)), frame))];
        let size = scene.bodies[0].radius;
        let found = |scene: &Scene, gap: f64, report: &StepReport| {
            let mut state = State::initial(scene);
            state.bodies[1].pose.position = Vec3::x() * gap;
            inspect(scene, &state, &State { time: DT, ..state.clone() }, report, DT)
        };
        let told = pulling(Vec3::zeros());
        assert_eq!(found(&scene, 0.04 * size, &told), []);
        let flaws = found(&scene, 0.1 * size, &StepReport::default());
        assert_eq!((flaws[0].kind.clone(), flaws[0].subject), (FlawKind::JointApart, Subject::Joint(0)));
        assert!((flaws[0].amount - 0.1).abs() < 1e-12);
        let mut broken = told.clone();
        broken.joints[0].broken = true;
        assert_eq!(found(&scene, 0.1 * size, &broken), []);
        scene.joints[0].strength.force = 10.0;
        assert_eq!(found(&scene, 0.1 * size, &StepReport::default()), [], "it may have broken");
        assert_eq!(found(&scene, 0.1 * size, &told).len(), 1);
        scene.joints[0].compliance = 1e-3;
        assert_eq!(found(&scene, 0.1 * size, &told), [], "a stretched spring is no error");
        scene.joints[0].compliance = 0.0;
        scene.bodies[1].radius = 1e-13;
        assert_eq!(found(&scene, 1e-10, &told), [], "the other body is a point");
    }

    #[test]
    fn a_drive_gives_energy_and_a_plain_joint_does_not() {
        let frame = Pose::identity();
        let of = |kind| Joint::new("joint", kind, (BodyId(0), frame), (None, frame));
        let drive = Freedom::driven(Drive::new(Goal::Velocity(3.0)));
        let report = pulling(Vec3::x() * 2400.0);
        for (kind, is_made) in [(JointKind::Prismatic { slide: drive }, false), (JointKind::PRISMATIC, true)]
        {
            let mut scene = scene(vec![cube("a")]);
            scene.gravity = Vec3::zeros();
            scene.joints = vec![of(kind.clone())];
            let before = State::initial(&scene);
            let found = flaws(&scene, &before, &[Vec3::x() * 3.0], &report);
            assert_eq!(!found.is_empty(), is_made, "{kind:?}: {found:?}");
            if is_made {
                assert_eq!(found[0].subject, Subject::Joint(0));
            }
            let untold = flaws(&scene, &before, &[Vec3::x() * 3.0], &StepReport::default());
            assert_eq!(!untold.is_empty(), is_made, "a drive without a report is not judged: {untold:?}");
        }
    }

    #[test]
    fn springs_of_contacts_give_what_they_release() {
        let mut scene = scene(vec![cube("a")]);
        scene.gravity = Vec3::zeros();
        let before = State::initial(&scene);
        let found = |released| {
            let report = StepReport { released, ..StepReport::default() };
            flaws(&scene, &before, &[Vec3::y() * 3.0], &report).len()
        };
        assert_eq!(
            [found(None), found(Some(36.0)), found(Some(20.0)), found(Some(f64::INFINITY))],
            [1, 0, 1, 0]
        );
    }

    #[test]
    fn a_moving_body_that_stays_behind_is_told_with_the_distance() {
        let motion = Motion { path: KinematicPath::ConstantVelocity, stops_at: f64::INFINITY };
        let press = BodySpec { role: Role::Kinematic(motion), linear_velocity: Vec3::x(), ..cube("press") };
        let scene = scene(vec![press]);
        let before = State::initial(&scene);
        let at = |x: f64| {
            let mut after = State { time: DT, ..before.clone() };
            after.bodies[0] = BodyState { pose: Pose::translation(Vec3::x() * x), ..after.bodies[0] };
            inspect(&scene, &before, &after, &StepReport::default(), DT)
        };
        assert_eq!(at(DT), []);
        assert_eq!(at(0.999 * DT), [], "a thousandth of the way");
        let missed = at(0.5 * DT);
        assert_eq!(
            (missed[0].kind.clone(), missed[0].subject),
            (FlawKind::PrescribedMissed, Subject::Body(BodyId(0)))
        );
        assert!((missed[0].amount - 0.5 * DT).abs() < 1e-15);
    }

    #[test]
    fn a_contact_that_pushes_and_is_deep_is_squeezed() {
        let floor = BodySpec { role: Role::Static, friction: Friction::uniform(0.0), ..cube("floor") };
        let scene = scene(vec![cube("a"), floor]);
        let before = State::initial(&scene);
        let deep = |force, distance| {
            let report = StepReport { contacts: vec![contact(force, distance)], ..StepReport::default() };
            let still = [scene.gravity * DT, Vec3::zeros()];
            flaws(&scene, &before, &still, &report)
        };
        assert_eq!(deep(80.0, -0.09), [], "a twentieth of 2 m is 0.1 m");
        assert_eq!(deep(80.0, -0.11).len(), 1);
        let found = deep(80.0, -0.5);
        let due = Flaw::new(FlawKind::Squeezed, Subject::Pair(BodyId(0), BodyId(1)), 0.25);
        assert_eq!(found, [due]);
        assert_eq!(deep(0.0, -0.5), [], "without force nothing is pressed");
    }

    #[test]
    fn what_a_method_tells_itself_is_not_told_twice() {
        let scene = scene(vec![cube("a")]);
        let before = State::initial(&scene);
        let own = Flaw::new(FlawKind::EnergyMade, Subject::Scene, 1.0);
        let report = StepReport { flaws: vec![own], ..StepReport::default() };
        assert_eq!(flaws(&scene, &before, &[Vec3::y() * 9.0], &report), []);
    }
}
