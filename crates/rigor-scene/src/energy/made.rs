//! Energy made in a step: what kinetic, potential and elastic energy rise beyond the work that the step received.
//!
//! For a body with velocities v₀, v₁ at the ends of a step of h, with v̄ = (v₀ + v₁)/2, and the impulse J beyond those of
//! gravity and constant forces,
//!
//! ΔT − h (m g + F)·v̄ = J·v̄,
//!
//! whatever the integrator; likewise for rotation. The sum over bodies is the work of contacts and joints along the
//! mean velocities. Rigid contacts and joints give none, so what remains after the work of motors and moving bodies and the
//! energy that springs lost was made from nowhere. A spring, or a drive to a fixed goal, gives what it stores and no more,
//! whatever work its reported torque did: a solver that overshoots pulls with a torque that no spring has. The same with h v̄ replaced by the displacement x₁ − x₀ is the rise of the total energy.
//! Both are 0 for exact motion without contact. Within a step in which a body is pushed they differ by
//! m a·(x₁ − x₀ − h v̄): methods place bodies and set velocities at different moments of the step. The smaller one counts.

use rigor_math::Vec3;

use super::{elastic, kinetic};
use crate::body::{BodyId, Role};
use crate::flaw::{Flaw, FlawKind, Subject};
use crate::joint::{Drive, Goal, Joint, JointFrames, JointKind, unwrapped};
use crate::joint_error::JointError;
use crate::method::{JointReport, StepReport};
use crate::particle::ParticleId;
use crate::scene::Scene;
use crate::state::State;

/// Part of the kinetic energy that a step may make.
const KINETIC: f64 = 1e-3;

/// Part of the kinetic energy at the start of the scene that a step may make: what solvers leave of bodies that they brought to rest.
const START: f64 = 1e-9;

/// Rounding of positions over a step, in ε of their size: substeps divide a step by up to 2000.
const ROUNDING: f64 = 1e6 * f64::EPSILON;

/// Part of the work received and of the energy released that may be misjudged: forces are means over the step, and act
/// at one point of it.
const WORK: f64 = 0.1;

/// Turn (rad) of a moving body in a step from which the place of a contact at the end says little of where it was.
const FAR: f64 = 0.5;

/// Impulse, over that of the known forces and the momentum, from which a body counts as pushed.
const PUSHED: f64 = 1e-9;

/// What a step did to the energy (J).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Balance {
    /// The rise beyond all work received: the smaller of that along mean velocities and that along displacements.
    pub gain: f64,
    /// The rise that the method's order, rounding and the misjudged part of the work explain.
    pub bound: f64,
    /// What gained most.
    pub subject: Subject,
}

/// Returns the flaw of a step of `dt` (s) from `before` to `after` that made energy; `None` if it made none, or if it
/// cannot be judged.
///
/// gain = Σ ΔT − work − Σ max(W, 0), where the first sum is over dynamic bodies and particles of finite mass, the work is
/// that of gravity, constant forces and torques, and W is what the step received: the work of moving bodies by the
/// reported contacts and joints, of drives at a rate, the fall of the energy of bonds, attachments and
/// [joints](JointError::energy), and what springs of contacts [released](StepReport::released). Where a step breaks a joint, or
/// does not report the [turn](crate::JointReport::turn) on which its energy depends, W is the work of its reported force and torque.
///
/// bound = 10⁻³ (T₀ + T₁) + 10⁻⁹ T(0) + Σ ½ m (10⁶ ε (‖x‖ + r)/h)² + Σ (m ‖a‖ h max(‖v₀‖, ‖v₁‖) + ½ m ‖a‖² h²) + 0.1 (Σ |W|), with the middle sum over those
/// pushed by something else than a = g + F/m.
///
/// A body that nothing pushes, and that no contact or joint concerns, is judged by itself, and not in these sums: its kinetic energy does
/// not hide what others gain. Returned is the balance that exceeds its bound most.
///
/// A step is not judged where energy may come in unseen: drives or springs of joints without reports of joints; moving
/// bodies without reported contacts or with attachments.
///
/// ```
/// use rigor_scene::energy::made;
/// use rigor_scene::{Flaw, FlawKind, Particle, ParticleId, Scene, State, StepReport, Subject};
/// use rigor_math::Vec3;
/// let ball = Particle { velocity: Vec3::x() * 2.0, ..Particle::new(1.0, Vec3::zeros()) };
/// let scene = Scene { particles: vec![ball], ..Scene::default() };
/// let before = State::initial(&scene);
/// let mut after = before.clone();
/// after.particles[0].velocity *= -1.0;
/// assert_eq!(made::flaw(&scene, &before, &after, &StepReport::default(), 0.01), None);
/// // From 2 m/s to −3 m/s it gains 2.5 J.
/// after.particles[0].velocity *= 1.5;
/// let flaw = made::flaw(&scene, &before, &after, &StepReport::default(), 0.01).unwrap();
/// assert_eq!((flaw.kind, flaw.subject), (FlawKind::EnergyMade, Subject::Particle(ParticleId(0))));
/// assert!((flaw.amount - 2.5).abs() < 0.01);
/// ```
pub fn flaw(scene: &Scene, before: &State, after: &State, report: &StepReport, dt: f64) -> Option<Flaw> {
    let Balance { gain, bound, subject } = balance(scene, before, after, report, dt)?;
    (gain > bound).then(|| Flaw::new(FlawKind::EnergyMade, subject, gain - bound))
}

