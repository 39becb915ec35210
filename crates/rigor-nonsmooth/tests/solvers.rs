//! Solvers on random problems, judged by a residual of their own.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use rigor_nonsmooth::solver::{
    self, AcceleratedGradient, Admm, GaussSeidel, Goal, InteriorPoint, Lemke, Newton, Outcome,
    RegularisedNewton, Relay, Solver,
};
use rigor_nonsmooth::{Cone, Delassus, GlobalProblem, Law, Mat3, Problem, ProblemError, Vec3};

/// Numbers in [−1, 1) from a seed (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as f64 / 2f64.powi(63) - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

/// A pile: bodies of six velocities in a row, each on four contacts with the one before (the first one with the ground), and each third
/// pair joined at a point. Normals and levers are random, so that W has a rank of at most 6 n for 12 n rows and more.
fn pile(n: usize, mu: f64, mass_ratio: f64, seed: u64) -> GlobalProblem {
    let mut random = Random(seed);
    let (mut directions, mut cones, mut w) = (Vec::new(), Vec::new(), Vec::new());
    let mut contact = |random: &mut Random, below: Option<usize>, body: usize, cone: Cone| {
        let normal = (Vec3::x() + 0.3 * random.vector()).normalize();
        let first = normal.cross(&Vec3::z()).normalize();
        let block = w.len();
        let lever = 0.5 * random.vector();
        for (a, axis) in [normal, first, normal.cross(&first)].iter().enumerate() {
            let bodies = [(Some(body), 1.0), (below, -1.0)];
            for (body, sign) in bodies.into_iter().filter_map(|(body, sign)| Some((body?, sign))) {
                let arm = lever + Vec3::x() * sign;
                let turn = arm.cross(axis);
                for k in 0..3 {
                    directions.push((6 * body + k, 3 * block + a, sign * axis[k]));
                    directions.push((6 * body + 3 + k, 3 * block + a, sign * turn[k]));
                }
            }
        }
        cones.push(cone);
        w.push(Vec3::zeros());
    };
    for body in 0..n {
        let below = body.checked_sub(1);
        for _ in 0..4 {
            contact(&mut random, below, body, Cone::Friction(mu));
        }
        if body % 3 == 2 {
            contact(&mut random, below, body, Cone::Whole);
        }
    }
    let mass = |i: usize| if (i / 6).is_multiple_of(2) { 1.0 } else { mass_ratio };
    let f = (0..6 * n).map(|i| mass(i) * (if i % 6 == 0 { -1.0 } else { 0.3 * random.next() })).collect();
    GlobalProblem { n: 6 * n, mass: (0..6 * n).map(|i| (i, i, mass(i))).collect(), directions, f, w, cones }
}

/// The residual of Coulomb's law from W as a full matrix, in the words of its definition.
fn residual(problem: &Problem, r: &[Vec3]) -> f64 {
    let n = problem.len();
    let (mut sum, mut q_sq) = (0.0, 0.0);
    let w = problem.delassus().dense();
    for i in 0..n {
        let mut u = problem.q()[i];
        for a in 0..3 {
            for j in 0..n {
                for b in 0..3 {
                    u[a] += w[(3 * i + a, 3 * j + b)] * r[j][b];
                }
            }
        }
        q_sq += problem.q()[i].norm_squared();
        let p = match problem.cones()[i] {
            Cone::Whole => r[i] - u,
            Cone::Friction(mu) => {
                let slip = (u.y * u.y + u.z * u.z).sqrt();
                let y = r[i] - u - Vec3::x() * mu * slip;
                let t = (y.y * y.y + y.z * y.z).sqrt();
                if t <= mu * y.x {
                    y
                } else if mu * t <= -y.x {
                    Vec3::zeros()
                } else {
                    let along = (y.x + mu * t) / (1.0 + mu * mu);
                    Vec3::new(along, mu * along * y.y / t, mu * along * y.z / t)
                }
            }
        };
        // A contact that closes counts in full.
        let closes = if problem.cones()[i].is_contact() { u.x.min(0.0) } else { 0.0 };
        sum += (r[i] - p).norm_squared().max(closes * closes);
    }
    sum.sqrt() / (1.0 + q_sq.sqrt())
}

fn from_rest(solver: &dyn Solver, problem: &Problem, law: Law, goal: &Goal) -> solver::Solution {
    solver.solve(problem, &law, &vec![Vec3::zeros(); problem.len()], goal)
}

fn norm(x: &[Vec3]) -> f64 {
    x.iter().map(Vec3::norm_squared).sum::<f64>().sqrt()
}

