//! Tetrahedra of ten particles: right for constant strain, and not too stiff for bending, twisting and nearly constant volume.

use crate::strands::record;
use rigor_file::{Files, LoadOptions, load};
use rigor_math::{Mat3, Vec3, elementary};
use rigor_scene::{Clock, Method, Scene, State, energy};
use rigor_xpbd::{Config, Xpbd};
use std::path::Path;

struct Text(String);

impl Files for Text {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.clone().into_bytes())
    }
}

/// A soft block of `size` (m) and `cells`, of 1 MPa, with these further lines.
fn block(size: [f64; 3], cells: [u32; 3], more: &str) -> Scene {
    let text = format!(
        "format = 1\nname = \"block\"\ngravity = [0, 0, 0]\n[time]\ndt = 0.01\nduration = 1\n[[soft]]\nname = \"block\"\n\
         size = {size:?}\ncells = {cells:?}\ndensity = 100\nyoung = 1e6\n{more}\n"
    );
    load(Path::new("block.toml"), &Text(text), &LoadOptions::default()).expect("a valid scene").scene
}

/// Long steps settle a scene; returns the positions.
fn settle(scene: &Scene, dt: f64, steps: u64, iterations: u32) -> Vec<Vec3> {
    let config = Config { substeps: 1, iterations, ..Config::default() };
    let run = record(scene, config, dt, steps);
    let last = run.trajectory.frames.last().expect("a frame");
    last.particles.iter().map(|p| p.position).collect()
}

/// Where the surface is stretched and sheared as a whole, so is what lies inside, whatever the element: the patch test.
#[test]
fn a_constant_strain_inside_follows_from_one_at_the_surface() {
    let f = Mat3::new(1.03, 0.02, -0.01, 0.0, 0.96, 0.015, 0.01, 0.0, 1.02);
    for law in ["neo_hookean", "st_venant_kirchhoff"] {
        for element in ["linear", "quadratic"] {
            let faces = "pinned = [\"x_min\", \"x_max\", \"y_min\", \"y_max\", \"z_min\", \"z_max\"]";
            let more = format!("element = \"{element}\"\nlaw = \"{law}\"\n{faces}");
            let mut scene = block([1.0, 0.8, 1.2], [2, 2, 2], &more);
            let rest: Vec<Vec3> = scene.particles.iter().map(|p| p.position).collect();
            for particle in scene.particles.iter_mut().filter(|p| p.is_pinned()) {
                particle.position = f * particle.position;
            }
            let found = settle(&scene, 1.0, 10, 200);
            assert!(scene.particles.iter().any(|p| !p.is_pinned()));
            for (x, rest) in found.iter().zip(&rest) {
                let error = (x - f * rest).norm();
                assert!(error < 1e-9, "{law} {element}: {error:e}");
            }
        }
    }
}

/// The displacement of the end of a beam of 1 m × 0.2 m × 0.2 m with one cell across, over that of Timoshenko under its own weight.
fn deflection(law: &str, element: &str, poisson: f64, cells: u32) -> f64 {
    let more = format!("element = \"{element}\"\nlaw = \"{law}\"\npoisson = {poisson}\npinned = [\"x_min\"]");
    let scene = block([1.0, 0.2, 0.2], [5 * cells, cells, cells], &more);
    // Small: 0.4 % of the length.
    let scene = Scene { gravity: Vec3::new(0.0, -1.0, 0.0), ..scene };
    let found = settle(&scene, 0.2, 40, 200);
    let tip: Vec<f64> = found.iter().filter(|x| x.x > 0.499).map(|x| x.y).collect();
    let down = -tip.iter().sum::<f64>() / tip.len() as f64;
    let (area, second) = (0.04, 0.2_f64.powi(4) / 12.0);
    let shear = 1e6 / (2.0 * (1.0 + poisson));
    down / (100.0 * area / (8.0 * 1e6 * second) + 100.0 / (2.0 * 5.0 / 6.0 * shear))
}

#[test]
fn a_beam_of_one_quadratic_cell_bends_as_it_should() {
    for law in ["neo_hookean", "st_venant_kirchhoff"] {
        let found = deflection(law, "quadratic", 0.3, 1);
        assert!((0.93..1.02).contains(&found), "{law}: {found}");
        assert!(deflection(law, "linear", 0.3, 1) < 0.4, "{law}");
    }
}

#[test]
fn a_nearly_incompressible_quadratic_beam_does_not_lock() {
    let found = deflection("neo_hookean", "quadratic", 0.49, 1);
    assert!((0.85..1.02).contains(&found), "{found}");
}

/// The energy that the scene and the method find agree, and turning a block stores none.
#[test]
fn the_energy_of_a_scene_is_that_of_the_method() {
    for law in ["neo_hookean", "st_venant_kirchhoff"] {
        let scene = block([1.0, 0.8, 1.2], [1, 1, 1], &format!("element = \"quadratic\"\nlaw = \"{law}\""));
        let mut state = State::initial(&scene);
        for (k, particle) in state.particles.iter_mut().enumerate() {
            particle.position += 0.02 * Vec3::repeat(elementary::sin(k as f64));
        }
        let mut still = state.clone();
        let report = Xpbd::new(Config::default(), Clock::default())
            .expect("valid settings")
            .step(&scene, &mut still, 1e-9)
            .expect("a step");
        let found = report.quantities.iter().find(|q| q.name == "elastic_energy").expect("an energy").value;
        let expected = energy::elastic::energy(&scene, &state);
        assert!(expected > 1.0 && (found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
        let quarter = Mat3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
        let mut turned = State::initial(&scene);
        turned.particles.iter_mut().for_each(|p| p.position = quarter * p.position);
        assert!(energy::elastic::energy(&scene, &turned).abs() < 1e-8);
    }
}