/// Returns the balance of a step as [`flaw`] judges it; `None` if it cannot be judged.
pub fn balance(
    scene: &Scene,
    before: &State,
    after: &State,
    report: &StepReport,
    dt: f64,
) -> Option<Balance> {
    if report.released == Some(f64::INFINITY) || !is_accounted(scene, report) {
        return None;
    }
    let ends = Ends { scene, before, after, dt };
    let is_named = named(scene, report);
    let (mut all, mut alone) = (Sum::default(), None::<Balance>);
    for id in scene.body_ids().filter(|id| scene.bodies[id.0].is_dynamic()) {
        let share = ends.of_body(id);
        if share.is_pushed || is_named[id.0] {
            all.add(share, Subject::Body(id));
            continue;
        }
        let of_body = Balance {
            gain: share.along_velocity.min(share.along_path),
            bound: share.bound,
            subject: Subject::Body(id),
        };
        if alone.is_none_or(|most| of_body.excess() > most.excess()) {
            alone = Some(of_body);
        }
    }
    for (i, _) in scene.particles.iter().enumerate().filter(|(_, particle)| particle.mass.is_finite()) {
        all.add(ends.of_particle(ParticleId(i)), Subject::Particle(ParticleId(i)));
    }
    let mut work = ends.received(report);
    work.receive(report.released.unwrap_or(0.0));
    // What solvers leave of the error of a stiff bond is no energy that they took from anywhere: only a fall counts.
    let relaxed = elastic::energy(scene, before) - elastic::energy(scene, after);
    work.receive(relaxed.max(0.0));
    let gain = all.along_velocity.min(all.along_path) - work.given;
    let bound = all.bound + WORK * work.size;
    let subject = match work.most {
        Some((subject, most)) if most > 0.5 * gain => subject,
        _ => all.most.map_or(Subject::Scene, |(subject, _)| subject),
    };
    let together = Balance { gain, bound, subject };
    let mut most = alone.filter(|alone| alone.excess() > together.excess()).unwrap_or(together);
    if most.excess() > 0.0 {
        most.bound += START * super::of_state(scene, &State::initial(scene)).0 + ends.rounding();
    }
    Some(most)
}

impl Balance {
    fn excess(&self) -> f64 {
        self.gain - self.bound
    }
}

/// Returns which bodies a contact or a joint of the report acts on.
fn named(scene: &Scene, report: &StepReport) -> Vec<bool> {
    let mut is_named = vec![false; scene.bodies.len()];
    for contact in &report.contacts {
        (is_named[contact.body_a.0], is_named[contact.body_b.0]) = (true, true);
    }
    report.particle_contacts.iter().for_each(|contact| is_named[contact.body.0] = true);
    scene.attachments.iter().for_each(|attachment| is_named[attachment.body.0] = true);
    for joint in &scene.joints {
        is_named[joint.body_a.0] = true;
        joint.body_b.iter().for_each(|body| is_named[body.0] = true);
    }
    is_named
}

/// Whether the report has all through which energy may come in.
fn is_accounted(scene: &Scene, report: &StepReport) -> bool {
    let moves = |id: BodyId| matches!(scene.bodies[id.0].role, Role::Kinematic(_));
    let has_moving = scene.body_ids().any(moves);
    let is_unseen = has_moving
        && ((report.contacts.is_empty() && report.particle_contacts.is_empty() && report.joints.is_empty())
            || scene.attachments.iter().any(|attachment| moves(attachment.body)));
    let has_joints = !report.joints.is_empty() || !scene.joints.iter().any(gives);
    !is_unseen && has_joints
}

/// Whether the energy of a joint without a motor depends on its turn: it has a drive or a spring about its axis.
fn depends_on_turn(kind: &JointKind) -> bool {
    kind.turn_range().compliance > 0.0 || kind.turn_drive().is_some()
}

