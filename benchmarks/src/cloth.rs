//! A square cloth of distance bonds.

use rigor_math::Vec3;
use rigor_scene::{Bond, BondKind, Particle, ParticleId, Scene, TimeSpan};

/// An `n` × `n` cloth with sides of 1 m and a mass of 0.1 kg, level at the start and held at two corners:
/// 2n(n − 1) edges, 2(n − 1)² diagonals and 2n(n − 2) bonds across a particle, against bending, all with
/// compliance α in m/N.
///
/// With n = 64 these are 8064 + 7938 + 7936 = 23 938 bonds: the 24 000 constraints of the cloth of
/// \[Macklin2016\].
///
/// ```
/// assert_eq!(rigor_benchmarks::cloth::cloth(64, 0.0).bonds.len(), 23_938);
/// ```
pub fn cloth(n: usize, compliance: f64) -> Scene {
    let place = |i: usize, j: usize| Vec3::new(i as f64, 0.0, j as f64) / (n - 1) as f64;
    let grid = || (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let mass = 0.1 / (n * n) as f64;
    let mut particles: Vec<Particle> = grid().map(|(i, j)| Particle::new(mass, place(i, j))).collect();
    for corner in [0, n - 1] {
        particles[corner].mass = f64::INFINITY;
    }
    let steps: [[isize; 2]; 6] = [[0, 1], [1, 0], [1, 1], [1, -1], [0, 2], [2, 0]];
    let bonds = steps.into_iter().flat_map(|[down, right]| {
        grid().filter_map(move |(i, j)| {
            let (k, l) = (i.checked_add_signed(down)?, j.checked_add_signed(right)?);
            let rest = (place(i, j) - place(k, l)).norm();
            let particles = vec![ParticleId(i * n + j), ParticleId(k * n + l)];
            (k < n && l < n).then_some(Bond { kind: BondKind::Distance { rest }, particles, compliance })
        })
    });
    Scene {
        name: format!("cloth of {n} × {n}"),
        gravity: Vec3::new(0.0, -9.81, 0.0),
        time: TimeSpan { dt: 1.0 / 60.0, duration: 1.0 },
        bonds: bonds.collect(),
        particles,
        ..Scene::default()
    }
}
