//! Fluids: what valid ones become, and the errors in invalid ones.

use rigor_math::Vec3;

use super::{load, refused};

const FLUID: &str = "[[fluid]]\nname = \"water\"\nspacing = 0.1\nsize = [0.4, 0.3, 0.2]\n";
const BODY: &str =
    "[[body]]\nname = \"cube\"\ndensity = 1\n[[body.shape]]\nbox = { size = [0.2, 0.1, 0.2] }\n";

#[test]
fn a_block_is_a_lattice_without_the_inside_of_bodies() {
    let scene = load(&format!("{FLUID}position = [1, 2, 3]\nviscosity = 0.5\n")).expect("it is valid").scene;
    assert_eq!(scene.particles.len(), 4 * 3 * 2);
    let fluid = &scene.fluids[0];
    assert_eq!((fluid.density, fluid.viscosity, fluid.particles.clone()), (1000.0, 0.5, 0..24));
    let mass: f64 = scene.particles.iter().map(|p| p.mass).sum();
    assert!((mass - 1000.0 * 0.4 * 0.3 * 0.2).abs() < 1e-9);
    let first = scene.particles[0].position;
    assert!((first - Vec3::new(0.85, 1.9, 2.95)).norm() < 1e-12, "{first}");
    assert!(scene.dry_particles().is_empty());
    let carved = load(&format!("{BODY}{FLUID}[[particle]]\nmass = 1\n")).expect("it is valid").scene;
    // The box holds the four middle columns of the middle layer.
    assert_eq!((carved.fluids[0].particles.clone(), carved.dry_particles().len()), (1..21, 1));
    assert_eq!(carved.particle_name(rigor_scene::ParticleId(3)), "particle 2 of \"water\"");
}

#[test]
fn invalid_fluids_are_refused_with_their_place() {
    let is_refused = |text: &str, key: &str, message: &str| {
        let (_, _, found_key, found) = refused(text);
        assert_eq!((found_key.as_str(), found.as_str()), (key, message), "{text}");
    };
    is_refused(
        &FLUID.replace("0.4", "0.45"),
        "fluid[0].size[0]",
        "expected a multiple of the spacing, such as 0.5, found 0.45",
    );
    is_refused(&FLUID.replace("0.1", "0"), "fluid[0].spacing", "expected a positive number, found 0.0");
    let second = FLUID.replace("water", "oil").replace("0.1", "0.05");
    is_refused(
        &format!("{FLUID}{second}"),
        "fluid[1].spacing",
        "expected 0.1, as of the first fluid, found 0.05",
    );
    let inside = BODY.replace("[0.2, 0.1, 0.2]", "[2, 2, 2]");
    is_refused(
        &format!("{inside}{FLUID}"),
        "fluid[0]",
        "no particle of this fluid lies outside of all bodies",
    );
    is_refused(
        &FLUID.replace("0.1", "1e-4"),
        "fluid[0]",
        "the scene would have 24000000000 particles: at most 100000 are allowed",
    );
}