/// Whether the joint has a drive or a spring, so that it can give energy.
fn gives(joint: &Joint) -> bool {
    let kind = &joint.kind;
    let is_driven = kind.drives().next().is_some();
    let ranges = [kind.turn_range(), kind.swing_range(), kind.length_range()];
    let has_spring = ranges.iter().any(|range| range.compliance > 0.0);
    is_driven || has_spring || joint.compliance > 0.0 || joint.angular_compliance > 0.0
}

/// The energy of a body or a particle (J).
struct Share {
    along_velocity: f64,
    along_path: f64,
    bound: f64,
    /// Whether anything but the known forces changed its velocity.
    is_pushed: bool,
}

#[derive(Default)]
struct Sum {
    along_velocity: f64,
    along_path: f64,
    bound: f64,
    most: Option<(Subject, f64)>,
}

impl Sum {
    fn add(&mut self, share: Share, subject: Subject) {
        self.along_velocity += share.along_velocity;
        self.along_path += share.along_path;
        self.bound += share.bound;
        if self.most.is_none_or(|(_, most)| share.along_velocity > most) {
            self.most = Some((subject, share.along_velocity));
        }
    }
}

/// Work that a step received (J).
#[derive(Default)]
struct Work {
    given: f64,
    /// Σ |W|.
    size: f64,
    /// The pair or joint without a source that gave most.
    most: Option<(Subject, f64)>,
}

impl Work {
    fn receive(&mut self, work: f64) {
        self.given += work.max(0.0);
        self.size += work.abs();
    }

    fn suspect(&mut self, subject: Subject, work: f64) {
        if self.most.is_none_or(|(_, most)| work > most) {
            self.most = Some((subject, work));
        }
    }
}

struct Ends<'a> {
    scene: &'a Scene,
    before: &'a State,
    after: &'a State,
    dt: f64,
}

