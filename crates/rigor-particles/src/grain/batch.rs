//! Forces of many contacts of grains at once, in arrays that processors compute in lanes.

use rigor_math::Vec3;

use crate::force::Law;
use crate::grain::block::Motion;
use crate::grain::kind::Pair;

/// Contacts of a batch.
pub(crate) const LANES: usize = 32;

/// One number of each contact.
type Lane = [f64; LANES];

/// A vector of each contact, by coordinate.
type Vectors = [Lane; 3];

/// Contacts of grains in a substep: what their forces follow from, and their forces; world.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    // Constants of the pairs, see `Pair`.
    reach: Lane,
    kappa: Lane,
    damper: Lane,
    damper_root: Lane,
    static_: Lane,
    dynamic: Lane,
    pull: Lane,
    shares: [Lane; 2],
    per_diameter: Lane,
    /// d = x_i − x_j (m) and ‖d‖².
    d: Vectors,
    square: Lane,
    /// v_i − v_j (m/s), ω_i and ω_j (rad/s).
    velocity: Vectors,
    spins: [Vectors; 2],
    /// ξ (m), and 1 where it slid, else 0: before, then after the substep.
    shear: Vectors,
    slides: Lane,
    /// Force (N) on i, and d × f (N m).
    force: Vectors,
    turn: Vectors,
    /// δ (m).
    overlap: Lane,
}

/// What a contact does in a substep: force (N) on the first grain, moments (N m) on both, and its new spring.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effect {
    pub force: Vec3,
    pub moments: [Vec3; 2],
    pub shear: Vec3,
    pub slides: bool,
}

impl Batch {
    /// A batch of contacts that do nothing, all between grains of `pair`.
    pub fn new(pair: &Pair) -> Self {
        let (zero, zeros) = ([0.0; LANES], [[0.0; LANES]; 3]);
        let mut batch = Self {
            reach: zero,
            kappa: zero,
            damper: zero,
            damper_root: zero,
            static_: zero,
            dynamic: zero,
            pull: zero,
            shares: [zero; 2],
            per_diameter: zero,
            d: zeros,
            square: [1.0; LANES],
            velocity: zeros,
            spins: [zeros; 2],
            shear: zeros,
            slides: zero,
            force: zeros,
            turn: zeros,
            overlap: zero,
        };
        for l in 0..LANES {
            batch.set_pair(l, pair);
        }
        batch
    }

    /// Sets the constants of contact `l`.
    #[inline(always)]
    pub fn set_pair(&mut self, l: usize, pair: &Pair) {
        (self.reach[l], self.kappa[l]) = (pair.reach, pair.kappa);
        (self.damper[l], self.damper_root[l]) = (pair.damper, pair.damper_root);
        (self.static_[l], self.dynamic[l]) = pair.friction;
        self.pull[l] = pair.pull;
        [self.shares[0][l], self.shares[1][l]] = pair.shares;
        self.per_diameter[l] = pair.per_diameter;
    }

    /// Sets the geometry of contact `l`: d (m) and ‖d‖².
    #[inline(always)]
    pub fn set_separation(&mut self, l: usize, d: &Vec3, square: f64) {
        // Two centres at the same place are pushed apart along x, for lack of a direction.
        let (d, square) = if square > 0.0 { (*d, square) } else { (Vec3::new(1e-150, 0.0, 0.0), 1e-300) };
        self.square[l] = square;
        put(&mut self.d, l, &d);
    }

    /// Sets the motions of both grains of contact `l`.
    #[inline(always)]
    pub fn set_motion(&mut self, l: usize, a: &Motion, b: &Motion) {
        put(&mut self.velocity, l, &(a.v - b.v));
        put(&mut self.spins[0], l, &a.omega);
        put(&mut self.spins[1], l, &b.omega);
    }

    /// Sets the spring of contact `l`.
    #[inline(always)]
    pub fn set_spring(&mut self, l: usize, shear: &Vec3, slides: bool) {
        put(&mut self.shear, l, shear);
        self.slides[l] = if slides { 1.0 } else { 0.0 };
    }

    /// The effect of contact `l`.
    #[inline(always)]
    pub fn effect(&self, l: usize) -> Effect {
        let turn = get(&self.turn, l);
        Effect {
            force: get(&self.force, l),
            moments: [-self.shares[0][l] * turn, -self.shares[1][l] * turn],
            shear: get(&self.shear, l),
            slides: self.slides[l] > 0.5,
        }
    }

