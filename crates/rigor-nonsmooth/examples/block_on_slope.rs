//! A block on a slope, held by four contacts: which friction holds it, and what each law makes of less.
#![allow(clippy::print_stdout, reason = "an example prints")]

use rigor_nonsmooth::solver::{AcceleratedGradient, Goal, Lemke, Outcome, Relay, Solver};
use rigor_nonsmooth::{Cone, GlobalProblem, Law, Vec3};

/// A cube of 1 kg and 1 m for a step of 10 ms on a slope of 1:2, at rest: v is (normal, down the slope, across, and the turns about them).
fn block(mu: f64) -> GlobalProblem {
    let (dt, normal, along) = (0.01, 9.81 / 1.25f64.sqrt(), 9.81 / 5f64.sqrt());
    let inertia = 1.0 / 6.0;
    let mass = [1.0, 1.0, 1.0, inertia, inertia, inertia];
    let mut directions = Vec::new();
    for contact in 0..4 {
        let corner = Vec3::new(-0.5, f64::from(contact % 2) - 0.5, f64::from(contact / 2) - 0.5);
        for axis in 0..3 {
            let direction = Vec3::ith(axis, 1.0);
            let turn = corner.cross(&direction);
            for k in 0..3 {
                directions.push((k, 3 * contact as usize + axis, direction[k]));
                directions.push((3 + k, 3 * contact as usize + axis, turn[k]));
            }
        }
    }
    GlobalProblem {
        n: 6,
        mass: (0..6).map(|i| (i, i, mass[i])).collect(),
        directions,
        f: vec![-normal * dt, along * dt, 0.0, 0.0, 0.0, 0.0],
        w: vec![Vec3::zeros(); 4],
        cones: vec![Cone::Friction(mu); 4],
    }
}

fn main() -> Result<(), rigor_nonsmooth::CondenseError> {
    let goal = Goal { tolerance: 1e-10, ..Goal::default() };
    println!("friction  law         slides at (mm/s)  lifts at (mm/s)");
    for mu in [0.6, 0.4] {
        let problem = block(mu).condense()?;
        let solvers: [(&dyn Solver, Law); 3] = [
            (&Relay::default(), Law::Coulomb),
            (&AcceleratedGradient, Law::Convex),
            (&Lemke, Law::Pyramid { faces: 4 }),
        ];
        for (solver, law) in solvers {
            let found = solver.solve(&problem, &law, &[Vec3::zeros(); 4], &goal);
            assert_eq!(found.outcome, Outcome::Solved, "{}", solver.name());
            let u: Vec3 = problem.velocities(&found.r).iter().sum::<Vec3>() / 4.0;
            println!(
                "{mu:<8}  {:<10}  {:16.3}  {:15.3}",
                law.name(),
                (1e3 * u.y).max(0.0),
                (1e3 * u.x).max(0.0)
            );
        }
    }
    Ok(())
}