impl Ends<'_> {
    fn of_body(&self, id: BodyId) -> Share {
        let (body, from, to) =
            (&self.scene.bodies[id.0], &self.before.bodies[id.0], &self.after.bodies[id.0]);
        let (t0, t1) = (kinetic(body, from), kinetic(body, to));
        let omega = 0.5 * (from.angular_velocity + to.angular_velocity);
        let turned = self.dt * body.torque.dot(&omega);
        let share = self.of_point(
            (body.mass, self.scene.gravity + body.force / body.mass),
            [from.pose.position, to.pose.position],
            [from.linear_velocity, to.linear_velocity],
            [t0, t1],
        );
        Share {
            along_velocity: share.along_velocity - turned,
            along_path: share.along_path - turned,
            ..share
        }
    }

    fn of_particle(&self, id: ParticleId) -> Share {
        let mass = self.scene.particles[id.0].mass;
        let [from, to] = [self.before, self.after].map(|state| state.particles[id.0]);
        let t = [from, to].map(|at| 0.5 * mass * at.velocity.norm_squared());
        let (x, v) = ([from.position, to.position], [from.velocity, to.velocity]);
        self.of_point((mass, self.scene.gravity), x, v, t)
    }

    fn of_point(&self, (m, a): (f64, Vec3), x: [Vec3; 2], v: [Vec3; 2], t: [f64; 2]) -> Share {
        let h = self.dt;
        let rise = t[1] - t[0];
        let mean = 0.5 * (v[0] + v[1]);
        let fastest = v[0].norm().max(v[1].norm());
        let push = (v[1] - v[0] - h * a).norm();
        let is_pushed = push > PUSHED * (h * a.norm() + fastest);
        let pull = h * a.norm();
        let order = if is_pushed { m * pull * (fastest + 0.5 * pull) } else { 0.0 };
        Share {
            along_velocity: rise - m * h * a.dot(&mean),
            along_path: rise - m * a.dot(&(x[1] - x[0])),
            bound: KINETIC * (t[0] + t[1]) + order,
            is_pushed,
        }
    }

    /// Returns the kinetic energy (J) of what rounding of positions makes of bodies and particles, Σ ½ m (10⁶ ε (‖x‖ + r)/h)².
    fn rounding(&self) -> f64 {
        let of = |m: f64, size: f64| 0.5 * m * (ROUNDING * size / self.dt) * (ROUNDING * size / self.dt);
        let bodies = self.scene.bodies.iter().zip(&self.after.bodies).filter(|(body, _)| body.is_dynamic());
        let bodies = bodies.map(|(body, at)| of(body.mass, at.pose.position.norm() + body.radius));
        let particles = self.scene.particles.iter().zip(&self.after.particles);
        let particles = particles.filter(|(particle, _)| particle.mass.is_finite());
        bodies.sum::<f64>()
            + particles.map(|(particle, at)| of(particle.mass, at.position.norm())).sum::<f64>()
    }

    /// Returns the energy (J) that a joint without a motor lost in the step; `None` if it has one, broke, or if its turn is not known.
    fn released(&self, joint: &Joint, report: &JointReport) -> Option<f64> {
        let is_motor = |drive: &Drive| match drive.goal {
            Goal::Velocity(_) => true,
            Goal::Position(_) => false,
        };
        if report.broken || joint.kind.drives().any(is_motor) {
            return None;
        }
        let [then, now] =
            [self.before, self.after].map(|state| JointFrames::of(joint, |body| state.bodies[body.0].pose));
        let turn = if depends_on_turn(&joint.kind) { report.turn? } else { now.turn() };
        let turning = |body: BodyId| self.turning(body);
        let relative = turning(joint.body_a) - joint.body_b.map_or_else(Vec3::zeros, turning);
        let rate = now.turn_gradient().map_or(0.0, |gradient| gradient.dot(&relative));
        let turn_before = unwrapped(then.turn(), turn - self.dt * rate);
        let energy = |state: &State, turn: f64| JointError::at_turn(joint, state, turn).energy(joint);
        Some(energy(self.before, turn_before) - energy(self.after, turn))
    }

    /// Returns the mean velocity (m/s) of the point of a body that is at `point` (m) at the end of the step: of a prescribed motion that starts or stops
    /// in the step, velocities at its ends do not tell it.
    fn velocity(&self, id: BodyId, point: &Vec3) -> Vec3 {
        let (from, to) = (&self.before.bodies[id.0], &self.after.bodies[id.0]);
        let then = from.pose.point(&to.pose.inverse_point(point));
        if !self.scene.bodies[id.0].is_dynamic() && self.dt * self.turning(id).norm() <= FAR {
            return (point - then) / self.dt;
        }
        0.5 * (from.velocity_at(&then) + to.velocity_at(point))
    }

    /// Returns the work (J) of a body that is not dynamic by its `force` on a point with the mean velocity `v`. Of a body that turns far in
    /// the step, the moment of the contact decides where its point went: it gives what its fastest point could.
    fn driven_work(&self, id: BodyId, force: &Vec3, v: &Vec3) -> f64 {
        let (body, at) = (&self.scene.bodies[id.0], &self.after.bodies[id.0]);
        let omega = self.turning(id).norm();
        if self.dt * omega <= FAR {
            return self.dt * force.dot(v);
        }
        self.dt * force.norm() * (at.linear_velocity.norm() + omega * body.radius)
    }

    fn turning(&self, id: BodyId) -> Vec3 {
        0.5 * (self.before.bodies[id.0].angular_velocity + self.after.bodies[id.0].angular_velocity)
    }

    fn received(&self, report: &StepReport) -> Work {
        let mut work = Work::default();
        let is_driven = |id: BodyId| !self.scene.bodies[id.0].is_dynamic();
        for contact in &report.contacts {
            let force = contact.normal_force_world() + contact.friction_force_world;
            let (a, b) = (contact.body_a, contact.body_b);
            let [v_a, v_b] = [a, b].map(|id| self.velocity(id, &contact.point_world));
            // Bodies that are not dynamic give what their force does on the other.
            let by_b = self.driven_work(b, &force, &v_b);
            let by_a = self.driven_work(a, &-force, &v_a);
            match (is_driven(a), is_driven(b)) {
                (false, true) => work.receive(by_b),
                (true, false) => work.receive(by_a),
                (false, false) | (true, true) => {}
            }
            work.suspect(Subject::Pair(a.min(b), a.max(b)), self.dt * force.dot(&(v_a - v_b)));
        }
        for contact in report.particle_contacts.iter().filter(|contact| is_driven(contact.body)) {
            let force = contact.normal_world * contact.normal_force + contact.friction_force_world;
            work.receive(self.dt * force.dot(&self.velocity(contact.body, &contact.point_world)));
        }
        for of_joint in &report.joints {
            let joint = &self.scene.joints[of_joint.joint];
            let end = self.after.bodies[joint.body_a.0].pose.compose(&joint.frame_a).position;
            let of = |id: BodyId| {
                self.dt
                    * (of_joint.force_world.dot(&self.velocity(id, &end))
                        + of_joint.torque_world.dot(&self.turning(id)))
            };
            let (on_a, on_b) = (of(joint.body_a), joint.body_b.map_or(0.0, of));
            let mut given = 0.0;
            if gives(joint) {
                let did = on_a - on_b;
                given += self.released(joint, of_joint).unwrap_or(did);
                work.suspect(Subject::Joint(of_joint.joint), did - given);
            } else {
                work.suspect(Subject::Joint(of_joint.joint), on_a - on_b);
            }
            if is_driven(joint.body_a) {
                given -= on_a;
            }
            if joint.body_b.is_some_and(is_driven) {
                given += on_b;
            }
            work.receive(given);
        }
        work
    }
}
