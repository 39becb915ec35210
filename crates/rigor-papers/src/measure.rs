//! Numbers measured in a run.

use rigor_audit::Figure;
use rigor_file::closest;
use rigor_math::{Vec3, elementary};
use rigor_run::folder::record::Record;
use rigor_scene::{BondKind, JointKind, Scene, State};

/// A number measured in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// Median wall time per step (s).
    StepTime,
    /// Steps per second of wall time, from the median step (1/s).
    FrameRate,
    /// A judge's figure, by name, for the whole scene.
    Found(String),
    /// A judge's figure, by name, for the body with the second name.
    FoundOf(String, String),
    /// Maximum over the run of the sum of all joint gaps, relative to the length of the chain
    /// (dimensionless).
    Elongation,
    /// Maximum error of the force that holds a chain of particles, from step 20 on, relative to its weight
    /// (dimensionless).
    ForceError,
    /// Maximum distance of the last particle from the solution of implicit Euler (m).
    FromImplicitEuler,
    /// Maximum distance of the last particle from the analytic curve (m).
    FromAnalytic,
    /// How much farther the lowest particle is below the highest than at the start, averaged over the second half
    /// of the run (m).
    Sag,
    /// Final error of the first bond relative to its initial error, C/C₀ (dimensionless).
    Residual,
    /// Maximum error of the last particle's height against free fall (m).
    FromFall,
    /// Time at which the body with this name is 0.1 m lower than at the start (s).
    FallsAt(String),
}

/// The measures that are no figures of judges, by their names in files of papers.
const NAMED: [(&str, Measure); 9] = [
    ("step_time", Measure::StepTime),
    ("frame_rate", Measure::FrameRate),
    ("elongation", Measure::Elongation),
    ("force_error", Measure::ForceError),
    ("from_implicit_euler", Measure::FromImplicitEuler),
    ("from_analytic", Measure::FromAnalytic),
    ("sag", Measure::Sag),
    ("residual", Measure::Residual),
    ("from_fall", Measure::FromFall),
];

impl Measure {
    /// Reads the name of a measure: one of its own, or that of a judge's figure, which has a dot, for the scene or
    /// for a body.
    ///
    /// # Errors
    /// What is wrong with the name, or with the body.
    ///
    /// ```
    /// use rigor_papers::measure::Measure;
    /// assert_eq!(Measure::named("sag", None), Ok(Measure::Sag));
    /// assert!(Measure::named("sagg", None).unwrap_err().contains("did you mean \"sag\""));
    /// ```
    pub fn named(name: &str, body: Option<String>) -> Result<Self, String> {
        match (NAMED.iter().find(|(known, _)| *known == name), body) {
            (Some((_, measure)), None) => Ok(measure.clone()),
            (None, Some(body)) if name == "falls_at" => Ok(Self::FallsAt(body)),
            (None, None) if name == "falls_at" => Err("the measure \"falls_at\" needs a `body`".into()),
            (Some(_), Some(_)) => Err(format!("the measure {name:?} is not that of a body")),
            (None, Some(body)) if name.contains('.') => Ok(Self::FoundOf(name.to_owned(), body)),
            (None, None) if name.contains('.') => Ok(Self::Found(name.to_owned())),
            (None, _) => {
                let near = closest(name, NAMED.map(|(known, _)| known).into_iter().chain(["falls_at"]));
                let meant = near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
                Err(format!("there is no measure {name:?}{meant}"))
            }
        }
    }

