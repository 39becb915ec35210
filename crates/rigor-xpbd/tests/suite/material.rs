//! Tetrahedra have Young's modulus E and Poisson's ratio ν of the scene, whatever their law.

use crate::strands::{pinned, record, xpbd};
use rigor_math::{Mat3, Vec3};
use rigor_scene::{Bond, BondKind, FlawKind, Law, Material, Method, Particle, ParticleId, Scene, State};
use rigor_shapes::lattice::Block;
use rigor_xpbd::Config;

const LAWS: [Law; 2] = [Law::NeoHookean, Law::StVenantKirchhoff];

/// Returns the tetrahedra of `law` between the points `x`.
fn bonds(x: &[Vec3], cells: &[[u32; 4]], law: Law, young: f64, poisson: f64) -> Vec<Bond> {
    let bond = |corners: &[u32; 4]| {
        let p = corners.map(|i| x[i as usize]);
        let d = Mat3::from_columns(&[p[1] - p[0], p[2] - p[0], p[3] - p[0]]);
        let kind = BondKind::Tetrahedron {
            material: Material::from_young(law, young, poisson),
            inverse_rest: d.try_inverse().expect("not flat"),
            volume: d.determinant() / 6.0,
        };
        Bond { kind, particles: corners.map(|i| ParticleId(i as usize)).to_vec(), compliance: 0.0 }
    };
    cells.iter().map(bond).collect()
}

/// Returns the angular frequency (rad/s) of a regular tetrahedron of four particles of 1 kg that is released
/// with the strain `e`: x(0) = (1 + e) X.
///
/// Its deformation F follows S F″ = −V ∂Ψ/∂F, S = Σ m X Xᵀ = 4 kg m² 1, V = 8/3 m³.
fn frequency(law: Law, poisson: f64, e: &Mat3, expected: f64) -> f64 {
    let rest = [[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]].map(Vec3::from);
    let particles = rest.map(|x| Particle::new(1.0, x + e * x)).to_vec();
    let scene = Scene {
        gravity: Vec3::zeros(),
        particles,
        bonds: bonds(&rest, &[[0, 1, 2, 3]], law, 100.0, poisson),
        ..Scene::default()
    };
    let dt = 0.02 / expected;
    let run = record(&scene, Config { substeps: 1, iterations: 20, ..Config::default() }, dt, 500);
    // The part of the motion along e.
    let along = |k: usize| {
        let at = &run.trajectory.frames[k].particles;
        rest.iter().zip(at).map(|(x, p)| (e * x).dot(&(p.position - x))).sum::<f64>()
    };
    let crossings: Vec<f64> = (1..=500)
        .filter(|&k| (along(k - 1) < 0.0) != (along(k) < 0.0))
        .map(|k| (k - 1) as f64 + along(k - 1) / (along(k - 1) - along(k)))
        .collect();
    std::f64::consts::TAU / ((crossings[2] - crossings[0]) * dt)
}

#[test]
fn a_tetrahedron_rings_with_its_bulk_and_shear_moduli() {
    for law in LAWS {
        for poisson in [-0.9_f64, -0.5, 0.0, 0.1, 0.2, 0.3, 0.45, 0.49] {
            let bulk = 100.0 / (3.0 * (1.0 - 2.0 * poisson));
            let mu = 100.0 / (2.0 * (1.0 + poisson));
            let breathing = Mat3::identity() * 1e-3;
            let shear = Mat3::from_diagonal(&Vec3::new(1e-3, -1e-3, 0.0));
            let modes = [(breathing, 3.0 * bulk), (shear, 2.0 * mu)];
            for (strain, modulus) in modes {
                // 4 kg m² F″ = −8/3 m³ · modulus · (F − 1)
                let expected = f64::sqrt(modulus * 2.0 / 3.0);
                let found = frequency(law, poisson, &strain, expected);
                let error = found / expected - 1.0;
                assert!(error.abs() < 5e-3, "{law:?}, ν = {poisson}: {found} instead of {expected} rad/s");
            }
        }
    }
}

/// A bar of 1 m × 0.1 m × 0.1 m along x, held at x = 0, under its own weight in the direction of x: its points at rest, its state in the end
/// after steps of `dt` (s), and whether the last of them had the flaw that it has not converged.
fn bar(law: Law, poisson: f64, dt: f64) -> (Vec<Vec3>, State, bool) {
    let block = Block { size: [1.0, 0.1, 0.1].into(), cells: [10, 1, 1] };
    let x: Vec<Vec3> = block.vertices().iter().map(|v| v + Vec3::x() * 0.5).collect();
    let mass = |i: usize| 1000.0 * block.volumes()[i];
    let particle = |(i, x): (usize, &Vec3)| {
        if x.x < 1e-9 { pinned(*x) } else { Particle::new(mass(i), *x) }
    };
    let scene = Scene {
        gravity: Vec3::x(),
        particles: x.iter().enumerate().map(particle).collect(),
        bonds: bonds(&x, &block.tetrahedra(), law, 1e6, poisson),
        ..Scene::default()
    };
    let mut method = xpbd(Config { substeps: 1, iterations: 20, ..Config::default() });
    let mut state = State::initial(&scene);
    let mut is_told = false;
    for _ in 0..400 {
        let report = method.step(&scene, &mut state, dt).expect("a valid scene");
        is_told = report.flaws.iter().any(|flaw| flaw.kind == FlawKind::Unconverged);
        // Drag, close to critical for the slowest mode, so that the bar comes to rest.
        state.particles.iter_mut().for_each(|p| p.velocity *= 1.0 - f64::min(100.0 * dt, 0.7));
    }
    (x, state, is_told)
}

#[test]
fn a_hanging_bar_stretches_and_contracts_as_its_moduli_say() {
    for law in LAWS {
        for poisson in [-0.4, 0.0, 0.1, 0.2, 0.3, 0.4] {
            let (x, state, is_told) = bar(law, poisson, 5e-4);
            assert!(!is_told);
            let moved = |i: usize| state.particles[i].position - x[i];
            let mean = |at: f64, of: &dyn Fn(usize) -> f64| {
                let section = (0..x.len()).filter(|i| (x[*i].x - at).abs() < 1e-9);
                section.map(of).sum::<f64>() / 4.0
            };
            let along = |at: f64| mean(at, &|i| moved(i).x);
            // ε(x) = ρ g (L − x)/E, and u its integral.
            let young = 1000.0 * 0.225 / (along(0.8) - along(0.3));
            let across = |at: f64| mean(at, &|i| 0.5 * (moved(i).y / x[i].y + moved(i).z / x[i].z));
            let strain = 1e3 * 0.5 / 1e6;
            let found = -0.5 * (across(0.4) + across(0.6)) / strain;
            assert!((young / 1e6 - 1.0).abs() < 0.004, "{law:?}, ν = {poisson}: E = {young} Pa");
            assert!((found - poisson).abs() < 0.003, "{law:?}, ν = {poisson}: ν = {found}");
        }
    }
}

/// Twenty sweeps of 20 ms leave the bar a third too soft, whatever its law.
#[test]
fn a_bar_that_is_too_soft_for_want_of_sweeps_is_told() {
    for law in LAWS {
        let (x, state, is_told) = bar(law, 0.3, 2e-2);
        let end = (0..x.len()).max_by(|i, j| x[*i].x.total_cmp(&x[*j].x)).expect("points");
        let stretch = state.particles[end].position.x - x[end].x;
        // ρ g L²/2E
        assert!(stretch > 1.3 * 1000.0 / 2e6, "{law:?}: {stretch} m");
        assert!(is_told, "{law:?}");
    }
}
