//! Tetrahedra of ten particles: right for constant strain, and not too stiff for bending, twisting and nearly constant volume.

use crate::strands::xpbd;
use nalgebra::{DMatrix, DVector};
use rigor_file::{Files, LoadOptions, load};
use rigor_math::{Mat3, Vec3, elementary};
use rigor_scene::{Clock, FlawKind, Method, Run, Scene, State, energy};
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

/// Where a whole block is stretched and sheared, nothing pulls what lies inside, whatever the element: the patch test.
#[test]
fn a_constant_strain_pulls_nothing_inside() {
    let f = Mat3::new(1.03, 0.02, -0.01, 0.0, 0.96, 0.015, 0.01, 0.0, 1.02);
    let faces = "pinned = [\"x_min\", \"x_max\", \"y_min\", \"y_max\", \"z_min\", \"z_max\"]";
    for law in ["neo_hookean", "st_venant_kirchhoff"] {
        for element in ["linear", "quadratic"] {
            let more = format!("element = \"{element}\"\nlaw = \"{law}\"\n{faces}");
            let scene = block([1.0, 0.8, 1.2], [2, 2, 2], &more);
            let mut state = State::initial(&scene);
            state.particles.iter_mut().for_each(|p| p.position = f * p.position);
            let force = |i: usize, axis: usize| {
                let h = 1e-5;
                let at = |shift: f64| {
                    let mut moved = state.clone();
                    moved.particles[i].position[axis] += shift;
                    energy::elastic::energy(&scene, &moved)
                };
                ((at(h) - at(-h)) / (2.0 * h)).abs()
            };
            let largest = |is_pinned: bool| {
                let those =
                    (0..scene.particles.len()).filter(|i| scene.particles[*i].is_pinned() == is_pinned);
                those.flat_map(|i| [0, 1, 2].map(|axis| force(i, axis))).fold(0.0, f64::max)
            };
            let (inside, outside) = (largest(false), largest(true));
            assert!(inside < 1e-6 * outside, "{law} {element}: {inside:e} of {outside:e} N");
        }
    }
}

/// The stiffness (N/m) of all coordinates at rest: second differences of the energy.
fn stiffness(scene: &Scene) -> DMatrix<f64> {
    let n = 3 * scene.particles.len();
    let mut stiffness = DMatrix::zeros(n, n);
    let mut state = State::initial(scene);
    let h = 1e-4;
    for bond in &scene.bonds {
        let coordinates: Vec<usize> =
            bond.particles.iter().flat_map(|id| (0..3).map(|axis| 3 * id.0 + axis)).collect();
        for &i in &coordinates {
            for &j in &coordinates {
                let mut at = |one: f64, other: f64| {
                    for (k, by) in [(i, one), (j, other)] {
                        state.particles[k / 3].position[k % 3] += by;
                    }
                    let energy = energy::elastic::of_bond(scene, &state, bond);
                    for (k, by) in [(i, one), (j, other)] {
                        state.particles[k / 3].position[k % 3] -= by;
                    }
                    energy
                };
                stiffness[(i, j)] += (at(h, h) - at(h, -h) - at(-h, h) + at(-h, -h)) / (4.0 * h * h);
            }
        }
    }
    stiffness
}

/// The displacements (m) of a block under `force` (N) on each particle, with pinned particles at these displacements.
fn displaced(
    scene: &Scene,
    force: impl Fn(usize) -> Vec3,
    pinned: impl Fn(usize) -> Vec3,
) -> (Vec<Vec3>, f64) {
    let whole = stiffness(scene);
    let n = scene.particles.len();
    let mut u = DVector::zeros(3 * n);
    let mut free = Vec::new();
    for i in 0..n {
        for axis in 0..3 {
            if scene.particles[i].is_pinned() {
                u[3 * i + axis] = pinned(i)[axis];
            } else {
                free.push(3 * i + axis);
            }
        }
    }
    let held = &whole * &u;
    let k = DMatrix::from_fn(free.len(), free.len(), |i, j| whole[(free[i], free[j])]);
    let right = DVector::from_fn(free.len(), |i, _| force(free[i] / 3)[free[i] % 3] - held[free[i]]);
    let solution = k.cholesky().expect("a stable block").solve(&right);
    for (i, value) in free.iter().zip(solution.iter()) {
        u[*i] = *value;
    }
    let stored = 0.5 * u.dot(&(&whole * &u));
    ((0..n).map(|i| Vec3::new(u[3 * i], u[3 * i + 1], u[3 * i + 2])).collect(), stored)
}

