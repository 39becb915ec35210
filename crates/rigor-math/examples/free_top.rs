//! A free top that spins about its middle axis tumbles, and its angular momentum does not change.
#![allow(clippy::print_stdout, reason = "an example prints")]

use rigor_math::{UnitQuaternion, Vec3, free_rotation, inertia};

fn main() {
    let moments = Vec3::new(1.0, 2.0, 3.0);
    let (mut q, mut omega) = (UnitQuaternion::identity(), Vec3::new(0.0, 5.0, 0.01));
    let momentum = inertia::angular_momentum(&moments, &q, &omega);
    let energy = |q: &_, omega: &_| inertia::kinetic_energy(0.0, &Vec3::zeros(), &moments, q, omega);
    let start = energy(&q, &omega);

    println!("  t [s]   middle axis · L/‖L‖   change of ‖L‖   change of energy");
    for step in 0..=10_000 {
        if step % 500 == 0 {
            let upright = (q * Vec3::y()).dot(&momentum.normalize());
            let drift = (inertia::angular_momentum(&moments, &q, &omega) - momentum).norm() / momentum.norm();
            let gain = energy(&q, &omega) / start - 1.0;
            println!("{:7.2}   {upright:19.6}   {drift:13.1e}   {gain:16.1e}", 1e-3 * f64::from(step));
        }
        (q, omega) = free_rotation::step(&q, &momentum, &moments, 1e-3);
    }
}