#[test]
fn every_solver_of_coulombs_law_solves_a_pile() {
    let problem = pile(5, 0.4, 1.0, 1).condense().unwrap();
    let solvers: [(&dyn Solver, f64); 7] = [
        (&GaussSeidel::default(), 1e-6),
        (&GaussSeidel { symmetric: true }, 1e-6),
        (&AcceleratedGradient, 1e-8),
        (&Admm::default(), 1e-8),
        (&Newton::default(), 1e-11),
        (&InteriorPoint::default(), 1e-11),
        (&Relay::default(), 1e-11),
    ];
    for (solver, tolerance) in solvers {
        let found = from_rest(solver, &problem, Law::Coulomb, &Goal { tolerance, ..Goal::default() });
        assert_eq!(found.outcome, Outcome::Solved, "{}: {:?}", solver.name(), found.history.last());
        assert!(residual(&problem, &found.r) <= 1.01 * tolerance, "{}", solver.name());
        // Friction and contact take energy.
        assert!(problem.energy(&found.r) < 0.0 && problem.gap(&found.r).abs() < 1e-4, "{}", solver.name());
    }
}

#[test]
fn laws_lift_what_slides_or_do_not() {
    // 1 kg slides at 1 m/s and falls at 1 m/s.
    let w = Delassus::new(1, vec![(0, 0, Mat3::identity())]);
    let problem = Problem::new(w, vec![Vec3::new(-1.0, 1.0, 0.0)], vec![Cone::Friction(0.5)]).unwrap();
    let goal = Goal { tolerance: 1e-12, ..Goal::default() };
    let exact = from_rest(&InteriorPoint::default(), &problem, Law::Coulomb, &goal);
    assert!((exact.r[0] - Vec3::new(1.0, -0.5, 0.0)).norm() < 1e-12, "{}", exact.r[0]);
    // The convex law: u = (μ s, s) with the slip s = 0.4, r = (1.2, −0.6).
    let convex = from_rest(&AcceleratedGradient, &problem, Law::Convex, &goal);
    assert!((convex.r[0] - Vec3::new(1.2, -0.6, 0.0)).norm() < 1e-10, "{}", convex.r[0]);
    // A pyramid of four corners along the axes does not see this direction as another.
    let pyramid = from_rest(&Lemke, &problem, Law::Pyramid { faces: 4 }, &goal);
    assert!((pyramid.r[0] - exact.r[0]).norm() < 1e-12, "{}", pyramid.r[0]);
    // Along a diagonal its friction has another direction and size.
    let turned = vec![Vec3::new(-1.0, 0.8, 0.6)];
    let problem = Problem::new(problem.delassus().clone(), turned, vec![Cone::Friction(0.5)]).unwrap();
    let pyramid = from_rest(&Lemke, &problem, Law::Pyramid { faces: 4 }, &goal);
    assert!((pyramid.r[0] - Vec3::new(1.0, -0.35, -0.15)).norm() < 1e-12, "{}", pyramid.r[0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Where the motion is unique, solvers agree on it: W r, though r is not unique.
    #[test]
    fn solvers_agree_on_the_motion_of_the_convex_law(n in 1usize..5, mu in 0.0f64..1.0, seed in any::<u64>()) {
        let problem = pile(n, mu, 1.0, seed).condense().unwrap();
        let goal = Goal { tolerance: 1e-9, iterations: 20_000, ..Goal::default() };
        let solvers: [&dyn Solver; 2] = [&AcceleratedGradient, &Admm::default()];
        let found = solvers.map(|solver| from_rest(solver, &problem, Law::Convex, &goal));
        prop_assume!(found.iter().all(|found| found.outcome == Outcome::Solved));
        let motions = found.map(|found| problem.velocities(&found.r));
        let off: Vec<Vec3> = motions[0].iter().zip(&motions[1]).map(|(a, b)| a - b).collect();
        prop_assert!(norm(&off) < 1e-3 * problem.q_norm(), "{}", norm(&off));
    }

    /// Pivots and sweeps end at the same pyramid.
    #[test]
    fn pivots_solve_pyramids(n in 1usize..3, mu in 0.0f64..0.8, faces in 3u32..9, seed in any::<u64>()) {
        let problem = pile(n, mu, 1.0, seed).condense().unwrap();
        let law = Law::Pyramid { faces };
        let pivots = from_rest(&Lemke, &problem, law, &Goal { tolerance: 1e-8, iterations: 5000, ..Goal::default() });
        prop_assert_eq!(pivots.outcome, Outcome::Solved, "{}", pivots.residual);
        // The law in words: the contact holds or opens, and friction is in the polygon and takes as much power as it can.
        let corner = |k: u32| (std::f64::consts::TAU * f64::from(k) / f64::from(faces)).sin_cos();
        let u = problem.velocities(&pivots.r);
        for ((r, u), cone) in pivots.r.iter().zip(&u).zip(problem.cones()).filter(|(_, cone)| cone.is_contact()) {
            prop_assert!(r.x >= -1e-7 && u.x >= -1e-7 && (r.x * u.x).abs() < 1e-6, "{r} {u}");
            let along = |k: u32, x: &Vec3| { let (sin, cos) = corner(k); cos * x.y + sin * x.z };
            let most = (0..faces).map(|k| -along(k, u)).fold(0.0, f64::max);
            prop_assert!((u.y * r.y + u.z * r.z + cone.friction() * r.x * most).abs() < 1e-6, "{r} {u}");
            prop_assert!(r.y.hypot(r.z) <= cone.friction() * r.x + 1e-7);
        }
    }

    /// Soft contacts: Newton's method and splitting find the same impulses, which are unique.
    #[test]
    fn soft_contacts_have_one_solution(n in 1usize..4, mu in 0.0f64..1.0, seed in any::<u64>()) {
        let problem = pile(n, mu, 1.0, seed).condense().unwrap();
        let law = Law::Regularised { compliance: 0.05 };
        let goal = Goal { tolerance: 1e-10, iterations: 5000, ..Goal::default() };
        let [newton, splitting] = [&RegularisedNewton as &dyn Solver, &Admm::default()].map(|solver| {
            let found = from_rest(solver, &problem, law, &goal);
            assert_eq!(found.outcome, Outcome::Solved, "{} {}", solver.name(), found.residual);
            found.r
        });
        let off: Vec<Vec3> = newton.iter().zip(&splitting).map(|(a, b)| a - b).collect();
        prop_assert!(norm(&off) < 1e-6 * (1.0 + norm(&newton)), "{}", norm(&off));
    }
}

/// 200 piles with joints, μ from 0 to 1, and masses up to 100 times each other. At most 6 are not solved, and they say so.
#[test]
fn the_default_solves_random_piles() {
    let mut random = Random(3);
    let mut unsolved = Vec::new();
    for seed in 0..200 {
        let n = 1 + seed as usize % 7;
        let mu = if seed % 5 == 0 { 0.0 } else { 0.5 * (1.0 + random.next()) };
        let mass = 100f64.powf(random.next());
        let problem = pile(n, mu, mass, seed).condense().unwrap();
        let goal = Goal { tolerance: 1e-9, iterations: 10_000, ..Goal::default() };
        let found = from_rest(&Relay::default(), &problem, Law::Coulomb, &goal);
        let own = residual(&problem, &found.r);
        assert!((own - found.residual).abs() <= 1e-2 * found.residual + 1e-13, "{own} {}", found.residual);
        if found.outcome == Outcome::Solved {
            assert!(found.residual <= 1e-9);
            assert!(problem.energy(&found.r) <= 1e-9 * problem.q_norm());
        } else {
            assert_eq!(found.outcome, Outcome::Spent);
            unsolved.push((seed, n, mu, mass, found.residual));
        }
    }
    assert!(unsolved.len() <= 6, "{unsolved:?}");
}

#[test]
fn a_problem_without_solution_is_told_and_ends() {
    // Two rows of one joint that contradict each other: W = [1 1; 1 1], q = (1, −1).
    // The other rows of both are independent.
    let ones =
        |a: usize, b: usize| Mat3::from_fn(|i, j| if i == j && (i == 0 || a == b) { 1.0 } else { 0.0 });
    let w = Delassus::new(2, (0..4).map(|k| (k / 2, k % 2, ones(k / 2, k % 2))).collect());
    let q = vec![Vec3::x(), -Vec3::x()];
    let joints = Problem::new(w.clone(), q.clone(), vec![Cone::Whole; 2]).unwrap();
    // Two contacts that close in on a body that nothing can move: W = [1 −1; −1 1].
    let press = w.map(|i, j, block| if i == j { *block } else { -block });
    let pressed = Problem::new(press, vec![-Vec3::x(); 2], vec![Cone::Friction(0.3); 2]).unwrap();
    for (problem, what) in [(&joints, "joints"), (&pressed, "press")] {
        for solver in solver::all() {
            let law = if solver.knows(&Law::Coulomb) { Law::Coulomb } else { Law::Pyramid { faces: 4 } };
            if !solver.knows(&law) {
                continue;
            }
            let found = from_rest(
                &*solver,
                problem,
                law,
                &Goal { tolerance: 1e-8, iterations: 2000, ..Goal::default() },
            );
            assert_ne!(found.outcome, Outcome::Solved, "{} {what}", solver.name());
            assert!(found.residual > 1e-3, "{} {what}", solver.name());
        }
        // The default says why.
        let found = from_rest(&Relay::default(), problem, Law::Coulomb, &Goal::default());
        assert!(matches!(found.outcome, Outcome::NoSolution { .. }), "{what} {:?}", found.outcome);
    }
}

#[test]
fn numbers_that_are_no_problem_are_refused() {
    let w = || Delassus::new(1, vec![(0, 0, Mat3::identity())]);
    let new = |w: Delassus, q: Vec3, mu: f64| Problem::new(w, vec![q], vec![Cone::Friction(mu)]).unwrap_err();
    assert!(matches!(new(w(), Vec3::zeros(), -0.1), ProblemError::Friction { contact: 0, mu: -0.1 }));
    assert!(matches!(new(w(), Vec3::repeat(f64::NAN), 0.1), ProblemError::NotFinite { what: "q", .. }));
    assert!(matches!(new(w(), Vec3::zeros(), f64::INFINITY), ProblemError::NotFinite { what: "μ", .. }));
    let broken = w().map(|_, _, block| block * f64::NAN);
    assert!(matches!(new(broken, Vec3::zeros(), 0.1), ProblemError::NotFinite { what: "W", .. }));
    let mut askew = Mat3::identity();
    askew[(0, 1)] = 0.5;
    assert!(matches!(
        new(Delassus::new(1, vec![(0, 0, askew)]), Vec3::zeros(), 0.1),
        ProblemError::Asymmetric { .. }
    ));
    let negative = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, -1.0));
    assert!(matches!(
        new(Delassus::new(1, vec![(0, 0, negative)]), Vec3::zeros(), 0.1),
        ProblemError::Indefinite { .. }
    ));
    // Three rows of which each pair is possible, but not all together.
    let off = -0.6;
    let together = Mat3::from_fn(|i, j| if i == j { 1.0 } else { off });
    assert!(matches!(
        new(Delassus::new(1, vec![(0, 0, together)]), Vec3::zeros(), 0.1),
        ProblemError::Indefinite { .. }
    ));
    assert!(matches!(new(w(), Vec3::x() * 1e200, 0.1), ProblemError::TooLarge { what: "q", .. }));
    assert!(matches!(
        Problem::new(w(), vec![], vec![]).unwrap_err(),
        ProblemError::Sizes { rows: 1, q: 0, cones: 0 }
    ));
}

