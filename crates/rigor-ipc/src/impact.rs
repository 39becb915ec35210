//! Restitution: a law for the velocities of bodies that strike each other. Positions stay where the barrier leaves them.

use rigor_joint::{Axis, Ends, Equality, Equations, JoinedFlight, Mobility, Velocity, response};
use rigor_math::{Mat3, Pose, Vec3, tangent};
use rigor_nonsmooth::{Delassus, Impact};
use rigor_scene::{BodyId, BodyState, ContactReport, Flaw, FlawKind, Scene, State, Subject};

use crate::joined::Joined;
use crate::partition::Partition;
use crate::span::Span;

/// Memory key: pairs of bodies (two indices each, ascending) that rebounded and whose contact has pushed since.
const REBOUNDING: &str = "ipc/rebounding";

/// Speed of approach, in velocities that gravity and constant forces give in a step, from which contacts rebound.
///
/// Source: \[Mueller2020\] section 3.6.
const FAST: f64 = 2.0;

/// Largest part of the fastest approach at which a contact counts as resting.
const SLOW: f64 = 1e-6;

/// Residual of an impact, over its largest velocity, up to which it counts as solved.
const SOLVED: f64 = 1e-6;

/// What a span did to bodies.
pub(crate) struct Impacts<'a> {
    pub scene: &'a Scene,
    /// The state at the start of the span.
    pub before: &'a State,
    pub span: Span<'a>,
    /// The joints at its start, which take part in impacts.
    pub joined: &'a Joined,
}

/// A contact that pushes at the end of a span.
struct Spot {
    /// Among the contacts of the report.
    index: usize,
    bodies: [usize; 2],
    /// The normal and two tangents (world).
    axes: [Vec3; 3],
    /// From the centres of mass to the contact, at the end (m).
    levers: [Vec3; 2],
    restitution: f64,
    friction: f64,
    /// Speed of approach (m/s; negative) when the surfaces met, and that time since the start of the span (s).
    approach: f64,
    time: f64,
}

impl Spot {
    /// The velocity of each of the equations per unit impulse along each axis.
    fn coupling(&self, equations: &Equations) -> [Vec<f64>; 3] {
        let along = |k: usize| {
            let axis = Axis::at(self.axes[k], self.levers);
            let ends = Ends { a: self.bodies[0], b: Some(self.bodies[1]) };
            let row = |responses: &Vec<(usize, Velocity)>| {
                let velocity = |b: usize| {
                    responses.iter().find(|one| one.0 == b).map_or_else(Velocity::default, |one| one.1)
                };
                ends.velocity(&axis, velocity)
            };
            equations.responses.iter().map(row).collect()
        };
        [0, 1, 2].map(along)
    }
}

