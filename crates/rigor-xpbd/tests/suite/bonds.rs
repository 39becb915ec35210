//! Bonds behave like springs, whatever the time step and the number of iterations.

use crate::strands::{bond, chain, distance, momenta, pinned, record, xpbd};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use rigor_math::finite_difference::Differences;
use rigor_math::{Mat3, Vec3, elementary};
use rigor_scene::{
    BondKind, Clock, Law, Material, Method, Outcome, Particle, ParticleState, Run, Scene, State,
};
use rigor_xpbd::{Config, Pbd, pbd};

/// One substep of one sweep per step.
const ONE_SWEEP: Config = Config { substeps: 1, iterations: 1, ..Config::DEFAULT };

/// \[Macklin2016\] fig. 3: x₀ = 1.5 m, α = 0.001 m/N, m = 1 kg; here on a spring of 1 m.
fn oscillator() -> Scene {
    let mut scene = chain(2, 1e-3);
    scene.gravity = Vec3::zeros();
    scene.particles[1].position = Vec3::new(0.0, -1.5, 0.0);
    scene
}

/// Elongations (m) after each step.
fn elongations(run: &Run) -> Vec<f64> {
    run.trajectory.frames.iter().map(|f| -f.particles[1].position.y - 1.0).collect()
}

#[test]
fn oscillator_is_implicit_euler_to_rounding_in_a_single_sweep() {
    let dt = 1.0 / 60.0;
    for iterations in [1, 7] {
        let run = record(&oscillator(), Config { iterations, ..ONE_SWEEP }, dt, 50);
        let (mut x, mut v) = (0.5, 0.0);
        for found in elongations(&run).into_iter().skip(1) {
            // x₁ = x + h v₁, v₁ = v − h x₁/(α m)
            v = (v - dt * x * 1e3) / (1.0 + dt * dt * 1e3);
            x += dt * v;
            assert!((found - x).abs() < 1e-13, "{found} instead of {x}");
        }
    }
}

#[test]
fn oscillator_approaches_the_analytic_curve_at_first_order() {
    let error = |substeps: u32| {
        let run = record(&oscillator(), Config { substeps, ..ONE_SWEEP }, 1e-2, 20);
        let omega = 1e3_f64.sqrt();
        let exact = |step: usize| 0.5 * elementary::cos(omega * 1e-2 * step as f64);
        elongations(&run).iter().enumerate().map(|(i, x)| (x - exact(i)).abs()).fold(0.0, f64::max)
    };
    let (coarse, fine) = (error(100), error(200));
    let order = elementary::ln(coarse / fine) / std::f64::consts::LN_2;
    assert!((0.9..1.1).contains(&order) && fine < 0.1, "errors {coarse} and {fine} m, order {order}");
}

/// The minimum of ‖x − s‖²_M/(2h²) + Σ C²/(2α) by Newton's method with the full Hessian: converged implicit
/// Euler.
fn implicit_euler(scene: &Scene, s: &DVector<f64>, h: f64) -> DVector<f64> {
    let mut x = s.clone();
    for _ in 0..100 {
        let (mut gradient, mut hessian) = (DVector::zeros(x.len()), DMatrix::zeros(x.len(), x.len()));
        for (i, p) in scene.particles.iter().enumerate() {
            let m = if p.is_pinned() { 1e30 } else { p.mass } / (h * h);
            for k in 3 * i..3 * i + 3 {
                gradient[k] += m * (x[k] - s[k]);
                hessian[(k, k)] += m;
            }
        }
        for bond in &scene.bonds {
            let BondKind::Distance { rest } = bond.kind else { unreachable!("chains only") };
            let [a, b] = [3 * bond.particles[0].0, 3 * bond.particles[1].0];
            let d: Vec3 = (x.fixed_rows::<3>(a) - x.fixed_rows::<3>(b)).into_owned();
            let (length, n) = (d.norm(), d.normalize());
            let c = length - rest;
            let along = n * n.transpose();
            let block: Mat3 = (along + (Mat3::identity() - along) * (c / length)) / bond.compliance;
            for (p, q, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                let mut view = hessian.fixed_view_mut::<3, 3>(p, q);
                view += block * sign;
            }
            for (p, sign) in [(a, 1.0), (b, -1.0)] {
                let mut rows = gradient.fixed_rows_mut::<3>(p);
                rows += n * (sign * c / bond.compliance);
            }
        }
        let step = hessian.lu().solve(&gradient).expect("a regular Hessian");
        x -= &step;
        if step.amax() < 1e-14 {
            return x;
        }
    }
    panic!("Newton's method does not converge");
}

