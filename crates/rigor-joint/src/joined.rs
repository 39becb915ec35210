//! The flight of bodies that joints hold together.

use rayon::prelude::*;
use rigor_math::disjoint_sets::DisjointSets;
use rigor_scene::{BodyState, Role, Scene};

use crate::axis::{Ends, Mobility, Velocity, response};
use crate::equations::{Equations, within_limits};
use crate::flying::FlyingBody;
use crate::isolated::Isolated;
use crate::progress::turning;
use crate::row::{Bound, Equality};
use crate::rows::{Closing, Joints, MET, RowInput};
use crate::way;

/// Largest turn (rad) of a body in a substep.
const TURN: f64 = 0.05;

/// Turn in a substep, over the largest, from which a flight is made again in more; and how often.
const FASTER: f64 = 1.5;
const AGAIN: u32 = 4;

/// Maximum number of substeps of a flight.
const MAX_SUBSTEPS: f64 = 1000.0;

/// Maximum number of projections of poses in a substep.
const ROUNDS: usize = 6;

/// Error (m, over the radius of the smaller body; or rad) up to which nothing is projected.
const CLOSED: f64 = 1e-12;

/// Velocity by which an equation of velocities is missed, relative to that of a prescribed body, from which this one cannot move so; and the way, over
/// its radius, by which it must move to be told apart from rounding.
const OFF: f64 = 1e-3;
const CREEPS: f64 = 1e-6;

/// Times that the kicks of a substep are corrected by where bodies end.
const CORRECTIONS: usize = 6;

/// Part of an error that a correction must leave at most, for another one to be made.
pub const CLOSES: f64 = 0.5;

/// Bodies in a flight in which joints hold, bound, drive and damp them, and nothing else touches them.
///
/// Source: the scheme of \[Acary2013\] without contacts, with exact flights between its kicks; velocities at the end of a substep are
/// tangent to what joints hold, as those of RATTLE \[Andersen1983\]. Its order is 2.
#[derive(Debug, Clone, Copy)]
pub struct JoinedFlight<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// Which bodies take part. Of a joint with bodies that do and bodies that do not, the latter stay.
    pub takes_part: &'a [bool],
    /// Length of the flight (s).
    pub h: f64,
    /// Time (s) at its end.
    pub end: f64,
    /// Its substeps; there are more where a body turns by more than 0.05 rad in one.
    pub substeps: u32,
}