impl Impacts<'_> {
    /// Gives bodies that struck each other the velocities of the law of impact in place of those in `after`. Returns them, the flaw of an impact that
    /// was not solved, and the pairs that rebound from now on.
    ///
    /// A contact that pushes at the end of the span and met at u_N⁻ < −2 a Δt, with the largest acceleration a of gravity and constant forces, leaves with −e u_N⁻, one set of approaching contacts after
    /// another, with friction; bodies that touch one another share one problem. The velocities before are those of the flight when the surfaces
    /// met. A pair that rebounds keeps the velocities of free flight until it no longer pushes: what the barrier gives back is not added.
    pub fn rebound(&self, after: &mut [BodyState], contacts: &mut [ContactReport]) -> Rebound {
        let rebounding = self.rebounding();
        let flown = self.flown_joined(self.span.h);
        let spot = |(i, contact)| self.spot(i, contact, after, &flown);
        let spots: Vec<Spot> = contacts.iter().enumerate().filter_map(spot).collect();
        let resting = FAST * self.pull(&spots) * self.span.dt;
        let fastest = spots.iter().map(|spot| -spot.approach).fold(0.0, f64::max);
        let resting = resting.max(SLOW * fastest);
        let strikes = |spot: &Spot| spot.restitution > 0.0 && spot.approach < -resting;
        let rebounds = |spot: &Spot| rebounding.contains(&spot.bodies);

        let is_free = |body: usize| self.scene.bodies[body].is_dynamic();
        let ties = spots.iter().map(|spot| spot.bodies).filter(|pair| pair.iter().all(|&b| is_free(b)));
        let sets = Partition::of(after.len(), ties.chain(self.joined.ties.ties()));
        let set_of = |spot: &Spot| {
            let body = spot.bodies.into_iter().find(|&b| is_free(b)).unwrap_or(spot.bodies[0]);
            sets.names()[body]
        };
        let mut rebound = Rebound::default();
        let mut names: Vec<usize> =
            spots.iter().filter(|spot| strikes(spot) || rebounds(spot)).map(set_of).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let group: Vec<&Spot> = spots.iter().filter(|spot| set_of(spot) == name).collect();
            let met = group.iter().filter(|spot| strikes(spot)).map(|spot| spot.time);
            let time = met.fold(f64::INFINITY, f64::min).min(self.span.h);
            let bodies: Vec<usize> =
                (0..after.len()).filter(|&b| is_free(b) && sets.names()[b] == name).collect();
            let flaw = self.strike(&bodies, &group, (time, resting), (after, contacts));
            rebound.flaws.extend(flaw);
            rebound.pairs.extend(group.iter().filter(|s| strikes(s) || rebounds(s)).map(|s| s.bodies));
            rebound.bodies.extend(bodies);
            let left = self.span.h - time;
            rebound.left = Some(rebound.left.map_or(left, |other| other.max(left)));
        }
        rebound.pairs.sort_unstable();
        rebound.pairs.dedup();
        rebound
    }

    /// The largest acceleration (m/s²) by gravity and constant forces of a body in contact.
    fn pull(&self, spots: &[Spot]) -> f64 {
        let bodies = spots.iter().flat_map(|spot| spot.bodies).map(|b| &self.scene.bodies[b]);
        let free = bodies.filter(|body| body.is_dynamic());
        free.map(|body| (self.scene.gravity + body.force / body.mass).norm()).fold(0.0, f64::max)
    }

    fn rebounding(&self) -> Vec<[usize; 2]> {
        let known = self.before.memory.numbers.get(REBOUNDING).map_or(&[][..], Vec::as_slice);
        known.chunks_exact(2).map(|pair| [pair[0] as usize, pair[1] as usize]).collect()
    }

    /// A contact of bodies that take part.
    fn spot(
        &self,
        index: usize,
        contact: &ContactReport,
        after: &[BodyState],
        flown: &[BodyState],
    ) -> Option<Spot> {
        let bodies = [contact.body_a.0, contact.body_b.0];
        let takes_part = |b: usize| !self.scene.bodies[b].is_dynamic() || self.span.has(b);
        if contact.normal_force <= 0.0 || !bodies.iter().all(|&b| takes_part(b)) {
            return None;
        }
        let (n, point) = (contact.normal_world, contact.point_world);
        let [t1, t2] =
            tangent::basis(&rigor_math::UnitVec3::new_unchecked(n)).map(rigor_math::UnitVec3::into_inner);
        // The points that touch, where they were and how fast, and how fast free flight makes them.
        let mut speeds = [0.0; 2];
        let mut shift = 0.0;
        for (sign, &b) in [1.0, -1.0].iter().zip(&bodies) {
            let (from, to) = (&self.before.bodies[b], &after[b]);
            let local = to.pose.inverse_point(&point);
            let at = |state: &BodyState, pose: &Pose| {
                let arm = pose.point(&local) - pose.position;
                n.dot(&(state.linear_velocity + state.angular_velocity.cross(&arm)))
            };
            let free = if self.joined.has(b) { flown[b] } else { self.flown(b, self.span.h) };
            speeds[0] += sign * at(from, &from.pose);
            speeds[1] += sign * at(&free, &free.pose);
            shift += sign * n.dot(&(to.pose.point(&local) - from.pose.point(&local)));
        }
        let (approach, time) = met(speeds[0], (speeds[1] - speeds[0]) / self.span.h, shift, self.span.h);
        Some(Spot {
            index,
            axes: [n, t1, t2],
            levers: bodies.map(|b| point - after[b].pose.position),
            restitution: self.scene.restitution_between(contact.body_a, contact.body_b),
            friction: contact.friction.1,
            bodies,
            approach,
            time,
        })
    }

    /// The state of a body `t` (s) after the start of the span, without contact.
    fn flown(&self, b: usize, t: f64) -> BodyState {
        let (body, from) = (&self.scene.bodies[b], &self.before.bodies[b]);
        if body.is_dynamic() { body.fly(from, &self.scene.gravity, t).0 } else { *from }
    }

    /// The states of all bodies `t` (s) after the start of the span, in which joints act, but no contact; empty without joints.
    fn flown_joined(&self, t: f64) -> Vec<BodyState> {
        if self.joined.is_empty() {
            return Vec::new();
        }
        if t <= 0.0 {
            return self.before.bodies.clone();
        }
        let Self { scene, before, span, joined } = self;
        let takes_part: Vec<bool> = (0..before.bodies.len()).map(|b| span.has(b)).collect();
        let (h, end) = (t, span.end - span.h + t);
        let flight = JoinedFlight { scene, takes_part: &takes_part, h, end, substeps: joined.substeps };
        flight.fly(&before.bodies, &mut joined.joints.clone())
    }

    /// What the joints of a set hold, with the bodies as they are after the span.
    fn held(&self, bodies: &[usize], after: &[BodyState]) -> Vec<Equality> {
        if !bodies.iter().any(|&b| self.joined.has(b)) {
            return Vec::new();
        }
        let (mut rows, ..) = self.joined.joints.errors(self.scene, |b| after[b].pose);
        rows.retain(|row| row.ends.bodies().any(|end| bodies.binary_search(&end.0).is_ok()));
        rows
    }

    /// Solves the impact of one set of bodies; the contacts have its mean forces over the span.
    fn strike(
        &self,
        bodies: &[usize],
        spots: &[&Spot],
        (time, resting): (f64, f64),
        (after, contacts): (&mut [BodyState], &mut [ContactReport]),
    ) -> Option<Flaw> {
        let place = |b: usize| bodies.binary_search(&b).ok();
        let held = self.held(bodies, after);
        // Joints that only pull hold nothing, but lead the flight of their bodies.
        let is_joined = bodies.iter().any(|&b| self.joined.has(b));
        let joined = if is_joined { self.flown_joined(time) } else { Vec::new() };
        let flown = |&b: &usize| if self.joined.has(b) { joined[b] } else { self.flown(b, time) };
        let flown: Vec<BodyState> = bodies.iter().map(flown).collect();
        let state = |b: usize| place(b).map_or(&after[b], |i| &flown[i]);
        let before: Vec<Vec3> = spots
            .iter()
            .map(|spot| {
                let [a, b] = [0, 1].map(|end| {
                    let state = state(spot.bodies[end]);
                    state.linear_velocity + state.angular_velocity.cross(&spot.levers[end])
                });
                Vec3::from_fn(|i, _| spot.axes[i].dot(&(a - b)))
            })
            .collect();
        // How an impulse along an axis of a spot changes the velocities of its bodies.
        let inverse: Vec<(Vec3, Mat3)> = bodies
            .iter()
            .map(|&b| {
                let body = &self.scene.bodies[b];
                (body.inverse_mass_axes(), body.inverse_inertia_world(&after[b].pose.rotation))
            })
            .collect();
        let mut blocks = Vec::new();
        for (i, one) in spots.iter().enumerate() {
            for (j, other) in spots.iter().enumerate() {
                let mut block = Mat3::zeros();
                let mut is_any = false;
                for (end, b) in one.bodies.iter().enumerate() {
                    let Some(at) = other.bodies.iter().position(|c| c == b) else { continue };
                    let Some(k) = place(*b) else { continue };
                    let sign = if end == at { 1.0 } else { -1.0 };
                    let (w, turns) = &inverse[k];
                    is_any = true;
                    for (r, row) in one.axes.iter().enumerate() {
                        let turned = turns * one.levers[end].cross(row);
                        for (c, column) in other.axes.iter().enumerate() {
                            let moved = w.component_mul(row).dot(column);
                            let spun = turned.dot(&other.levers[at].cross(column));
                            block[(r, c)] += sign * (moved + spun);
                        }
                    }
                }
                if is_any {
                    blocks.push((i, j, block));
                }
            }
        }
        let mut mobilities = vec![Mobility::NONE; if held.is_empty() { 0 } else { after.len() }];
        for (&b, &(w, inverse_inertia)) in bodies.iter().zip(&inverse).filter(|_| !held.is_empty()) {
            mobilities[b] = Mobility { w, inverse_inertia };
        }
        let rows: Vec<&Equality> = held.iter().collect();
        let all: Vec<usize> = (0..rows.len()).collect();
        let equations = Equations::new(&mobilities, &rows, &all, |_| Velocity::default());
        // G, the velocity of each row per unit impulse, and A⁻¹ G.
        let coupling: Vec<[Vec<f64>; 3]> = spots.iter().map(|spot| spot.coupling(&equations)).collect();
        let solved: Vec<[Vec<f64>; 3]> =
            coupling.iter().map(|g| [0, 1, 2].map(|k| equations.solve(g[k].clone()))).collect();
        for (i, g) in coupling.iter().enumerate().filter(|_| !held.is_empty()) {
            for (j, solved) in solved.iter().enumerate() {
                let dot = |r: usize, c: usize| g[r].iter().zip(&solved[c]).map(|(g, y)| g * y).sum::<f64>();
                blocks.push((i, j, -Mat3::from_fn(dot)));
            }
        }
        let delassus = Delassus::new(spots.len(), blocks);
        let restitution: Vec<f64> = spots.iter().map(|spot| spot.restitution).collect();
        let friction: Vec<f64> = spots.iter().map(|spot| spot.friction).collect();
        let impact = Impact {
            delassus: &delassus,
            velocities: &before,
            restitution: &restitution,
            friction: &friction,
            resting,
        };
        let blow = impact.reflect();
        for (k, &b) in bodies.iter().enumerate() {
            after[b].linear_velocity = flown[k].linear_velocity;
            after[b].angular_velocity = flown[k].angular_velocity;
        }
        for (spot, r) in spots.iter().zip(&blow.impulses) {
            let impulse: Vec3 = (0..3).map(|i| spot.axes[i] * r[i]).sum();
            let report = &mut contacts[spot.index];
            report.normal_force = r.x / self.span.h;
            report.friction_force_world = (impulse - spot.axes[0] * r.x) / self.span.h;
            for (end, sign) in [1.0, -1.0].into_iter().enumerate() {
                let Some(k) = place(spot.bodies[end]) else { continue };
                let (w, turns) = &inverse[k];
                let state = &mut after[spot.bodies[end]];
                state.linear_velocity += w.component_mul(&impulse) * sign;
                state.angular_velocity += turns * spot.levers[end].cross(&impulse) * sign;
            }
        }
        // What holds answers: λ = −A⁻¹ G r.
        for (i, row) in held.iter().enumerate() {
            let answer =
                |(solved, r): (&[Vec<f64>; 3], &Vec3)| (0..3).map(|k| solved[k][i] * r[k]).sum::<f64>();
            let lambda = -solved.iter().zip(&blow.impulses).map(answer).sum::<f64>();
            for (b, sign, end) in row.ends.bodies().filter(|end| place(end.0).is_some()) {
                let by = response(&mobilities[b], &row.axis, sign * lambda, end);
                after[b].linear_velocity += by.linear;
                after[b].angular_velocity += by.angular;
            }
        }
        let subject = bodies.first().map_or(Subject::Scene, |body| Subject::Body(BodyId(*body)));
        let excess = blow.residual / SOLVED;
        let excess = if blow.is_open { excess.max(1.0) } else { excess };
        (blow.is_open || excess > 1.0).then(|| Flaw::new(FlawKind::Unconverged, subject, excess))
    }
}

