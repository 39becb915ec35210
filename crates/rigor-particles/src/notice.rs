//! Input of a scene that the method does not use as given.

use rigor_scene::{Notice, Scene};

use crate::config::{Config, Model};
use crate::population::{Population, Prepared};
use crate::restitution;

/// Lists shapes, masses, friction and restitution that differ from those of the scene.
pub(crate) fn notices(scene: &Scene, config: &Config) -> Vec<Notice> {
    let mut population = Population::default();
    if population.prepare(scene, config).is_err() {
        return Vec::new();
    }
    let mut all = shapes(scene, &population);
    all.extend(mass(scene, &population));
    all.extend(coefficients(scene, config));
    all
}

fn named(scene: &Scene, index: usize) -> String {
    format!("body {:?}", scene.bodies[index].name)
}

/// Every dynamic body is replaced by its particles, with the relative error of the volume of the first one.
fn shapes(scene: &Scene, population: &Population) -> Vec<Notice> {
    let filled = population.shapes.iter().enumerate().filter_map(|(i, prepared)| match prepared {
        Prepared::Particles(shape, _) => Some((i, shape)),
        Prepared::Triangles { .. } => None,
    });
    let mut names = filled.clone().map(|(i, _)| named(scene, i));
    let Some((i, shape)) = filled.clone().next() else { return Vec::new() };
    let error = 100.0 * (shape.volume() / scene.bodies[i].mesh.signed_volume() - 1.0);
    let instead = format!(
        "replaced by {} particles of diameter {:.3e} m, whose voxels have {error:+.1} % of its volume in addition",
        shape.centres.len(),
        shape.diameter
    );
    Notice::of_named("shape", &mut names, instead).into_iter().collect()
}

/// Masses and inertias that are those of the voxels.
fn mass(scene: &Scene, population: &Population) -> Option<Notice> {
    let mut of_voxels = population.shapes.iter().enumerate().filter_map(|(i, prepared)| match prepared {
        Prepared::Particles(_, Some(voxels)) => Some((i, *voxels)),
        _ => None,
    });
    let (first, voxels) = of_voxels.clone().next()?;
    let body = &scene.bodies[first];
    let percent = |found: f64, given: f64| 100.0 * (found / given - 1.0);
    let inertia = (0..3).map(|k| percent(voxels.moments[k], body.inertia[k]));
    let worst = inertia.fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
    let instead = format!(
        "replaced by the sum over its voxels: mass {:+.2} %, inertia up to {worst:+.2} %",
        percent(voxels.mass, body.mass)
    );
    Notice::of_all(
        "mass",
        "kg",
        of_voxels.by_ref().map(|(i, _)| (named(scene, i), scene.bodies[i].mass)),
        instead,
    )
}

fn coefficients(scene: &Scene, config: &Config) -> Vec<Notice> {
    let bodies = || scene.bodies.iter().enumerate();
    let mut all = Vec::new();
    if config.model == Model::Harada {
        let asked = bodies().map(|(i, b)| (named(scene, i), b.friction.static_)).filter(|(_, mu)| *mu > 0.0);
        let instead = "not used: model \"harada\" has a shear force in proportion to velocity";
        all.extend(Notice::of_all("friction", "1", asked, instead));
    }
    let asked = bodies().map(|(i, body)| (named(scene, i), body.restitution));
    if config.damping.is_some() {
        let instead = "not used: the setting damping replaces it";
        all.extend(Notice::of_all("restitution", "1", asked.filter(|(_, e)| *e > 0.0), instead));
    } else {
        let smallest = restitution::smallest(config.model);
        let instead = format!("at least {smallest:.2}, because contacts are springs with dampers");
        all.extend(Notice::of_all("restitution", "1", asked.filter(|(_, e)| *e < smallest), instead));
    }
    all
}