/// Maximum distance (m) between a step of 200 sweeps and the converged step, over 20 steps of a chain of 4
/// that starts at `angle` (rad) from the vertical, α = 0.001 m/N.
fn against_newton(angle: f64, dt: f64, steps: usize) -> f64 {
    let mut scene = chain(4, 1e-3);
    let (sin, cos) = elementary::sin_cos(angle);
    for (i, particle) in scene.particles.iter_mut().enumerate() {
        particle.position = Vec3::new(sin, -cos, 0.0) * i as f64;
    }
    let mut method = xpbd(Config { iterations: 200, ..ONE_SWEEP });
    let mut state = State::initial(&scene);
    let mut worst = 0.0_f64;
    for _ in 0..steps {
        let before = state.clone();
        method.step(&scene, &mut state, dt).expect("a valid scene");
        let predicted = before.particles.iter().zip(&scene.particles).flat_map(|(s, p)| {
            let fall = if p.is_pinned() { Vec3::zeros() } else { dt * (s.velocity + dt * scene.gravity) };
            (s.position + fall).data.0[0]
        });
        let s = DVector::from_iterator(12, predicted);
        let exact = implicit_euler(&scene, &s, dt);
        let found = DVector::from_iterator(12, state.particles.iter().flat_map(|p| p.position.data.0[0]));
        worst = worst.max((found - exact).amax());
    }
    worst
}

#[test]
fn many_sweeps_are_a_converged_implicit_euler_step() {
    let hanging = against_newton(0.0, 1e-2, 20);
    assert!(hanging < 1e-12, "hanging chain: {hanging} m off");
    // A swinging chain differs by the neglected geometric stiffness, and by gradients of earlier sweeps.
    let (wide, narrow) = (against_newton(1.0, 1e-2, 20), against_newton(1.0, 5e-3, 40));
    println!("swinging chain: {wide:e} m a step at 10 ms, {narrow:e} m at 5 ms");
    assert!(wide < 1e-3 && narrow < wide / 4.0, "swinging chain: {wide} and {narrow} m a step");
}

/// Extension (m) of a spring of α = 0.01 m/N by one kilogram under 10 m/s².
fn sag(method: &mut dyn Method, dt: f64) -> f64 {
    let run = Run::record(&chain(2, 1e-2), method, dt, (60.0 / dt) as u64);
    *elongations(&run).last().expect("at least the first frame")
}

#[test]
fn stiffness_depends_on_neither_iterations_nor_step() {
    for iterations in [1, 2, 10, 100] {
        for dt in [1.0 / 120.0, 1.0 / 60.0, 1.0 / 30.0] {
            let found = sag(&mut xpbd(Config { iterations, ..ONE_SWEEP }), dt);
            assert!((found - 0.1).abs() < 1e-9, "{iterations} iterations, {dt} s: {found} m");
        }
    }
}

/// At rest the sweeps take back only the fall g h² of a step: C = r (C + g h²) with r = (1 − k′)ⁿ.
#[test]
fn stiffness_of_pbd_depends_on_the_step_and_without_correction_on_iterations() {
    for (iterations, correct_stiffness, left) in
        [(1, false, 0.9), (4, false, 0.6561), (1, true, 0.9), (4, true, 0.9)]
    {
        for dt in [1.0 / 60.0, 1.0 / 30.0] {
            let config =
                pbd::Config { stiffness: 0.1, iterations, correct_stiffness, ..pbd::Config::default() };
            let found = sag(&mut Pbd::new(config, Clock::default()).unwrap(), dt);
            let expected = left / (1.0 - left) * 10.0 * dt * dt;
            assert!(
                (found / expected - 1.0).abs() < 1e-6,
                "{iterations}, {dt}: {found} instead of {expected}"
            );
        }
    }
}

/// \[Macklin2016\] §6.1: 6, 2 and 0.5 % at 50, 100 and 1000 iterations.
#[test]
fn force_at_the_top_of_a_chain_is_its_weight() {
    let (dt, weight) = (1.0 / 60.0, 190.0);
    for (iterations, printed) in [(50, 0.06), (100, 0.02), (1000, 0.005)] {
        let scene = chain(20, 1e-8);
        let run = record(&scene, Config { iterations, ..ONE_SWEEP }, dt, 100);
        let momenta: Vec<f64> = run.trajectory.frames.iter().map(|f| momenta(&scene, f).0.y).collect();
        // The support supplies the momentum that gravity supplies and that does not become motion.
        let errors: Vec<f64> = momenta.windows(2).map(|p| ((p[1] - p[0]) / dt / weight).abs()).collect();
        let settled = errors[20..].iter().copied().fold(0.0, f64::max);
        println!(
            "{iterations} iterations: off by {:.3} % from step 20 on, {:.5} % at the end",
            100.0 * settled,
            100.0 * errors[99]
        );
        assert!(settled < printed, "{iterations} iterations: off by {settled}");
    }
}