/// The displacement of the end of a beam of 1 m × 0.2 m × 0.2 m under its own weight, over that of Timoshenko's theory.
fn deflection(law: &str, element: &str, poisson: f64, across: u32) -> f64 {
    let more = format!("element = \"{element}\"\nlaw = \"{law}\"\npoisson = {poisson}\npinned = [\"x_min\"]");
    let scene = block([1.0, 0.2, 0.2], [5 * across, across, across], &more);
    let weight = |i: usize| Vec3::y() * -scene.particles[i].mass;
    let (found, _) = displaced(&scene, weight, |_| Vec3::zeros());
    let is_end = |i: &usize| scene.particles[*i].position.x > 0.499;
    let end: Vec<f64> = (0..found.len()).filter(is_end).map(|i| -found[i].y).collect();
    let down = end.iter().sum::<f64>() / end.len() as f64;
    let (area, second) = (0.04, 0.2 * 0.2 * 0.2 * 0.2 / 12.0);
    let shear = 1e6 / (2.0 * (1.0 + poisson));
    down / (100.0 * area / (8.0 * 1e6 * second) + 100.0 / (2.0 * 5.0 / 6.0 * shear))
}

#[test]
fn a_beam_of_one_quadratic_cell_bends_as_it_should() {
    for law in ["neo_hookean", "st_venant_kirchhoff"] {
        let found = deflection(law, "quadratic", 0.3, 1);
        assert!((0.93..1.0).contains(&found), "{law}: {found}");
        let locked = deflection(law, "linear", 0.3, 1);
        assert!(locked < 0.4, "{law}: {locked}");
    }
}

#[test]
fn a_nearly_incompressible_quadratic_beam_does_not_lock() {
    for law in ["neo_hookean", "st_venant_kirchhoff"] {
        let found = deflection(law, "quadratic", 0.49, 1);
        assert!((0.7..1.0).contains(&found), "{law}: {found}");
        assert!(deflection(law, "linear", 0.49, 1) < 0.3, "{law}");
    }
}

/// The stiffness of a bar of 1 m × 0.2 m × 0.2 m between two ends that are turned against each other, over that of Saint-Venant, μ J/L with
/// J = 0.1406 a⁴. Its ends cannot warp, which makes it stiffer.
#[test]
fn a_quadratic_bar_twists_as_it_should() {
    let twisted = |element: &str, across: u32| {
        let more = format!("element = \"{element}\"\npinned = [\"x_min\", \"x_max\"]");
        let scene = block([1.0, 0.2, 0.2], [5 * across, across, across], &more);
        let turned = |i: usize| {
            let x = scene.particles[i].position;
            if x.x > 0.0 { Vec3::x().cross(&x) } else { Vec3::zeros() }
        };
        let (_, stored) = displaced(&scene, |_| Vec3::zeros(), turned);
        stored / (0.5 * (1e6 / 2.6) * 0.1406 * 0.2 * 0.2 * 0.2 * 0.2)
    };
    let (linear, quadratic) = (twisted("linear", 1), twisted("quadratic", 1));
    assert!((1.0..1.25).contains(&quadratic) && linear > 3.0, "{quadratic} {linear}");
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

/// A block turned inside out is told. One that lands gently is not.
#[test]
fn a_block_turned_inside_out_is_told() {
    let told = |speed: f64| {
        let floor = "[[body]]\nname = \"floor\"\nrole = \"static\"\nposition = [0, -0.5, 0]\n[[body.shape]]\nbox = { size = [4, 0.5, 4] }";
        let more = format!("law = \"st_venant_kirchhoff\"\nvelocity = [0, -{speed}, 0]\n{floor}");
        let mut scene = block([0.4, 0.4, 0.4], [1, 1, 1], &more);
        scene.particles.iter_mut().for_each(|p| p.mass *= 100.0);
        let run = Run::record(&scene, &mut xpbd(Config::default()), 0.01, 40);
        run.reports.iter().flat_map(|report| &report.flaws).any(|flaw| flaw.kind == FlawKind::Inverted)
    };
    assert!(told(12.0) && !told(0.3));
}
