//! Mass, centre of mass and principal moments of one mesh as a solid, and of its edges as a wire frame.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use rigor_geometry::{MassProperties, Mesh};
use rigor_math::Vec3;

fn main() -> Result<(), Box<dyn Error>> {
    // A corner cut off a cube of 1 m.
    let corners = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    let solid = Mesh::new(corners.clone(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], vec![])?;
    let frame = Mesh::new(corners, vec![], solid.edges().to_vec())?;
    println!(
        "the mesh is {}: {} edges, {:.4} m³",
        solid.surface(),
        solid.edges().len(),
        solid.signed_volume()
    );
    show("solid of 1000 kg/m³", &MassProperties::of(&solid, 1000.0)?);
    show("wires of 10 kg/m", &MassProperties::of(&frame, 10.0)?);
    Ok(())
}

fn show(name: &str, body: &MassProperties) {
    let (x, principal) = (body.center, body.principal());
    let [i, j, k]: [f64; 3] = principal.moments.into();
    println!("{name}: {:.2} kg, centre ({:.3}, {:.3}, {:.3}) m", body.mass, x.x, x.y, x.z);
    println!("  principal moments {i:.3}, {j:.3}, {k:.3} kg m²");
}