/// One bond of every kind on four particles.
fn kinds() -> Vec<BondKind> {
    let rest = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    let solid = |law| BondKind::Tetrahedron {
        material: Material::from_young(law, 1e3, 0.3),
        inverse_rest: Mat3::identity(),
        volume: 1.0 / 6.0,
    };
    vec![
        BondKind::Distance { rest: 1.0 },
        BondKind::Bending { rest: 0.4 },
        BondKind::Volume { rest: 0.3 },
        solid(Law::NeoHookean),
        solid(Law::StVenantKirchhoff),
        BondKind::Shape { rest: rest.to_vec() },
    ]
}

fn with_bond(kind: &BondKind, particles: Vec<Particle>, compliance: f64) -> Scene {
    let members: &[usize] = if matches!(kind, BondKind::Distance { .. }) { &[0, 1] } else { &[0, 1, 2, 3] };
    Scene { bonds: vec![bond(kind.clone(), members, compliance)], particles, ..Scene::default() }
}

fn vector(reach: f64) -> impl Strategy<Value = Vec3> {
    [-reach..reach, -reach..reach, -reach..reach].prop_map(Vec3::from)
}

fn four() -> impl Strategy<Value = Vec<Particle>> {
    prop::collection::vec((0.1..10.0, vector(2.0)).prop_map(|(m, x)| Particle::new(m, x)), 4)
}

proptest! {
    /// From rest, the first projection uses the positions before the substep: both momenta stay 0.
    #[test]
    fn projection_makes_no_momentum(particles in four(), soft in any::<bool>()) {
        for kind in kinds() {
            let scene = with_bond(&kind, particles.clone(), if soft { 1e-4 } else { 0.0 });
            let run = record(&scene, ONE_SWEEP, 1e-2, 1);
            let state = run.last();
            let (linear, angular) = momenta(&scene, state);
            let moving: f64 = scene.particles.iter().zip(&state.particles).map(|(p, s)| p.mass * s.velocity.norm()).sum();
            // One rounding of each position, over the step.
            let rounding = 1e-14 * moving + 40.0 * 1e-15 * 2.0 / 1e-2;
            prop_assert!(linear.norm() < rounding, "{kind:?}: {linear} of {moving}");
            prop_assert!(angular.norm() < 10.0 * rounding, "{kind:?}: {angular} of {moving}");
        }
    }

    #[test]
    fn linear_momentum_is_kept_whatever_the_motion(particles in four(), v in prop::collection::vec(vector(5.0), 4)) {
        for kind in kinds() {
            let mut scene = with_bond(&kind, particles.clone(), 1e-4);
            scene.particles.iter_mut().zip(&v).for_each(|(p, v)| p.velocity = *v);
            let run = record(&scene, Config { iterations: 5, ..ONE_SWEEP }, 1e-2, 10);
            let [first, last] = [&run.trajectory.frames[0], run.last()].map(|s| momenta(&scene, s).0);
            prop_assert!((last - first).norm() < 1e-10 * (1.0 + first.norm()), "{kind:?}: {first} became {last}");
        }
    }

    /// \[Mueller2007\] §3.2: stability does not depend on the step.
    #[test]
    fn no_step_is_too_long(particles in four(), exponent in -3.0..0.0, iterations in 1_u32..10) {
        let dt = elementary::exp(exponent * std::f64::consts::LN_10);
        for kind in kinds() {
            let scene = with_bond(&kind, particles.clone(), 1e-3);
            let config = Config { iterations, ..ONE_SWEEP };
            let run = record(&scene, config.clone(), dt, 100);
            prop_assert_eq!(&run.outcome, &Outcome::Completed);
            let speed_sq = |s: &ParticleState, p: &Particle| 0.5 * p.mass * s.velocity.norm_squared();
            let energies: Vec<f64> = run.trajectory.frames.iter().skip(1).zip(&run.reports).map(|(f, r)| {
                let kinetic: f64 = f.particles.iter().zip(&scene.particles).map(|(s, p)| speed_sq(s, p)).sum();
                kinetic + r.quantity("elastic_energy").unwrap()
            }).collect();
            let largest = energies.iter().copied().fold(0.0, f64::max);
            let mut start = State::initial(&scene);
            let start = xpbd(ONE_SWEEP).step(&scene, &mut start, 1e-9).unwrap().quantity("elastic_energy").unwrap();
            // Linearised once per sweep, functions with more curvature than a length overshoot, and recover.
            let overshoot = match kind {
                BondKind::Distance { .. } | BondKind::Shape { .. } => 1.0,
                _ => 1e3,
            };
            prop_assert!(
                largest <= overshoot * (start + 1e-6),
                "{:?}, {} s, {} sweeps: {} J became {} J", kind, dt, iterations, start, largest
            );
        }
    }
}