impl JoinedFlight<'_> {
    /// Flies from these states. Returns those at the end, in which bodies without joints are where they were, and takes the joints there.
    ///
    /// ```
    /// use std::path::Path;
    /// use rigor_file::{LoadOptions, cases, load};
    /// use rigor_joint::{JoinedFlight, Joints};
    /// use rigor_scene::{State, energy};
    /// // Five pendula swing for 50 ms and keep their energy.
    /// let case = cases::find("mueller2020/pendulum-hinges").expect("a case");
    /// let scene = load(Path::new(case), &cases::files(), &LoadOptions::default()).expect("a scene").scene;
    /// let mut state = State::initial(&scene);
    /// let mut joints = Joints::default();
    /// joints.load(&scene, &state, "example");
    /// let total = |state: &State| energy::of_state(&scene, state).0 + energy::of_state(&scene, state).1;
    /// let before = total(&state);
    /// let takes_part = vec![true; scene.bodies.len()];
    /// let flight = JoinedFlight { scene: &scene, takes_part: &takes_part, h: 0.05, end: 0.05, substeps: 10 };
    /// state.bodies = flight.fly(&state.bodies, &mut joints);
    /// assert!((total(&state) - before).abs() < 1e-3 * energy::of_state(&scene, &state).0);
    /// ```
    pub fn fly(&self, states: &[BodyState], joints: &mut Joints) -> Vec<BodyState> {
        let Self { scene, takes_part, h, end, .. } = *self;
        let mut part = joints.clone();
        let ends = |i: usize| [Some(scene.joints[i].body_a), scene.joints[i].body_b];
        let moves = |i: usize| ends(i).into_iter().flatten().any(|body| takes_part[body.0]);
        let mut is_joined = vec![false; scene.bodies.len()];
        for i in 0..scene.joints.len() {
            // A joint that takes no part holds nothing here.
            part.list[i].broken |= !moves(i);
            if !part.list[i].broken {
                ends(i).into_iter().flatten().for_each(|body| is_joined[body.0] = true);
            }
        }
        let isolated = Isolated::of(scene, &part, |b| takes_part[b], std::iter::empty());
        // What drives and prescribed bodies speed up turns faster than it did at the start: then all is flown again, in more substeps.
        let mut rate = turning(scene, |body| &states[body]).0;
        let (mut bodies, mut flown): (Vec<FlyingBody>, Joints);
        let mut attempt = 0;
        loop {
            let n = (h * rate / TURN).ceil().max(f64::from(self.substeps)).clamp(1.0, MAX_SUBSTEPS);
            let both = scene.bodies.iter().zip(states);
            bodies = both.map(|(body, state)| FlyingBody::new(body, state)).collect();
            flown = part.clone();
            let mut fastest = 0.0_f64;
            for number in 1..=n as u32 {
                let time = end - h * (1.0 - f64::from(number) / n);
                self.substep(&mut bodies, (&is_joined, &isolated), &mut flown, h / n, time);
                fastest = fastest.max(turning(scene, |body| &bodies[body].end).0);
            }
            attempt += 1;
            // Not a number ends here.
            let is_faster = h * fastest > FASTER * TURN * n;
            if !is_faster || n >= MAX_SUBSTEPS || attempt > AGAIN {
                break;
            }
            rate = fastest;
        }
        let part = flown;
        for (i, kept) in joints.list.iter_mut().enumerate().filter(|(_, kept)| !kept.broken) {
            if moves(i) {
                *kept = part.list[i].clone();
            }
        }
        bodies.into_iter().map(|body| body.end).collect()
    }

    /// Makes the velocities of states tangent to what joints hold, by the least impulses. Returns whether those of prescribed bodies are: one
    /// may move away from what it is tied to.
    pub fn hold(&self, states: &mut [BodyState], joints: &mut Joints) -> bool {
        let both = self.scene.bodies.iter().zip(&*states);
        let mut bodies: Vec<FlyingBody> = both.map(|(body, state)| FlyingBody::new(body, state)).collect();
        let holds = self.hold_velocities(&mut bodies, self.takes_part, joints);
        states.iter_mut().zip(bodies).for_each(|(state, body)| *state = body.end);
        holds
    }

    fn substep(
        &self,
        bodies: &mut [FlyingBody],
        (is_joined, isolated): (&[bool], &Isolated),
        joints: &mut Joints,
        h: f64,
        time: f64,
    ) {
        let Self { scene, takes_part, .. } = *self;
        let flies = |body: usize| is_joined[body] && takes_part[body];
        for b in (0..bodies.len()).filter(|&b| flies(b)) {
            bodies[b].begin(&scene.bodies[b], &scene.gravity, h, time);
        }
        let mobility = |(b, body): (usize, &FlyingBody)| match flies(b) {
            true => body.mobility(),
            false => Mobility::NONE,
        };
        let mobilities: Vec<Mobility> = bodies.iter().enumerate().map(mobility).collect();
        let mut rows =
            joints.rows(scene, &RowInput { bodies, mobilities: &mobilities, closing: Closing::InPoses, h });
        let n = rows.equalities.len();
        let free: Vec<Velocity> = bodies.iter().map(FlyingBody::free_velocity).collect();
        let mut lambdas = Vec::new();
        let (mut error, mut kicks) = (f64::INFINITY, Vec::new());
        let finish = |bodies: &mut [FlyingBody], kicks: &[Velocity]| {
            for b in (0..bodies.len()).filter(|&b| flies(b)) {
                bodies[b].finish(&scene.bodies[b], &scene.gravity, &kicks[b], h);
            }
        };
        let mut left = 0.0;
        for _ in 0..=CORRECTIONS {
            let mut all = rows.equalities.clone();
            all.extend(rows.bounds.iter().map(Bound::equality));
            let found = solve(&all, &mobilities, &free);
            finish(bodies, &found.1);
            let now = joints.correct(scene, bodies, &mut rows, |bound| found.0[n + bound] > 0.0, h);
            // Joints that contradict each other cannot close, and would only be pulled harder.
            if now >= error && !kicks.is_empty() {
                finish(bodies, &kicks);
                break;
            }
            (lambdas, kicks, left) = (found.0, found.1, now);
            if now <= CLOSED || now > CLOSES * error {
                break;
            }
            error = now;
        }
        let (of_equalities, of_bounds) = lambdas.split_at(n);
        joints.keep(&rows, of_equalities, of_bounds.iter().copied());
        joints.follow(scene, bodies, h);
        let before = isolated.spins(scene, bodies);
        let poses = |bodies: &[FlyingBody]| bodies.iter().map(|body| body.end.pose).collect::<Vec<_>>();
        let unclosed = (left > way::CLOSED).then(|| poses(bodies));
        self.project(bodies, takes_part, joints);
        way::follow_the_way(scene, joints, bodies, (|b: usize| !flies(b), unclosed.as_deref()), h);
        let _ = self.hold_velocities(bodies, takes_part, joints);
        isolated.restore(scene, bodies, &before);
    }

    /// Moves the poses at the end by the least ½ δᵀ M δ with which joints hold.
    fn project(&self, bodies: &mut [FlyingBody], takes_part: &[bool], joints: &mut Joints) {
        let scene = self.scene;
        let still = vec![Velocity::default(); bodies.len()];
        for _ in 0..ROUNDS {
            let (mut equalities, _, bounds) = joints.errors(scene, |body| bodies[body].end.pose);
            equalities.extend(bounds.iter().map(Bound::equality));
            let size = |ends: &Ends| {
                ends.bodies().map(|end| scene.bodies[end.0].radius).fold(f64::INFINITY, f64::min)
            };
            let is_open = |row: &Equality| {
                let is_angle = row.axis.linear.norm_squared() == 0.0;
                row.target.abs() > CLOSED * if is_angle { 1.0 } else { size(&row.ends) }
            };
            if !equalities.iter().any(is_open) {
                return;
            }
            let mobilities = mobilities(scene, bodies, takes_part);
            let (_, shifts) = solve(&equalities, &mobilities, &still);
            for (body, shift) in bodies.iter_mut().zip(&shifts).filter(|(_, by)| **by != Velocity::default())
            {
                body.shift(shift);
            }
            joints.settle(scene, |body| shifts[body], |body| bodies[body].end.pose);
        }
    }

    /// Makes the velocities at the end tangent to what joints hold; returns whether those of prescribed bodies are.
    fn hold_velocities(&self, bodies: &mut [FlyingBody], takes_part: &[bool], joints: &mut Joints) -> bool {
        let (mut equalities, rates, _) = joints.errors(self.scene, |body| bodies[body].end.pose);
        equalities.iter_mut().zip(rates).for_each(|(row, rate)| row.target = rate);
        let closed = joints.closed_bounds(self.scene, |body| bodies[body].end.pose, MET);
        let stops = equalities.len();
        equalities.extend(closed.iter().map(|bound| Equality { target: 0.0, ..bound.equality() }));
        let mobilities = mobilities(self.scene, bodies, takes_part);
        let free: Vec<Velocity> = bodies.iter().map(FlyingBody::end_velocity).collect();
        let (lambdas, kicks) = solve(&equalities, &mobilities, &free);
        for (body, kick) in bodies.iter_mut().zip(&kicks) {
            body.end.linear_velocity += kick.linear;
            body.end.angular_velocity += kick.angular;
        }
        let is_led = |body: usize| matches!(self.scene.bodies[body].role, Role::Kinematic(_));
        let is_off = |row: &Equality| {
            let ends = || row.ends.bodies().filter(|end| is_led(end.0));
            let size = |(body, ..): (usize, f64, usize)| self.scene.bodies[body].radius;
            let of_body = |body: usize| bodies[body].end_velocity();
            let speed = |(body, _, end): (usize, f64, usize)| {
                let Velocity { linear, angular } = of_body(body);
                (linear.dot(&row.axis.linear) + angular.dot(&row.axis.turns[end])).abs()
            };
            let least = ends().map(size).fold(0.0, f64::max) * CREEPS / self.h;
            let led = ends().map(speed).fold(0.0, f64::max);
            if led <= least {
                return false;
            }
            let lacks = row.target - row.ends.velocity(&row.axis, of_body);
            // What has a limit need not reach what it is asked for.
            let is_certain =
                row.softness == 0.0 && if lacks > 0.0 { row.most } else { -row.least } == f64::INFINITY;
            is_certain && lacks.abs() > OFF * led
        };
        let holds = !equalities.iter().any(is_off);
        for (bound, r) in closed.iter().zip(&lambdas[stops..]) {
            joints.list[bound.joint].stops[bound.measure as usize][usize::from(bound.is_upper)] += r;
        }
        joints.keep_more(&equalities.into_iter().zip(lambdas).collect::<Vec<_>>());
        holds
    }
}