/// One or two bodies between walls that move: many of these problems have no solution, and some have one beside a direction that nothing
/// resists: that of seed 191 for one.
#[test]
fn no_solver_says_that_there_is_no_solution_where_another_finds_it() {
    let mut random = Random(11);
    for seed in 0..200 {
        let mut global = pile(1 + seed as usize % 2, 0.3 + 0.3 * (1.0 + random.next()), 1.0, seed);
        for (k, w) in global.w.iter_mut().enumerate() {
            *w = random.vector();
            // Walls on the other side.
            if k % 2 == 1 {
                global
                    .directions
                    .iter_mut()
                    .filter(|(_, j, _)| j / 3 == k && j % 3 != 2)
                    .for_each(|entry| entry.2 = -entry.2);
            }
        }
        let problem = global.condense().unwrap();
        let goal = Goal { tolerance: 1e-8, iterations: 2000, ..Goal::default() };
        let solvers: [&dyn Solver; 5] = [
            &GaussSeidel::default(),
            &AcceleratedGradient,
            &Admm::default(),
            &Newton::default(),
            &InteriorPoint::default(),
        ];
        let outcomes = solvers.map(|solver| from_rest(solver, &problem, Law::Coulomb, &goal).outcome);
        let says_none = outcomes.iter().any(|outcome| matches!(outcome, Outcome::NoSolution { .. }));
        assert!(!(says_none && outcomes.contains(&Outcome::Solved)), "{seed}: {outcomes:?}");
    }
}

