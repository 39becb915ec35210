//! A torus as particles: the error of its shape for several diameters.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use rigor_particles::{Fidelity, Lattice, ParticleShape};
use rigor_shapes::Torus;

fn main() -> Result<(), Box<dyn Error>> {
    let torus = Torus { major_radius: 0.5, minor_radius: 0.2, segments: 64, sides: 32 }.mesh()?;
    println!("diameter [m]   particles   volume [%]   inertia [%]   distance [m]");
    for diameter in [0.2, 0.1, 0.05, 0.025] {
        let shape = ParticleShape::fill(&torus, diameter, Lattice::Cubic, 1_000_000)?;
        let found = Fidelity::measure(&torus, &shape);
        let (volume, inertia) = (100.0 * found.volume, 100.0 * found.inertia);
        let n = shape.centres.len();
        println!("{diameter:12}   {n:9}   {volume:10.2}   {inertia:11.2}   {:12.4}", found.distance());
    }
    Ok(())
}
