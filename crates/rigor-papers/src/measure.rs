//! One number of a run.

use rigor_audit::{Figure, Panel};
use rigor_math::{Vec3, elementary};
use rigor_run::clock::Timed;
use rigor_scene::{BondKind, JointKind, Scene, State};

/// What is measured of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measure {
    /// Median wall time of a step (s).
    StepTime,
    /// Steps per second of wall time, by the median of a step.
    FrameRate,
    /// What a judge finds of the whole scene.
    Found(&'static str),
    /// What a judge finds of the body of this name.
    FoundOf(&'static str, &'static str),
    /// Distances between the ends of joined bodies, added up, over the length of the row: the largest of the run
    /// (dimensionless).
    Elongation,
    /// The largest error of the force that holds a chain of particles, from step 20 on, over its weight (dimensionless).
    ForceError,
    /// The largest distance of the last particle from implicit Euler's (m).
    FromImplicitEuler,
    /// The largest distance of the last particle from the analytic curve (m).
    FromAnalytic,
    /// The depth of the lowest particle below the highest, averaged over the last half of the run (m).
    Sag,
    /// What is left at the end of the first bond's error at the start, C/C₀ (dimensionless).
    Residual,
    /// The largest error of the last particle's height against free fall (m).
    FromFall,
}

impl Measure {
    /// Its unit.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::StepTime => "s",
            Self::FrameRate => "1/s",
            Self::Found(name) | Self::FoundOf(name, _) => {
                Figure::named(name).map_or("1", |figure| figure.unit)
            }
            Self::Elongation | Self::ForceError | Self::Residual => "1",
            Self::FromImplicitEuler | Self::FromAnalytic | Self::Sag | Self::FromFall => "m",
        }
    }

    /// Whether it tells how fast a machine is.
    pub fn is_time(&self) -> bool {
        matches!(self, Self::StepTime | Self::FrameRate)
    }

    /// The judge that finds it.
    pub fn judge(&self) -> Option<&'static str> {
        match self {
            Self::Found(name) | Self::FoundOf(name, _) => name.split('.').next(),
            _ => None,
        }
    }

    /// Whether it is read off the states.
    pub fn needs_states(&self) -> bool {
        !matches!(self, Self::StepTime | Self::FrameRate | Self::Found(_) | Self::FoundOf(..))
    }

    /// The number; `None` if nothing gives it.
    pub fn read(&self, scene: &Scene, method: &Timed, panel: &Panel, states: &[State]) -> Option<f64> {
        match self {
            Self::StepTime => method.median(),
            Self::FrameRate => method.median().map(|seconds| 1.0 / seconds),
            Self::Found(name) => found(scene, panel, name, ""),
            Self::FoundOf(name, body) => found(scene, panel, name, body),
            Self::Elongation => Some(states.iter().map(|state| elongation(scene, state)).fold(0.0, f64::max)),
            Self::ForceError => Some(force_error(scene, states)),
            Self::FromImplicitEuler => Some(off(states, oscillations(scene, states.len(), true)?)),
            Self::FromAnalytic => Some(off(states, oscillations(scene, states.len(), false)?)),
            Self::Sag => Some(sag(states)),
            Self::Residual => Some(error(scene, states.last()?)? / error(scene, states.first()?)?),
            Self::FromFall => Some(off(states, fall(scene, states.len())?)),
        }
    }
}

fn found(scene: &Scene, panel: &Panel, figure: &str, body: &str) -> Option<f64> {
    let is_it = |id: Option<rigor_scene::BodyId>| id.map_or("", |id| &scene.bodies[id.0].name) == body;
    panel.findings(scene).into_iter().find(|f| f.figure == figure && is_it(f.body)).map(|f| f.value)
}

