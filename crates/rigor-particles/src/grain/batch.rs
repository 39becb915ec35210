//! Forces of four contacts of grains at once.

use crate::force::Law;
use crate::grain::kind::Pair;
use crate::grain::row::Row;

/// Contacts of a batch.
pub(crate) const LANES: usize = 4;

/// A vector of each contact, by coordinate.
type Vectors = [Row; 3];

/// Constants of the pairs, see [`Pair`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Constants {
    reach: Row,
    reach_sq: Row,
    kappa: Row,
    damper: Row,
    damper_root: Row,
    static_: Row,
    dynamic: Row,
    pull: Row,
    pub per_diameter: Row,
}

impl Constants {
    /// The constants of these pairs.
    pub fn new(pairs: [&Pair; LANES]) -> Self {
        let of = |number: fn(&Pair) -> f64| Row::new(pairs.map(number));
        Self {
            reach: of(|pair| pair.reach),
            reach_sq: of(|pair| pair.reach_sq),
            kappa: of(|pair| pair.kappa),
            damper: of(|pair| pair.damper),
            damper_root: of(|pair| pair.damper_root),
            static_: of(|pair| pair.friction.0),
            dynamic: of(|pair| pair.friction.1),
            pull: of(|pair| pair.pull),
            per_diameter: of(|pair| pair.per_diameter),
        }
    }
}

/// Four contacts in a substep, by coordinate; world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch {
    /// d = x_i − x_j (m).
    d: Vectors,
    /// v_i − v_j (m/s), and the sum of ω (rad/s), weighted by the shares.
    velocity: Vectors,
    swing: Vectors,
    /// ξ (m): before, then after the substep.
    shear: Vectors,
    /// 1 where it slid, else 0.
    slid: Row,
    /// Force (N) on i, and d × f (N m).
    force: Vectors,
    turn: Vectors,
    /// A bit for each contact that touches, and for each that slides.
    touching: u32,
    sliding: u32,
}

/// What a contact does in a substep, world: force (N) on the first grain, d × f (N m), and its new spring.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactEffect {
    pub force: Row,
    pub turn: Row,
    pub shear: Row,
    pub touches: bool,
    pub slides: bool,
}

impl Batch {
    /// Contacts with a row of each for d (m), v_i − v_j (m/s), s_a ω_i + s_b ω_j (rad/s) and ξ (m), and whether they slid.
    #[inline(always)]
    pub fn new([d, velocity, swing, shear]: [[Row; LANES]; 4], slides: [bool; LANES]) -> Self {
        let zeros = [Row::ZERO; 3];
        Self {
            d: by_coordinate(d),
            velocity: by_coordinate(velocity),
            swing: by_coordinate(swing),
            shear: by_coordinate(shear),
            slid: Row::new(slides.map(|slides| f64::from(u8::from(slides)))),
            force: zeros,
            turn: zeros,
            touching: 0,
            sliding: 0,
        }
    }

    /// The effects of all contacts.
    #[inline(always)]
    pub fn effects(&self) -> [ContactEffect; LANES] {
        let (force, turn, shear) = (by_contact(self.force), by_contact(self.turn), by_contact(self.shear));
        std::array::from_fn(|l| ContactEffect {
            force: force[l],
            turn: turn[l],
            shear: shear[l],
            touches: self.touching >> l & 1 == 1,
            slides: self.sliding >> l & 1 == 1,
        })
    }

