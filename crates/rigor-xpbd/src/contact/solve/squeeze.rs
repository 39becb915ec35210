//! Light bodies squeezed under heavy ones.
//!
//! One sweep changes the force between a light body of mass m and its neighbours by about m/h² per metre of overlap.
//! With n sweeps per substep a heavy body on a light one therefore rests on a spring of stiffness n m/h²: under the
//! load F it sinks by F h²/(n m) and bounces, and with each bounce that unloads it the light body slips.

use rigor_math::Vec3;
use rigor_scene::{Body, BodyId, Flaw, FlawKind, Scene, Subject};

use crate::contact::pair::Pair;

/// Load of a body, over its weight, from which on sweeps are added.
const SQUEEZED: f64 = 100.0;

/// Mass of the body that presses, over that of the body that it squeezes, from which on sweeps are added. In columns of
/// equal bodies the load builds up over many, each of which yields.
const HEAVIER: f64 = 10.0;

/// Overlap that stays uncorrected, over the depth to which a squeezed body may sink.
const FINE: f64 = 8.0;

/// Maximum number of sweeps in a substep of a step without fast bodies, whose sum a step with more substeps keeps.
const MOST: f64 = 1000.0;

/// Scratch memory.
#[derive(Debug, Default)]
pub(crate) struct Squeeze {
    /// Per body, Σ ‖p‖ and Σ p (kg m) over its pairs.
    loads: Vec<(f64, Vec3)>,
    /// Maximum number of sweeps in a substep of this step.
    most: f64,
    /// The body that its sweeps let sink deepest in the step, over the overlap that stays uncorrected.
    deepest: Option<(BodyId, f64)>,
}

impl Squeeze {
    /// Begins a step of so many `substeps`, where so many are `set`.
    pub fn start(&mut self, set: u32, substeps: u32) {
        self.most = MOST * f64::from(set) / f64::from(substeps);
        self.deepest = None;
    }

    /// Returns the flaw of a step in which a squeezed body sank by more than the overlap that stays uncorrected.
    pub fn flaw(&self) -> Option<Flaw> {
        let (body, depth) = self.deepest.filter(|(_, depth)| *depth > 1.0)?;
        Some(Flaw::new(FlawKind::Unconverged, Subject::Body(body), depth))
    }

    /// Returns the number of sweeps that a substep of `h` (s) needs, after some of them: 0 if no body is squeezed.
    ///
    /// The load of a body is Σ ‖p‖ − ‖Σ p‖ over the impulses of its pairs, counted as far as they pushed in the previous
    /// substep, too: an impact is not a load. n = 4 F h²/(m s) sweeps let it sink by an eighth of the overlap s that stays uncorrected,
    /// and n = F/(2 m g) converge.
    pub fn sweeps(&mut self, scene: &Scene, pairs: &[Pair], h: f64) -> u32 {
        let bodies = &scene.bodies;
        let weight = |i: usize| weight(&bodies[i], scene, h);
        let lighter = |pair: &Pair| {
            let [a, b] = [pair.a, pair.b].map(|id| &bodies[id.0]);
            let presses = |x: &Body, y: &Body| x.is_dynamic() && y.is_dynamic() && x.mass >= HEAVIER * y.mass;
            if presses(a, b) { Some(pair.b) } else { presses(b, a).then_some(pair.a) }
        };
        let pushed = |pair: &Pair| pair.history.past.iter().map(|past| past.lambda_n).sum::<f64>();
        let is_loaded = |pair: &Pair| {
            let lighter = lighter(pair).filter(|_| pair.is_active());
            lighter.is_some_and(|id| 2.0 * pushed(pair) > SQUEEZED * weight(id.0))
        };
        if !pairs.iter().any(is_loaded) {
            return 0;
        }
        self.loads.clear();
        self.loads.resize(bodies.len(), (0.0, Vec3::zeros()));
        for pair in pairs.iter().filter(|pair| pair.is_active()) {
            let p: Vec3 = pair.contacts.iter().map(|c| c.lambda_n * c.normal_start + c.lambda_t).sum();
            let now: f64 = pair.contacts.iter().map(|c| c.lambda_n).sum();
            let part = if now > 0.0 { (pushed(pair) / now).min(1.0) } else { 0.0 };
            for (i, sign) in [(pair.a.0, 1.0), (pair.b.0, -1.0)] {
                self.loads[i].0 += part * p.norm();
                self.loads[i].1 += sign * part * p;
            }
        }
        let squeezed = |pair: &Pair| {
            let id = lighter(pair).filter(|_| pair.is_active())?;
            let (sum, net) = self.loads[id.0];
            let load = (sum - net.norm()) / weight(id.0);
            Some((id, load, weight(id.0) / (bodies[id.0].mass * pair.detection.margins.slop)))
        };
        let squeezed = pairs.iter().filter_map(squeezed);
        let squeezed: Vec<(BodyId, f64, f64)> =
            squeezed.filter(|(_, load, _)| *load >= SQUEEZED && load.is_finite()).collect();
        let needed = squeezed.iter().map(|(_, load, sinks)| 0.5 * load * (FINE * sinks).min(1.0));
        let sweeps = needed.fold(0.0, f64::max).min(self.most).ceil();
        for (id, load, sinks) in squeezed {
            let depth = load * sinks / sweeps;
            if self.deepest.is_none_or(|(_, deepest)| depth > deepest) {
                self.deepest = Some((id, depth));
            }
        }
        sweeps as u32
    }
}

/// Returns (m ‖g‖ + ‖f‖) h² (kg m): the positional impulse that carries the body in a substep; infinity for bodies that
/// nothing moves or pulls.
fn weight(body: &Body, scene: &Scene, h: f64) -> f64 {
    let weight = (body.mass * scene.gravity.norm() + body.force.norm()) * h * h;
    if body.is_dynamic() && weight > 0.0 { weight } else { f64::INFINITY }
}