/// Returns how bodies answer impulses at the end of a substep; those that take no part do not.
fn mobilities(scene: &Scene, bodies: &[FlyingBody], takes_part: &[bool]) -> Vec<Mobility> {
    let mut all = FlyingBody::mobilities_at_end(scene, bodies);
    all.iter_mut().zip(takes_part).filter(|(_, has)| !**has).for_each(|(one, _)| *one = Mobility::NONE);
    all
}

/// Solves equations for bodies with these `free` velocities: λ of each (N s or N m s), and the change of the velocities of each body. Bodies that no equation
/// connects are solved apart.
pub fn solve(rows: &[Equality], mobilities: &[Mobility], free: &[Velocity]) -> (Vec<f64>, Vec<Velocity>) {
    let islands = islands(rows, mobilities);
    let solved = |island: &Vec<usize>| {
        let rows: Vec<&Equality> = island.iter().map(|&i| &rows[i]).collect();
        within_limits(
            &rows,
            |held| solve_rows(&rows, held, mobilities, free),
            |(lambdas, velocities)| (lambdas, velocities),
        )
        .0
    };
    let impulses: Vec<Vec<f64>> = if islands.len() > 1 {
        islands.par_iter().map(solved).collect()
    } else {
        islands.iter().map(solved).collect()
    };
    let mut lambdas = vec![0.0; rows.len()];
    let mut kicks = vec![Velocity::default(); mobilities.len()];
    for (island, impulses) in islands.iter().zip(impulses) {
        for (&i, lambda) in island.iter().zip(impulses) {
            lambdas[i] = lambda;
            push(&rows[i], lambda, mobilities, &mut kicks);
        }
    }
    (lambdas, kicks)
}