    /// Computes all contacts, by the laws of [`Pair::react`] without rolling resistance; with `HERTZ`, of
    /// `hertz`, else of `hooke`; with `SPRING`, with a tangential spring. Returns the overlaps (m), −∞
    /// where nothing touches. Choices are made by selection, so that each lane does the same.
    #[inline(always)]
    pub fn compute<const HERTZ: bool, const SPRING: bool>(
        &mut self,
        of: &Constants,
        law: &Law,
        h: f64,
    ) -> Row {
        let (zero, one, h) = (Row::ZERO, Row::ONE, Row::splat(h));
        let (ratio, root_ratio) = (Row::splat(law.ratio), Row::splat(law.root_ratio));
        let [dx, dy, dz] = self.d;
        let square = dx * dx + dy * dy + dz * dz;
        // Two centres at the same place are pushed apart along x, for lack of a direction.
        let apart = square.simd_gt(zero);
        let dx = apart.select(dx, Row::splat(1e-150));
        let square = apart.select(square, Row::splat(1e-300));
        let touches = square.simd_lt(of.reach_sq);
        let distance = square.sqrt();
        let inverse = one / distance;
        let n = [dx * inverse, dy * inverse, dz * inverse];
        let overlap = of.reach - distance;
        let root = if HERTZ { overlap.sqrt() } else { one };
        let stretched = of.kappa * root;
        let slope = if HERTZ { Row::splat(1.5) * stretched } else { stretched };
        let damping = if HERTZ { of.damper + of.damper_root * root.sqrt() } else { of.damper };
        let ([wx, wy, wz], [vx, vy, vz]) = (self.swing, self.velocity);
        let vx = vx - (wy * dz - wz * dy);
        let vy = vy - (wz * dx - wx * dz);
        let vz = vz - (wx * dy - wy * dx);
        let v_n = dot([vx, vy, vz], n);
        let t = [vx - v_n * n[0], vy - v_n * n[1], vz - v_n * n[2]];
        let pushed = stretched * overlap - damping * v_n;
        let pressed = pushed.simd_gt(zero).select(pushed, zero);
        let (k, c) = (ratio * slope, root_ratio * damping);
        let u: Vectors = if SPRING {
            // ξ turned into the plane perpendicular to n, with its length.
            let s = self.shear;
            let lean = dot(s, n);
            let a = [s[0] - lean * n[0], s[1] - lean * n[1], s[2] - lean * n[2]];
            let after = dot(a, a);
            let longer = (dot(s, s) / after).sqrt();
            let longer = after.simd_gt(zero).select(longer, zero);
            std::array::from_fn(|i| a[i] * longer + h * t[i])
        } else {
            [zero; 3]
        };
        let f: Vectors = if SPRING {
            std::array::from_fn(|i| -(k * u[i]) - c * t[i])
        } else {
            std::array::from_fn(|i| -(c * t[i]))
        };
        let size_sq = dot(f, f);
        let (sticking, sliding) = (of.static_ * pressed, of.dynamic * pressed);
        let limit = self.slid.simd_gt(zero).select(sliding, sticking);
        let least = sliding.simd_ge(limit).select(limit, sliding);
        let holds = size_sq.simd_le(limit * limit);
        let shorter = holds.select(one, least / size_sq.sqrt());
        let f: Vectors = f.map(|f| f * shorter);
        self.touching = touches.to_bitmask();
        if SPRING {
            // Without a limit there is nothing to remember.
            let soft = limit.simd_gt(zero).select(-one / k, zero);
            let u: Vectors = std::array::from_fn(|i| holds.select(u[i], soft * (f[i] + c * t[i])));
            self.shear = u.map(|u| touches.select(u, zero));
            self.sliding = self.touching & !holds.to_bitmask();
        }
        let normal = pressed - of.pull;
        let f: Vectors = std::array::from_fn(|i| touches.select(normal * n[i] + f[i], zero));
        self.turn = [dy * f[2] - dz * f[1], dz * f[0] - dx * f[2], dx * f[1] - dy * f[0]];
        self.force = f;
        touches.select(overlap, Row::splat(f64::NEG_INFINITY))
    }
}