/// Σ‖gap of a joint‖ over the length between the first joint and the last at time 0.
fn elongation(scene: &Scene, state: &State) -> f64 {
    let ends = |state: &State, k: usize| {
        let joint = &scene.joints[k];
        let a = state.bodies[joint.body_a.0].pose.point(&joint.frame_a.position);
        let b = joint
            .body_b
            .map_or(joint.frame_b.position, |b| state.bodies[b.0].pose.point(&joint.frame_b.position));
        (a, b)
    };
    let held = |k: &usize| scene.joints[*k].kind != JointKind::Fixed;
    let gaps = (0..scene.joints.len()).filter(held).map(|k| {
        let (a, b) = ends(state, k);
        (a - b).norm()
    });
    let start = State::initial(scene);
    let last = scene.joints.len().saturating_sub(1);
    gaps.sum::<f64>() / (ends(&start, 0).0 - ends(&start, last).0).norm()
}

/// The largest |force at the support − what gravity gives and the chain does not take up| over the weight, from step 20 on.
///
/// The support bears m g − Δp/Δt; of a chain at rest that is the weight.
fn force_error(scene: &Scene, states: &[State]) -> f64 {
    let moving = || scene.particles.iter().enumerate().filter(|(_, particle)| particle.mass.is_finite());
    let momentum = |state: &State| -> Vec3 {
        moving().map(|(i, particle)| state.particles[i].velocity * particle.mass).sum()
    };
    let weight = scene.gravity.norm() * moving().map(|(_, particle)| particle.mass).sum::<f64>();
    let rates = states.windows(2).map(|pair| momentum(&pair[1]) - momentum(&pair[0]));
    rates.skip(20).map(|change| change.norm() / scene.time.dt / weight).fold(0.0, f64::max)
}

/// Heights of the last particle where a bond holds it to the first one that does not move, without gravity: by implicit Euler
/// x₁ = (x₀ + h v₀)/(1 + h²/(m α)), or x(t) = x₀ cos(t/√(m α)).
///
/// Source: [Macklin2016] §6.
fn oscillations(scene: &Scene, n: usize, is_implicit_euler: bool) -> Option<Vec<f64>> {
    let (bond, BondKind::Distance { rest }) = scene.bonds.first().map(|bond| (bond, &bond.kind))? else {
        return None;
    };
    let mass = scene.particles.last()?.mass;
    let (start, h) = (scene.particles.last()?.position.y, scene.time.dt);
    let x_0 = start + rest;
    let (mut x, mut v) = (x_0, 0.0);
    let next = |k: usize| {
        if !is_implicit_euler {
            let omega = 1.0 / (mass * bond.compliance).sqrt();
            return x_0 * elementary::cos(omega * h * k as f64) - rest;
        }
        if k > 0 {
            let x_prev = x;
            x = (x_prev + h * v) / (1.0 + h * h / (mass * bond.compliance));
            v = (x - x_prev) / h;
        }
        x - rest
    };
    Some((0..n).map(next).collect())
}

/// Heights of the last particle in free fall.
fn fall(scene: &Scene, n: usize) -> Option<Vec<f64>> {
    let start = scene.particles.last()?;
    let height = |k: usize| {
        let t = scene.time.dt * k as f64;
        start.position.y + t * (start.velocity.y + 0.5 * t * scene.gravity.y)
    };
    Some((0..n).map(height).collect())
}

/// The largest difference between the last particle's height and `heights` (m).
fn off(states: &[State], heights: Vec<f64>) -> f64 {
    let height = |state: &State| state.particles.last().map_or(f64::NAN, |p| p.position.y);
    states.iter().zip(heights).map(|(state, y)| (height(state) - y).abs()).fold(0.0, f64::max)
}

fn sag(states: &[State]) -> f64 {
    let depth = |state: &State| {
        let heights = state.particles.iter().map(|particle| particle.position.y);
        let [low, high] = heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], y| [l.min(y), h.max(y)]);
        high - low
    };
    let late = &states[states.len() / 2..];
    late.iter().map(depth).sum::<f64>() / late.len() as f64
}

/// C of the first bond (m).
fn error(scene: &Scene, state: &State) -> Option<f64> {
    let bond = scene.bonds.first()?;
    let BondKind::Distance { rest } = bond.kind else { return None };
    let [a, b] = [0, 1].map(|k| state.particles[bond.particles[k].0].position);
    Some((a - b).norm() - rest)
}
