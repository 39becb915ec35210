//! The poses of a run, at so many moments as a budget allows.

use rigor_math::{UnitQuaternion, Vec3};
use rigor_scene::{BodyForce, ContactReport, Role, Scene, State};

use super::forces;
use super::pack::{Pack, Span};
use super::rotation;

/// Bytes of a body and of a particle in a frame, before compression: three numbers of 16 bits for its place, and
/// for a body three for its rotation and three for the force on it.
const BODY: usize = 18;
const PARTICLE: usize = 6;

/// How much of a run a page holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of poses before compression, which halves them or does better.
    pub bytes: usize,
}

impl Budget {
    /// Bytes of poses in a page of several runs, before compression. With meshes, pictures and plots, a page of four
    /// scenes and three methods stays below 4 MB, which opens at once and goes by mail.
    pub const PAGE: usize = 3 << 20;
    /// Minimum and maximum number of bytes of one run in such a page. A page of very many runs grows; it does not show two frames
    /// of each.
    const RUN: [usize; 2] = [64 << 10, 512 << 10];
    /// For a page of one run: 1000 bodies in 1000 frames, in a page below 20 MB.
    pub const VIEW: Self = Self { bytes: 18 << 20 };

    /// The budget of each run in a page of `runs`.
    pub fn of_page(runs: usize) -> Self {
        Self { bytes: (Self::PAGE / runs.max(1)).clamp(Self::RUN[0], Self::RUN[1]) }
    }
}

/// The packed poses of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Film {
    /// Δt (s).
    pub dt: f64,
    /// Steps between frames; the last frame is kept besides.
    pub every: u64,
    /// Number of frames.
    pub frames: usize,
    /// How far a position in the page may be from that of the run (m).
    pub error: f64,
    /// The poses, compressed, in base64. Before compression (see `player/pack.rs`): the step of each frame as `u32`;
    /// of each body that moves and then of each particle the lowest x, y, z and their extents (m) as `f32`; then the
    /// tracks of each body's x, y, z and rotation, and of each particle's x, y, z.
    pub text: String,
    /// The total contact force on each body, if there is any, in the same way: of each body the lowest x, y, z and their extents (N)
    /// as `f32`, then its tracks.
    pub forces: Option<String>,
    /// The contacts of each frame, if the run kept them and they fit: see `player/forces.rs`.
    pub contacts: Option<String>,
}

/// Position and rotation of each moving body, and position of each particle.
type Poses = (Vec<(Vec3, UnitQuaternion)>, Vec<Vec3>);

/// Keeps frames of a run while it goes on.
#[derive(Debug, Clone)]
pub struct Recorder {
    moving: Vec<usize>,
    dt: f64,
    every: u64,
    next: u64,
    steps: Vec<u64>,
    poses: Vec<Poses>,
    forces: Vec<Vec<Vec3>>,
    contacts: Vec<Vec<ContactReport>>,
    bytes: usize,
}

impl Recorder {
    /// Prepares for `steps` steps of `dt` (s). If every step is too much for the budget, every second, third … is kept.
    pub fn new(scene: &Scene, dt: f64, steps: u64, budget: Budget) -> Self {
        let is_moving = |index: &usize| scene.bodies[*index].role != Role::Static;
        let moving: Vec<usize> = (0..scene.bodies.len()).filter(is_moving).collect();
        let frame = BODY * moving.len() + PARTICLE * scene.particles.len();
        let affordable = (budget.bytes / frame.max(1)).max(2) as u64 - 1;
        let every = steps.div_ceil(affordable).max(1);
        Self {
            moving,
            dt,
            every,
            next: 0,
            steps: Vec::new(),
            poses: Vec::new(),
            forces: Vec::new(),
            contacts: Vec::new(),
            bytes: budget.bytes / 4,
        }
    }

    /// Keeps the state if its turn has come, with the forces on all bodies, and the contacts, in the step that ended in it.
    pub fn observe(&mut self, state: &State, forces: &[BodyForce], contacts: &[ContactReport]) {
        if state.step >= self.next {
            self.keep(state, forces, contacts);
            self.next = (state.step / self.every + 1) * self.every;
        }
    }

    /// A pose that is not finite is replaced by the one before.
    fn keep(&mut self, state: &State, forces: &[BodyForce], contacts: &[ContactReport]) {
        let force = |index: &usize| forces.get(*index).map_or(Vec3::zeros(), forces::total);
        self.forces.push(self.moving.iter().map(force).collect());
        self.contacts.push(contacts.to_vec());
        let before = self.poses.last();
        let finite = |x: &Vec3| x.iter().all(|c| c.is_finite());
        let body = |(k, index): (usize, &usize)| match state.bodies.get(*index) {
            Some(body) if body.pose.is_finite() => (body.pose.position, body.pose.rotation),
            _ => before.map_or((Vec3::zeros(), UnitQuaternion::identity()), |(bodies, _)| bodies[k]),
        };
        let particle = |(k, particle): (usize, &rigor_scene::ParticleState)| {
            if finite(&particle.position) {
                return particle.position;
            }
            before.map_or(Vec3::zeros(), |(_, particles)| particles[k])
        };
        let bodies = self.moving.iter().enumerate().map(body).collect();
        let particles = state.particles.iter().enumerate().map(particle).collect();
        self.poses.push((bodies, particles));
        self.steps.push(state.step);
    }

    /// Packs the frames, with that of `last`.
    pub fn finish(mut self, last: &State) -> Film {
        if self.steps.last().is_none_or(|step| *step < last.step) {
            self.keep(last, &[], &[]);
        }
        let mut pack = Pack::default();
        pack.u32(self.steps.iter().map(|step| u32::try_from(*step).unwrap_or(u32::MAX)));
        let (n_bodies, n_particles) = self.poses.first().map_or((0, 0), |(b, p)| (b.len(), p.len()));
        let body = |k: usize| self.poses.iter().map(move |(bodies, _)| bodies[k].0);
        let particle = |k: usize| self.poses.iter().map(move |(_, particles)| particles[k]);
        let spans: Vec<[Span; 3]> = (0..n_bodies)
            .map(|k| spans(|| body(k)))
            .chain((0..n_particles).map(|k| spans(|| particle(k))))
            .collect();
        for three in &spans {
            pack.f32(three.iter().map(|span| span.low).chain(three.iter().map(|span| span.extent)));
        }
        for (k, three) in spans.iter().enumerate() {
            for (axis, span) in three.iter().enumerate() {
                if k < n_bodies {
                    pack.track(body(k).map(|x| span.step(x[axis])));
                } else {
                    pack.track(particle(k - n_bodies).map(|x| span.step(x[axis])));
                }
            }
            if k < n_bodies {
                let turned: Vec<[u16; 3]> =
                    self.poses.iter().map(|(bodies, _)| rotation::numbers(&bodies[k].1)).collect();
                (0..3).for_each(|part| pack.track(turned.iter().map(|three| three[part])));
            }
        }
        let error = spans.iter().flatten().map(Span::error).fold(0.0, f64::max);
        Film {
            dt: self.dt,
            every: self.every,
            frames: self.steps.len(),
            error,
            text: pack.text(),
            forces: forces::packed(&self.forces),
            contacts: forces::contacts(&self.contacts, self.bytes),
        }
    }
}

fn spans<I: Iterator<Item = Vec3>>(places: impl Fn() -> I) -> [Span; 3] {
    std::array::from_fn(|axis| Span::of(places().map(|x| x[axis])))
}