    /// Maximum overlap (m) of the first `n` contacts, also over the diameter.
    pub fn deepest(&self, n: usize) -> (f64, f64) {
        let (mut deepest, mut relative) = (f64::NEG_INFINITY, 0.0_f64);
        for l in 0..n {
            deepest = deepest.max(self.overlap[l]);
            relative = relative.max(self.overlap[l] * self.per_diameter[l]);
        }
        (deepest, relative)
    }

    /// Computes all contacts, by the laws of [`Pair::react`] without rolling resistance; with `HERTZ`, of
    /// `hertz`, else of `hooke`. Choices are made by selection, so that each lane does the same.
    #[inline(never)]
    pub fn compute<const HERTZ: bool>(&mut self, law: &Law, h: f64) {
        let (ratio, root_ratio) = (law.ratio, law.root_ratio);
        for l in 0..LANES {
            let [dx, dy, dz] = [self.d[0][l], self.d[1][l], self.d[2][l]];
            let distance = self.square[l].sqrt();
            let inverse = 1.0 / distance;
            let (nx, ny, nz) = (dx * inverse, dy * inverse, dz * inverse);
            let overlap = self.reach[l] - distance;
            let root = if HERTZ { overlap.sqrt() } else { 1.0 };
            let stretched = self.kappa[l] * root;
            let slope = if HERTZ { 1.5 * stretched } else { stretched };
            let damping =
                if HERTZ { self.damper[l] + self.damper_root[l] * root.sqrt() } else { self.damper[l] };
            let swing =
                |k: usize| self.shares[0][l] * self.spins[0][k][l] + self.shares[1][l] * self.spins[1][k][l];
            let (wx, wy, wz) = (swing(0), swing(1), swing(2));
            let vx = self.velocity[0][l] - (wy * dz - wz * dy);
            let vy = self.velocity[1][l] - (wz * dx - wx * dz);
            let vz = self.velocity[2][l] - (wx * dy - wy * dx);
            let v_n = vx * nx + vy * ny + vz * nz;
            let (tx, ty, tz) = (vx - v_n * nx, vy - v_n * ny, vz - v_n * nz);
            let pushed = stretched * overlap - damping * v_n;
            let pressed = if pushed > 0.0 { pushed } else { 0.0 };
            let (k, c) = (ratio * slope, root_ratio * damping);
            // ξ turned into the plane perpendicular to n, with its length.
            let [sx, sy, sz] = [self.shear[0][l], self.shear[1][l], self.shear[2][l]];
            let lean = sx * nx + sy * ny + sz * nz;
            let (ax, ay, az) = (sx - lean * nx, sy - lean * ny, sz - lean * nz);
            let after = ax * ax + ay * ay + az * az;
            let longer = ((sx * sx + sy * sy + sz * sz) / after).sqrt();
            let longer = if after > 0.0 { longer } else { 0.0 };
            let (ux, uy, uz) = (ax * longer + h * tx, ay * longer + h * ty, az * longer + h * tz);
            let (fx, fy, fz) = (-k * ux - c * tx, -k * uy - c * ty, -k * uz - c * tz);
            let size_sq = fx * fx + fy * fy + fz * fz;
            let (sticking, sliding) = (self.static_[l] * pressed, self.dynamic[l] * pressed);
            let limit = if self.slides[l] > 0.5 { sliding } else { sticking };
            let least = if sliding < limit { sliding } else { limit };
            let holds = size_sq <= limit * limit;
            let shorter = least / size_sq.sqrt();
            let shorter = if holds { 1.0 } else { shorter };
            let (fx, fy, fz) = (fx * shorter, fy * shorter, fz * shorter);
            // Without a limit there is nothing to remember.
            let soft = -1.0 / k;
            let soft = if limit > 0.0 { soft } else { 0.0 };
            self.shear[0][l] = if holds { ux } else { soft * (fx + c * tx) };
            self.shear[1][l] = if holds { uy } else { soft * (fy + c * ty) };
            self.shear[2][l] = if holds { uz } else { soft * (fz + c * tz) };
            self.slides[l] = if holds { 0.0 } else { 1.0 };
            let normal = pressed - self.pull[l];
            let (fx, fy, fz) = (normal * nx + fx, normal * ny + fy, normal * nz + fz);
            (self.force[0][l], self.force[1][l], self.force[2][l]) = (fx, fy, fz);
            self.turn[0][l] = dy * fz - dz * fy;
            self.turn[1][l] = dz * fx - dx * fz;
            self.turn[2][l] = dx * fy - dy * fx;
            self.overlap[l] = overlap;
        }
    }
}