/// Groups the equations whose bodies they connect, in the order of their first bodies.
fn islands(rows: &[Equality], mobilities: &[Mobility]) -> Vec<Vec<usize>> {
    let moved =
        |row: &Equality| row.ends.bodies().map(|end| end.0).filter(|&body| !mobilities[body].is_none());
    let mut sets = DisjointSets::new(mobilities.len());
    for row in rows {
        let mut bodies = moved(row);
        if let (Some(a), Some(b)) = (bodies.next(), bodies.next()) {
            sets.join(a, b);
        }
    }
    let mut place = vec![usize::MAX; mobilities.len()];
    let mut islands: Vec<Vec<usize>> = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let Some(body) = moved(row).next() else { continue };
        let first = sets.first(body);
        if place[first] == usize::MAX {
            place[first] = islands.len();
            islands.push(Vec::new());
        }
        islands[place[first]].push(i);
    }
    islands
}

fn push(row: &Equality, impulse: f64, mobilities: &[Mobility], kicks: &mut [Velocity]) {
    for (body, sign, end) in row.ends.bodies() {
        let by = response(&mobilities[body], &row.axis, sign * impulse, end);
        kicks[body].linear += by.linear;
        kicks[body].angular += by.angular;
    }
}

/// Solves equations with the impulses of some rows given. Returns λ and u⁺ of all.
fn solve_rows(
    rows: &[&Equality],
    held: &[Option<f64>],
    mobilities: &[Mobility],
    free: &[Velocity],
) -> (Vec<f64>, Vec<f64>) {
    if held.iter().all(Option::is_none) {
        let all: Vec<usize> = (0..rows.len()).collect();
        let equations = Equations::new(mobilities, rows, &all, |body| free[body]);
        return (equations.lambda, rows.iter().map(|row| row.target).collect());
    }
    let mut pushed = free.to_vec();
    for (row, held) in rows.iter().zip(held) {
        if let Some(impulse) = held {
            push(row, *impulse, mobilities, &mut pushed);
        }
    }
    let active: Vec<usize> = (0..rows.len()).filter(|&i| held[i].is_none()).collect();
    let equations = Equations::new(mobilities, rows, &active, |body| pushed[body]);
    let mut lambdas: Vec<f64> = held.iter().map(|held| held.unwrap_or(0.0)).collect();
    for (&i, lambda) in active.iter().zip(&equations.lambda) {
        lambdas[i] = *lambda;
        push(rows[i], *lambda, mobilities, &mut pushed);
    }
    let velocities = rows.iter().map(|row| row.ends.velocity(&row.axis, |body| pushed[body])).collect();
    (lambdas, velocities)
}