/// Energy (J) of the bonds with particle `i` at `x`.
fn energy_at(scene: &Scene, state: &State, i: usize, x: Vec3) -> f64 {
    let mut moved = state.clone();
    moved.particles.iter_mut().for_each(|p| p.velocity = Vec3::zeros());
    moved.particles[i].position = x;
    let still = Scene {
        gravity: Vec3::zeros(),
        bonds: scene.bonds.clone(),
        particles: scene.particles.clone(),
        ..Scene::default()
    };
    let report = xpbd(ONE_SWEEP).step(&still, &mut moved, 1e-9).expect("a valid scene");
    report.quantity("elastic_energy").expect("reported in every step")
}

/// A bond with one free particle comes to rest where the gradient of its energy carries the weight. An angle
/// alone does not hold a particle.
#[test]
fn what_hangs_on_a_bond_is_carried_by_its_energy() {
    let corners = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    for (kind, g) in kinds().into_iter().zip([1.0, 1.0, 1.0, 30.0, 30.0, 1.0]) {
        // Nor does a shape that can rotate about two pinned particles.
        if matches!(kind, BondKind::Bending { .. } | BondKind::Shape { .. }) {
            continue;
        }
        let last = if matches!(kind, BondKind::Distance { .. }) { 1 } else { 3 };
        let mut particles: Vec<Particle> = corners.map(pinned).to_vec();
        particles[last].mass = 1.0;
        let compliance = if matches!(kind, BondKind::Volume { .. }) { 1e-4 } else { 1e-2 };
        let bonded = with_bond(&kind, particles, compliance);
        // Along a direction that the bond resists: the gradient of its energy when slightly bent.
        let down = if last == 1 { Vec3::x() } else { Vec3::z() };
        let scene = Scene { gravity: down * g, ..bonded };
        let run = record(&scene, Config { iterations: 20, ..ONE_SWEEP }, 5e-3, 20_000);
        let (state, x) = (run.last(), run.last().particles[last].position);
        let gradient = Differences::with_step(1e-3).gradient(|x| energy_at(&scene, state, last, *x), &x);
        let resisted = gradient.dot(&down);
        // Gradients of earlier sweeps carry part of the weight, which shrinks with h².
        assert!((resisted / g - 1.0).abs() < 1e-3, "{kind:?}: {gradient} against {g} N at {x}");
    }
}

#[test]
fn hostile_bonds_are_errors_or_do_nothing() {
    let two = || vec![pinned(Vec3::zeros()), Particle::new(1.0, Vec3::x())];
    let step = |scene: &Scene| xpbd(ONE_SWEEP).step(scene, &mut State::initial(scene), 1e-2);
    let with = |bonds| Scene { particles: two(), bonds, ..Scene::default() };
    for (bad, needle) in [
        (distance(0, 0, 1.0, 0.0), "different"),
        (distance(0, 2, 1.0, 0.0), "exist"),
        (distance(0, 1, f64::NAN, 0.0), "finite"),
        (distance(0, 1, 1.0, -1.0), "compliance"),
        (distance(0, 1, 1.0, f64::NAN), "compliance"),
        (bond(BondKind::Bending { rest: 0.0 }, &[0, 1], 0.0), "2 particles"),
        (bond(BondKind::Shape { rest: Vec::new() }, &[], 0.0), "0 particles"),
    ] {
        let error = step(&with(vec![bad.clone()])).unwrap_err().to_string();
        assert!(error.contains("bond 0") && error.contains(needle), "{bad:?}: {error}");
    }
    let scene = with(vec![distance(0, 1, 3.0, f64::INFINITY)]);
    let mut state = State::initial(&scene);
    xpbd(ONE_SWEEP).step(&scene, &mut state, 1e-2).unwrap();
    assert_eq!(state.particles[1].position, Vec3::x());
}