    /// Returns the unit of the number.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::StepTime | Self::FallsAt(_) => "s",
            Self::FrameRate => "1/s",
            Self::Found(name) | Self::FoundOf(name, _) => {
                Figure::named(name).map_or("1", |figure| figure.unit)
            }
            Self::Elongation | Self::ForceError | Self::Residual => "1",
            Self::FromImplicitEuler | Self::FromAnalytic | Self::Sag | Self::FromFall => "m",
        }
    }

    /// Returns whether the number depends on the speed of the machine.
    pub fn is_time(&self) -> bool {
        matches!(self, Self::StepTime | Self::FrameRate)
    }

    /// Whether it is computed from the states of the run.
    pub fn needs_states(&self) -> bool {
        !matches!(self, Self::StepTime | Self::FrameRate | Self::Found(_) | Self::FoundOf(..))
    }

    /// Computes the number; `None` if the run does not provide it.
    pub fn read(&self, scene: &Scene, record: &Record, states: &[State]) -> Option<f64> {
        match self {
            Self::StepTime => record.seconds_median,
            Self::FrameRate => record.seconds_median.map(|seconds| 1.0 / seconds),
            Self::Found(name) => found(record, name, None),
            Self::FoundOf(name, body) => found(record, name, Some(body)),
            Self::Elongation if scene.joints.len() > 1 => {
                Some(largest(states.iter().map(|state| elongation(scene, state))))
            }
            Self::Elongation => None,
            Self::ForceError => force_error(scene, states),
            Self::FromImplicitEuler => Some(off(states, oscillations(scene, states.len(), true)?)),
            Self::FromAnalytic => Some(off(states, oscillations(scene, states.len(), false)?)),
            Self::Sag => sag(states),
            Self::Residual => Some(error(scene, states.last()?)? / error(scene, states.first()?)?),
            Self::FromFall => Some(off(states, fall(scene, states.len())?)),
            Self::FallsAt(body) => {
                let body = scene.bodies.iter().position(|one| one.name == *body)?;
                let height = |state: &State| state.bodies[body].pose.position.y;
                let start = height(states.first()?);
                states.iter().find(|state| height(state) < start - 0.1).map(|state| state.time)
            }
        }
    }
}

fn found(record: &Record, figure: &str, body: Option<&str>) -> Option<f64> {
    record.findings.iter().find(|f| f.figure == figure && f.body.as_deref() == body)?.value
}

/// Σ‖gap‖ over all joints that are not fixed, divided by the initial distance between the first joint and the
/// last.
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

/// Maximum over the steps from step 20 on of the error of the force at the support, relative to the weight.
///
/// The support bears m g − Δp/Δt. For a chain at rest that is the weight, so that ‖Δp/Δt‖ is the error.
fn force_error(scene: &Scene, states: &[State]) -> Option<f64> {
    let moving = || scene.particles.iter().enumerate().filter(|(_, particle)| particle.mass.is_finite());
    let momentum = |state: &State| -> Vec3 {
        moving().map(|(i, particle)| state.particles[i].velocity * particle.mass).sum()
    };
    let weight = scene.gravity.norm() * moving().map(|(_, particle)| particle.mass).sum::<f64>();
    let rates = states.windows(2).map(|pair| momentum(&pair[1]) - momentum(&pair[0]));
    let errors: Vec<f64> = rates.skip(20).map(|change| change.norm() / scene.time.dt / weight).collect();
    (weight > 0.0 && !errors.is_empty()).then(|| largest(errors.into_iter()))
}

/// The largest of the values; not a number if one of them is not.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most, value| if value.is_nan() || most.is_nan() { f64::NAN } else { most.max(value) })
}

/// Heights of the last particle (m) on a bond to a fixed first particle, without gravity.
///
/// By implicit Euler, x₁ = (x₀ + h v₀)/(1 + h²/(m α)), or analytically, x(t) = x₀ cos(t/√(m α)).
///
/// Source: \[Macklin2016\] §6.
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

/// Heights of the last particle in free fall (m).
fn fall(scene: &Scene, n: usize) -> Option<Vec<f64>> {
    let start = scene.particles.last()?;
    let height = |k: usize| {
        let t = scene.time.dt * k as f64;
        start.position.y + t * (start.velocity.y + 0.5 * t * scene.gravity.y)
    };
    Some((0..n).map(height).collect())
}

/// Maximum difference between the last particle's height and `heights` (m).
fn off(states: &[State], heights: Vec<f64>) -> f64 {
    let height = |state: &State| state.particles.last().map_or(f64::NAN, |p| p.position.y);
    largest(states.iter().zip(heights).map(|(state, y)| (height(state) - y).abs()))
}

/// Mean over the second half of the run of the depth of the particles, less that at the start (m).
fn sag(states: &[State]) -> Option<f64> {
    let depth = |state: &State| {
        let heights = state.particles.iter().map(|particle| particle.position.y);
        let [low, high] = heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], y| [l.min(y), h.max(y)]);
        high - low
    };
    let late = &states[states.len() / 2..];
    states.first().filter(|start| !start.particles.is_empty())?;
    Some(late.iter().map(depth).sum::<f64>() / late.len() as f64 - depth(states.first()?))
}

/// C = length − rest length of the first bond (m).
fn error(scene: &Scene, state: &State) -> Option<f64> {
    let bond = scene.bonds.first()?;
    let BondKind::Distance { rest } = bond.kind else { return None };
    let [a, b] = [0, 1].map(|k| state.particles[bond.particles[k].0].position);
    Some((a - b).norm() - rest)
}