#[test]
fn soft_contacts_always_have_a_solution() {
    let press = Delassus::new(1, vec![(0, 0, Mat3::zeros())]);
    let problem = Problem::new(press, vec![-Vec3::x()], vec![Cone::Friction(0.5)]).unwrap();
    let law = Law::Regularised { compliance: 1e-9 };
    let found = from_rest(&RegularisedNewton, &problem, law, &Goal::default());
    assert!(!matches!(found.outcome, Outcome::NoSolution { .. }), "{:?}", found.outcome);
}

/// With much friction the natural map hides a contact that closes.
#[test]
fn much_friction_does_not_hide_that_bodies_approach() {
    for mu in [1e4, 1e8] {
        let w = Delassus::new(1, vec![(0, 0, Mat3::identity())]);
        let problem = Problem::new(w, vec![Vec3::new(-1.0, 1.0, 0.0)], vec![Cone::Friction(mu)]).unwrap();
        assert!(problem.residual(&[Vec3::zeros()]) > 0.1);
        let found = from_rest(&Relay::default(), &problem, Law::Coulomb, &Goal::default());
        assert_eq!(found.outcome, Outcome::Solved);
        assert!((found.r[0] - Vec3::new(1.0, -1.0, 0.0)).norm() < 1e-6, "{}", found.r[0]);
    }
}

