//! How fast grains can vibrate on their contacts.

use rigor_math::{Mat3, Vec3};

use crate::config::{Config, Model};
use crate::grain::granular::Granular;
use crate::grain::kind::{Kind, Pair};

/// Σ S n nᵀ and Σ S (N/m) of a grain's contacts, and their number.
#[derive(Debug, Clone, Copy)]
struct Sum {
    along: Mat3,
    total: f64,
    count: u32,
}

/// What bounds the substep of grains.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    /// A bound on ω² (1/s²) of each grain, in the order of cells.
    pub omega_sq: Vec<f64>,
    /// Maximum ζ.
    pub zeta: f64,
    /// Maximum of the number of contacts over the mass (1/kg).
    pub per_mass: f64,
}

/// Bounds the vibration of each grain on all near ones and on near planes, as [`crate::stability`] does for
/// bodies.
///
/// With S n nᵀ + ρ S (1 − n nᵀ) for each contact, doubled where both sides move, and levers of at most the
/// radius r, ω² ≤ ‖K_xx‖/m + ‖K_θθ‖/I, with K_θθ = r² ρ Σ S (1 − n nᵀ).
pub(crate) fn bounds(granular: &Granular, config: &Config) -> Bounds {
    let zero = Sum { along: Mat3::zeros(), total: 0.0, count: 0 };
    let mut sums = vec![zero; granular.x.len()];
    let mut zeta = 0.0_f64;
    let slope = |pair: &Pair, distance: f64| {
        // Twice the overlap that stiffness is derived from, of the smaller particle, or the present one.
        pair.slope(config.model, (2.0 * config.overlap / pair.per_diameter).max(pair.reach - distance))
    };
    let kind = |i: usize| &granular.kinds.all[granular.kind[i] as usize];
    granular.each_pair(|i, j, pair| {
        let d = granular.position(i) - granular.position(j);
        let (distance, n) = (d.norm(), d.try_normalize(0.0).unwrap_or_else(Vec3::x));
        let both = kind(i).inverse_mass > 0.0 && kind(j).inverse_mass > 0.0;
        let stiffness = slope(pair, distance) * if both { 2.0 } else { 1.0 };
        for k in [i, j] {
            add(&mut sums[k], stiffness, &n);
        }
        zeta = zeta.max(pair.zeta);
    });
    granular.each_plane(|i, plane, contact| {
        let distance = plane.normal.dot(&granular.position(i)) - plane.offset;
        add(&mut sums[i], slope(&contact.pair, distance), &plane.normal);
        zeta = zeta.max(contact.pair.zeta);
    });
    let omega_sq = sums.iter().enumerate().map(|(i, sum)| bound(sum, kind(i), config)).collect();
    let per_mass = sums.iter().enumerate().map(|(i, sum)| f64::from(sum.count) * kind(i).inverse_mass);
    Bounds { omega_sq, zeta, per_mass: per_mass.fold(0.0, f64::max) }
}

fn add(sum: &mut Sum, stiffness: f64, n: &Vec3) {
    sum.along += (stiffness * n) * n.transpose();
    sum.total += stiffness;
    sum.count += 1;
}

fn bound(sum: &Sum, kind: &Kind, config: &Config) -> f64 {
    let ratio = if config.model == Model::Harada { 0.0 } else { config.tangential_ratio() };
    let square = kind.radius * kind.radius;
    let rolling = if config.rolling > 0.0 { ratio * square * sum.total } else { 0.0 };
    let linear = (1.0 - ratio) * sum.along + Mat3::from_diagonal_element(ratio * sum.total);
    let angular = ratio * square * (Mat3::from_diagonal_element(sum.total) - sum.along)
        + Mat3::from_diagonal_element(rolling);
    norm(&linear) * kind.inverse_mass + norm(&angular) * kind.inverse_moment
}

/// The ∞-norm.
pub(crate) fn norm(matrix: &Mat3) -> f64 {
    (0..3).map(|i| matrix.row(i).iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max)
}
