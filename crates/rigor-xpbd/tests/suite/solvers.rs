//! Five ways of sweeping the same bonds.

use crate::strands::{bond, chain, distance, pinned, record, xpbd};
use rigor_math::Vec3;
use rigor_scene::{Bond, BondKind, Method, Particle, Run, Scene, State};
use rigor_xpbd::{Config, Order, Solver};

const SOLVERS: [Solver; 5] =
    [Solver::GaussSeidel, Solver::Symmetric, Solver::Coloured, Solver::Jacobi, Solver::RedBlack];

/// n × n particles 0.1 m apart, held at two corners, with edges, diagonals and folds.
fn cloth(n: usize, compliance: f64) -> Scene {
    let at = |i: usize, j: usize| i * n + j;
    let place = |k: usize| Vec3::new(0.1 * (k / n) as f64, 0.0, 0.1 * (k % n) as f64);
    let mut particles: Vec<Particle> = (0..n * n).map(|k| Particle::new(0.01, place(k))).collect();
    for corner in [at(0, 0), at(0, n - 1)] {
        particles[corner] = pinned(place(corner));
    }
    let mut bonds: Vec<Bond> = Vec::new();
    let mut tie = |a: usize, b: usize| bonds.push(distance(a, b, (place(a) - place(b)).norm(), compliance));
    for i in 0..n {
        for j in 0..n - 1 {
            tie(at(i, j), at(i, j + 1));
            tie(at(j, i), at(j + 1, i));
        }
    }
    for i in 0..n - 1 {
        for j in 0..n - 1 {
            tie(at(i, j), at(i + 1, j + 1));
            tie(at(i, j + 1), at(i + 1, j));
        }
    }
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            let fold = [at(i, j), at(i + 1, j + 1), at(i, j + 1), at(i + 1, j)];
            bonds.push(bond(BondKind::Bending { rest: 0.0 }, &fold, 1.0));
        }
    }
    Scene { gravity: Vec3::new(0.0, -10.0, 0.0), particles, bonds, ..Scene::default() }
}

fn config(solver: Solver, iterations: u32) -> Config {
    Config { substeps: 1, iterations, solver, ..Config::default() }
}

/// Maximum distance (m) between the particles of two states.
fn apart(a: &State, b: &State) -> f64 {
    a.particles.iter().zip(&b.particles).map(|(p, q)| (p.position - q.position).norm()).fold(0.0, f64::max)
}

#[test]
fn every_solver_ends_in_the_same_state() {
    let scene = chain(8, 1e-3);
    let settled = |solver| record(&scene, config(solver, 2000), 1e-2, 20);
    let reference = settled(Solver::GaussSeidel);
    for solver in SOLVERS {
        let distance = apart(settled(solver).last(), reference.last());
        assert!(distance < 1e-9, "{solver:?}: {distance} m from Gauss–Seidel");
    }
}

/// Distance (m) after ten steps of a chain between two pins, in the given order, in the opposite one and in
/// random ones.
#[test]
fn order_matters_to_gauss_seidel_and_neither_to_jacobi_nor_to_alternating_edges() {
    let mut scene = chain(21, 1e-6);
    for (i, particle) in scene.particles.iter_mut().enumerate() {
        particle.position = Vec3::new(i as f64, 0.0, 0.0);
    }
    scene.particles[20].mass = f64::INFINITY;
    let spread = |solver: Solver, iterations: u32| {
        let step = |order: Order| record(&scene, Config { order, ..config(solver, iterations) }, 1e-2, 10);
        let given = step(Order::Given);
        let others = [Order::Reversed, Order::Shuffled(1), Order::Shuffled(2)]
            .map(|order| apart(step(order).last(), given.last()));
        others.into_iter().fold(0.0, f64::max)
    };
    let [given, symmetric, coloured, jacobi, red_black] = SOLVERS.map(|solver| spread(solver, 10));
    println!(
        "Gauss–Seidel {given:e}, symmetric {symmetric:e}, coloured {coloured:e}, Jacobi {jacobi:e}, red–black {red_black:e} m"
    );
    assert!(jacobi < 1e-14 && red_black == 0.0, "Jacobi: {jacobi}, red–black: {red_black}");
    for (solver, spread) in [("given", given), ("symmetric", symmetric), ("coloured", coloured)] {
        assert!((1e-5..1e-3).contains(&spread), "{solver}: {spread}");
    }
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let scene = cloth(40, 1e-6);
    let run = |solver: Solver, threads: usize| -> Run {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| record(&scene, config(solver, 5), 1e-2, 10))
    };
    for solver in SOLVERS {
        let (one, four) = (run(solver, 1), run(solver, 4));
        assert!(one.trajectory == four.trajectory, "{solver:?}");
    }
}