/// What impacts did in a span.
#[derive(Debug, Default)]
pub(crate) struct Rebound {
    /// The bodies that struck each other, or rebound.
    pub bodies: Vec<usize>,
    /// Time (s) of the span that is left after the first impact, if there is any.
    pub left: Option<f64>,
    pub flaws: Vec<Flaw>,
    /// The pairs that rebound from now on.
    pairs: Vec<[usize; 2]>,
}

impl Rebound {
    /// Returns which of `n` bodies struck another, or rebound.
    pub fn has_struck(&self, n: usize) -> Vec<bool> {
        let mut has_struck = vec![false; n];
        self.bodies.iter().for_each(|&b| has_struck[b] = true);
        has_struck
    }

    /// Stores the pairs that rebound in the memory of a state.
    pub fn store(&self, state: &mut State) {
        let numbers = self.pairs.iter().flatten().map(|b| *b as f64);
        state.memory.store(REBOUNDING, numbers);
    }
}

/// The speed (m/s) and time (s) at which a coordinate that starts with `speed`, has a constant `acceleration` (m/s²), and is `shift` (m) further at the end of a
/// span of `h` (s), had got there: u² = u₀² + 2 a s.
fn met(speed: f64, acceleration: f64, shift: f64, h: f64) -> (f64, f64) {
    if shift >= 0.0 {
        return (speed, 0.0);
    }
    let square = speed * speed + 2.0 * acceleration * shift;
    let flown = -square.max(0.0).sqrt();
    // s = ½ (u₀ + u) t.
    let mean = 0.5 * (speed + flown);
    if mean >= 0.0 { (speed, 0.0) } else { (flown, (shift / mean).min(h)) }
}