/// Solvers that factorize leave a matrix that is too large alone, and a time limit ends the others.
#[test]
fn what_is_too_large_stalls_and_what_takes_too_long_ends() {
    let n = 6001;
    let blocks = (0..n).map(|i| (i, i, Mat3::identity())).collect();
    let q = vec![Vec3::new(-1.0, 1.0, 0.0); n];
    let problem = Problem::new(Delassus::new(n, blocks), q, vec![Cone::Friction(0.5); n]).unwrap();
    let solvers: [(&dyn Solver, Law); 5] = [
        (&Admm::default(), Law::Coulomb),
        (&Newton::default(), Law::Coulomb),
        (&InteriorPoint::default(), Law::Coulomb),
        (&RegularisedNewton, Law::Regularised { compliance: 0.1 }),
        (&Lemke, Law::Pyramid { faces: 4 }),
    ];
    for (solver, law) in solvers {
        let found = from_rest(solver, &problem, law, &Goal::default());
        assert_eq!((found.outcome, found.work.iterations), (Outcome::Stalled, 0), "{}", solver.name());
    }
    assert_eq!(
        from_rest(&Relay::default(), &problem, Law::Coulomb, &Goal::default()).outcome,
        Outcome::Solved
    );
    // A clock that is past the limit at its second look.
    static LOOKS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let clock = || f64::from(LOOKS.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
    let goal = Goal { seconds: 0.5, clock, ..Goal::default() };
    let found =
        from_rest(&GaussSeidel::default(), &pile(5, 0.4, 1.0, 1).condense().unwrap(), Law::Coulomb, &goal);
    assert_eq!((found.outcome, found.work.iterations), (Outcome::Spent, 0));
}

/// Without friction K is a ray, and nothing but 0 is in it where a contact opens: 0 · u_N is no reason to take it for closed.
#[test]
fn contacts_without_friction_that_open_are_solved() {
    let w = Delassus::new(2, vec![(0, 0, Mat3::identity()), (1, 1, 2.0 * Mat3::identity())]);
    let q = vec![Vec3::new(0.5, 0.1, -0.2), Vec3::new(-1.0, 0.3, 0.0)];
    let problem = Problem::new(w, q, vec![Cone::Friction(0.0); 2]).unwrap();
    let due = [Vec3::zeros(), Vec3::new(0.5, 0.0, 0.0)];
    for law in [Law::Coulomb, Law::Convex, Law::Pyramid { faces: 6 }] {
        assert!(problem.residual_of(&law, &due) < 1e-15, "{law:?}");
        for solver in solver::all().iter().filter(|solver| solver.knows(&law)) {
            let found = solver.solve(&problem, &law, &[Vec3::zeros(); 2], &Goal::default());
            let off = (0..2).map(|i| (found.r[i] - due[i]).norm()).fold(0.0, f64::max);
            assert!(off < 1e-7, "{} under {law:?}: {off}", solver.name());
        }
    }
    let soft = Law::Regularised { compliance: 0.1 };
    assert!(problem.residual_of(&soft, &[Vec3::zeros(), Vec3::x() / 2.1]) < 1e-15);
}

/// A sum of squares that is not a number, compared, counts as none: such impulses would pass for the solution.
#[test]
fn impulses_that_are_not_numbers_solve_nothing() {
    let w = Delassus::new(1, vec![(0, 0, Mat3::identity())]);
    let problem = Problem::new(w, vec![-Vec3::x()], vec![Cone::Friction(0.5)]).unwrap();
    for bad in [f64::NAN, f64::INFINITY] {
        let residual = problem.residual_of(&Law::Coulomb, &[Vec3::new(bad, f64::NAN, 0.0)]);
        assert_eq!(residual, f64::INFINITY);
    }
}