#[test]
fn colours_are_few_and_two_are_enough_for_a_strand() {
    let colours = |scene: &Scene, solver: Solver| {
        record(scene, config(solver, 1), 1e-2, 1).reports[0].quantity("colours").unwrap()
    };
    assert_eq!(colours(&chain(100, 0.0), Solver::RedBlack), 2.0);
    assert_eq!(colours(&chain(100, 0.0), Solver::GaussSeidel), 0.0);
    // Eight edges meet at a particle, as do the four corners of up to four folds.
    let cloth = colours(&cloth(20, 0.0), Solver::Coloured);
    assert!((12.0..=20.0).contains(&cloth), "{cloth}");
}

/// Even edges come first, whatever the order in which the edges of a strand are listed.
#[test]
fn strand_with_alternating_edges_does_not_know_their_order() {
    let mut scene = chain(50, 1e-6);
    let given = record(&scene, config(Solver::RedBlack, 5), 1e-2, 20);
    for seed in 0..5 {
        let order = Order::Shuffled(seed);
        let shuffled = record(&scene, Config { order, ..config(Solver::RedBlack, 5) }, 1e-2, 20);
        assert_eq!(apart(given.last(), shuffled.last()), 0.0, "seed {seed}");
    }
    scene.bonds.reverse();
    assert_eq!(apart(given.last(), record(&scene, config(Solver::RedBlack, 5), 1e-2, 20).last()), 0.0);
}

/// Without averaging, Jacobi needs a smaller relaxation: half for a chain, whose particles have two bonds
/// each.
#[test]
fn jacobi_needs_averaging_or_a_small_relaxation() {
    let scene = chain(10, 0.0);
    let error = |averaging: bool, relaxation: f64| {
        let config = Config { averaging, relaxation, ..config(Solver::Jacobi, 200) };
        let run = record(&scene, config, 1e-2, 50);
        run.reports.last().and_then(|r| r.quantity("bond_error")).unwrap_or(f64::INFINITY)
    };
    let [averaged, over, damped, plain] =
        [(true, 1.0), (true, 1.9), (false, 0.5), (false, 1.1)].map(|(a, r)| error(a, r));
    println!("averaged {averaged:e}, over-relaxed {over:e}, damped {damped:e}, neither {plain:e}");
    assert!(averaged < 1e-2 && over < averaged && damped < 1e-2, "{averaged}, {over}, {damped}");
    assert!(plain > 0.1, "{plain}");
}

#[test]
fn a_changed_scene_is_looked_at_anew() {
    let mut scene = chain(3, 0.0);
    let mut method = xpbd(config(Solver::Coloured, 50));
    let step = |method: &mut rigor_xpbd::Xpbd, scene: &Scene| {
        let mut state = State::initial(scene);
        method.step(scene, &mut state, 1e-3).unwrap();
        state
    };
    step(&mut method, &scene);
    scene.bonds[0].kind = BondKind::Distance { rest: 1.2 };
    scene.particles[2].mass = f64::INFINITY;
    let fresh = step(&mut xpbd(config(Solver::Coloured, 50)), &scene);
    assert_eq!(step(&mut method, &scene), fresh);
}