#[inline(always)]
fn put(vectors: &mut Vectors, l: usize, v: &Vec3) {
    (vectors[0][l], vectors[1][l], vectors[2][l]) = (v.x, v.y, v.z);
}

#[inline(always)]
fn get(vectors: &Vectors, l: usize) -> Vec3 {
    Vec3::new(vectors[0][l], vectors[1][l], vectors[2][l])
}

#[cfg(test)]
mod tests {
    use rigor_scene::Scene;

    use super::*;
    use crate::config::{Config, Model};
    use crate::friction::Spring;
    use crate::grain::kind::{Kind, Meeting};
    use crate::world::Dampers;

    #[test]
    fn a_batch_computes_what_single_contacts_do() {
        let part = |i: usize, step: f64| (i as f64 * step).fract() - 0.5;
        let vector = |i: usize, scale: f64| {
            scale * Vec3::new(part(i, 0.754_877_666), part(i, 0.569_840_291), part(i, 0.430_159_709))
        };
        let scene = Scene::default();
        for model in [Model::Hooke, Model::Hertz] {
            let config = Config { model, adhesion: 0.1, ..Config::default() };
            let law = Law::new(&config);
            let particle = |radius: f64, mass: f64| rigor_scene::Particle {
                radius,
                friction: rigor_scene::Friction { static_: 0.6, dynamic: 0.4 },
                restitution: 0.5,
                ..rigor_scene::Particle::new(mass, Vec3::zeros())
            };
            let kind = |radius, mass| Kind::of(&particle(radius, mass), &config, &scene, 1.0, 1.0);
            let pair = Pair::new(&kind(0.1, 1.0), Ok(&kind(0.2, 3.0)), &scene, &config, &Dampers::default());
            let mut batch = Batch::new(&pair);
            let mut expected = Vec::new();
            let mut kinds = [0, 0];
            for l in 0..LANES {
                let normal = vector(l + 1, 1.0).normalize();
                let d = (0.3 - 0.001 * (l + 1) as f64) * normal;
                let (velocity, swing) =
                    (vector(l + 40, if l % 2 == 0 { 1e-3 } else { 2.0 }), vector(l + 80, 0.1));
                let (stored, slides) = (vector(l + 120, 1e-4), l % 3 == 0);
                batch.set_separation(l, &d, d.norm_squared());
                // With shares of 1/3 and 2/3.
                let a = Motion { v: velocity, omega: swing };
                batch.set_motion(l, &a, &Motion { v: Vec3::zeros(), omega: swing });
                batch.set_spring(l, &stored, slides);
                let meeting = Meeting {
                    normal: d / d.norm(),
                    overlap: pair.reach - d.norm(),
                    velocity: velocity - swing.cross(&d),
                    spin: Vec3::zeros(),
                };
                let mut spring = Spring { stored, slides };
                let reaction = pair.react(&law, &meeting, &mut spring, None, 1e-4);
                kinds[usize::from(spring.slides)] += 1;
                expected.push((reaction.force, d.cross(&reaction.force), spring));
            }
            match model {
                Model::Hertz => batch.compute::<true>(&law, 1e-4),
                _ => batch.compute::<false>(&law, 1e-4),
            }
            assert!(kinds[0] > 3 && kinds[1] > 3, "both stick and slide: {kinds:?}");
            for (l, (force, turn, spring)) in expected.iter().enumerate() {
                let effect = batch.effect(l);
                let near = |a: &Vec3, b: &Vec3| (a - b).norm() <= 1e-12 * b.norm() + 1e-18;
                assert!(near(&effect.force, force), "{model:?} {l}: {effect:?} {force:?}");
                assert!(
                    near(&effect.shear, &spring.stored) && effect.slides == spring.slides,
                    "{model:?} {l}"
                );
                assert!(
                    near(&effect.moments[0], &(-turn / 3.0))
                        && near(&effect.moments[1], &(-2.0 / 3.0 * turn))
                );
            }
        }
    }
}