#[inline(always)]
fn dot(a: Vectors, b: Vectors) -> Row {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn by_coordinate(rows: [Row; LANES]) -> Vectors {
    let [x, y, z, _] = Row::transpose(rows);
    [x, y, z]
}

#[inline(always)]
fn by_contact([x, y, z]: Vectors) -> [Row; LANES] {
    Row::transpose([x, y, z, Row::ZERO])
}

#[cfg(test)]
mod tests {
    use rigor_math::Vec3;
    use rigor_scene::Scene;

    use super::*;
    use crate::config::{Config, Model};
    use crate::friction::Spring;
    use crate::grain::kind::{Extremes, Kind, Meeting};
    use crate::grain::row::{self, row};
    use crate::world::Dampers;

    #[test]
    fn a_batch_computes_what_single_contacts_do() {
        let part = |i: usize, step: f64| (i as f64 * step).fract() - 0.5;
        let vector = |i: usize, scale: f64| {
            scale * Vec3::new(part(i, 0.754_877_666), part(i, 0.569_840_291), part(i, 0.430_159_709))
        };
        let scene = Scene::default();
        let laws = [(Model::Hooke, true), (Model::Hertz, true), (Model::Hooke, false), (Model::Hertz, false)];
        for (model, tangential_spring) in laws {
            let config = Config { model, tangential_spring, adhesion: 0.1, ..Config::default() };
            let law = Law::new(&config);
            let particle = |radius: f64, mass: f64| rigor_scene::Particle {
                radius,
                friction: rigor_scene::Friction { static_: 0.6, dynamic: 0.4 },
                restitution: 0.5,
                ..rigor_scene::Particle::new(mass, Vec3::zeros())
            };
            let extremes = Extremes { heaviest: 3.0, smallest: 0.2 };
            let kind = |radius, mass| Kind::of(&particle(radius, mass), &config, &scene, 1.0, extremes);
            let pair = Pair::new(&kind(0.1, 1.0), Ok(&kind(0.2, 3.0)), &scene, &config, &Dampers::default());
            let near = |a: &Vec3, b: &Vec3| (a - b).norm() <= 1e-12 * b.norm() + 1e-18;
            let mut kinds = [0, 0, 0];
            for batch in 0..8 {
                let [mut d, mut velocity, mut swing, mut shear] = [[Vec3::zeros(); LANES]; 4];
                let (mut slides, mut expected) = ([false; LANES], Vec::new());
                for l in 0..LANES {
                    let i = LANES * batch + l;
                    let distance = if i % 7 == 6 { 0.301 } else { 0.3 - 0.001 * (i + 1) as f64 };
                    d[l] = distance * vector(i + 1, 1.0).normalize();
                    velocity[l] = vector(i + 40, if i.is_multiple_of(2) { 1e-3 } else { 2.0 });
                    swing[l] = vector(i + 80, 0.1);
                    if tangential_spring {
                        (shear[l], slides[l]) = (vector(i + 120, 1e-4), i.is_multiple_of(3));
                    }
                    let meeting = Meeting {
                        normal: d[l] / distance,
                        overlap: pair.reach - distance,
                        velocity: velocity[l] - swing[l].cross(&d[l]),
                        spin: Vec3::zeros(),
                    };
                    let mut spring = Spring { stored: shear[l], slides: slides[l] };
                    let reaction = pair.react(&law, &meeting, &mut spring, None, 1e-4);
                    let touches = distance < pair.reach;
                    kinds[if touches { usize::from(spring.slides) } else { 2 }] += 1;
                    expected.push(touches.then_some((reaction.force, spring)));
                }
                let rows = [d, velocity, swing, shear].map(|vectors| vectors.map(|v| row(&v)));
                let mut batch = Batch::new(rows, slides);
                let constants = Constants::new([&pair; LANES]);
                let overlap = match (model, tangential_spring) {
                    (Model::Hertz, true) => batch.compute::<true, true>(&constants, &law, 1e-4),
                    (Model::Hertz, false) => batch.compute::<true, false>(&constants, &law, 1e-4),
                    (_, true) => batch.compute::<false, true>(&constants, &law, 1e-4),
                    (_, false) => batch.compute::<false, false>(&constants, &law, 1e-4),
                };
                for (l, effect) in batch.effects().into_iter().enumerate() {
                    let [force, turn, stored] = [effect.force, effect.turn, effect.shear].map(row::vector);
                    let overlap = overlap.to_array()[l];
                    assert_eq!(effect.touches, expected[l].is_some());
                    let Some((expected, spring)) = &expected[l] else {
                        let nothing = Vec3::zeros();
                        assert_eq!([force, turn, stored], [nothing; 3], "{model:?} {l}");
                        assert!(!effect.slides && overlap == f64::NEG_INFINITY, "{model:?} {l}");
                        continue;
                    };
                    assert!(near(&force, expected), "{model:?} {l}: {force:?} {expected:?}");
                    assert!(near(&turn, &d[l].cross(expected)), "{model:?} {l}");
                    assert!(near(&stored, &spring.stored) && effect.slides == spring.slides, "{model:?} {l}");
                    assert!((overlap - (pair.reach - d[l].norm())).abs() < 1e-15, "{model:?} {l}");
                }
            }
            let kinds = if tangential_spring { kinds.to_vec() } else { vec![kinds[0], kinds[2]] };
            assert!(kinds.iter().all(|n| *n > 3), "some stick, some slide, some do not touch: {kinds:?}");
        }
    }
}
