//! Input of a scene that the method does not use as given.

use std::sync::Arc;

use rigor_geometry::{Aabb, Bvh, Mesh};
use rigor_math::Vec3;
use rigor_scene::{BodyId, Notice, Scene};

use crate::config::{Config, Model};
use crate::fluid::thickness;
use crate::population::{Population, Prepared};
use crate::{restitution, rolling};

/// Thickness of walls, in spacings of the fluid, from which they push it as they should.
const THICK: f64 = 3.0;
/// Slope on which a body rests because of its particles alone, from which that is told.
const UNEVEN: f64 = 0.02;
/// Deceleration of boxes without friction that slide over each other along their lattices, over g: measured
/// (`docs/methods/particles.md`, sliding over ridges).
const RIDGES: f64 = 0.3;
/// Overlaps at the start larger than this, in diameters of the particles, are told.
const OVERLAP: f64 = 0.02;

/// Lists shapes, masses, friction and restitution that differ from those of the scene.
pub(crate) fn notices(scene: &Scene, config: &Config) -> Vec<Notice> {
    let mut population = Population::default();
    if population.prepare(scene, config).is_err() {
        return Vec::new();
    }
    let mut all = shapes(scene, &population);
    all.extend(round(scene));
    all.extend(mass(scene, &population));
    all.extend(steps(scene, &population));
    all.extend(ridges(scene, &population));
    all.extend(overlaps(scene, &population));
    all.extend(thin_walls(scene));
    all.extend(coefficients(scene, config));
    all
}

fn named(scene: &Scene, index: usize) -> String {
    format!("body {:?}", scene.bodies[index].name)
}

/// Bodies with round parts, of which only the pictures are sampled.
fn round(scene: &Scene) -> Option<Notice> {
    let round = (0..scene.bodies.len()).filter(|&i| !scene.bodies[i].skeleton.is_plain());
    let instead = "its mesh is sampled, which is a picture of the round solid";
    Notice::of_named("round", round.map(|i| named(scene, i)), instead)
}

/// Bodies whose particles make them roll over steps, with the resistance of the worst one.
fn steps(scene: &Scene, population: &Population) -> Option<Notice> {
    let mut known: Option<(Arc<Mesh>, [f64; 2])> = None;
    let mut rough: Vec<(usize, [f64; 2])> = Vec::new();
    for (i, prepared) in population.shapes.iter().enumerate() {
        let body = &scene.bodies[i];
        let Prepared::Particles(shape, _) = prepared else { continue };
        if body.fixed.rotation == [true; 3] {
            continue;
        }
        let found = match known.filter(|(mesh, _)| Arc::ptr_eq(mesh, &body.mesh)) {
            Some((_, found)) => found,
            None => [
                rolling::resistance(&shape.centres, 0.5 * shape.diameter),
                rolling::resistance(body.mesh.vertices(), 0.0),
            ],
        };
        if found[0] > found[1] + UNEVEN {
            rough.push((i, found));
        }
        known = Some((body.mesh.clone(), found));
    }
    let worst =
        rough.iter().map(|(_, found)| found).max_by(|a, b| (a[0] - a[1]).total_cmp(&(b[0] - b[1])))?;
    let instead = format!(
        "over steps of its particles: it rests on slopes up to {:.3} in the mean, {:.3} with its own surface",
        worst[0], worst[1]
    );
    Notice::of_named("rolling", rough.iter().map(|(i, _)| named(scene, *i)), instead)
}

/// Bodies whose particles may slide over those of others, with what the ridges between these cost.
fn ridges(scene: &Scene, population: &Population) -> Option<Notice> {
    let filled: Vec<usize> = (0..scene.bodies.len())
        .filter(|&i| matches!(population.shapes[i], Prepared::Particles(..)))
        .collect();
    let may_meet =
        |(k, i): (usize, &usize)| filled[k + 1..].iter().any(|j| scene.can_collide(BodyId(*i), BodyId(*j)));
    if !filled.iter().enumerate().any(may_meet) {
        return None;
    }
    let instead = format!(
        "over the particles of other bodies as over ridges, whatever their spacing: without friction, boxes with aligned faces slow down \
         as with a coefficient of friction of {RIDGES}"
    );
    Notice::of_named("sliding", filled.iter().map(|i| named(scene, *i)), instead)
}

/// Bodies whose particles reach into those of others at the start, from which springs push them with energy that no force gave: the
/// spheres of a lattice stand out of slopes and round surfaces.
fn overlaps(scene: &Scene, population: &Population) -> Option<Notice> {
    let filled = population.shapes.iter().enumerate().filter_map(|(i, prepared)| match prepared {
        Prepared::Particles(shape, _) => Some((i, shape)),
        Prepared::Triangles { .. } => None,
    });
    let placed: Vec<(usize, f64, Vec<Vec3>)> = filled
        .map(|(i, shape)| {
            let pose = scene.bodies[i].initial.pose;
            (i, 0.5 * shape.diameter, shape.centres.iter().map(|centre| pose.point(centre)).collect())
        })
        .collect();
    let boxes: Vec<Aabb> = placed.iter().map(|(_, r, centres)| Aabb::of_points(centres).grow(*r)).collect();
    let tree = Bvh::new(&boxes).ok()?;
    let mut found: Vec<(usize, f64)> = Vec::new();
    for [a, b] in tree.overlapping_pairs() {
        let [(i, r, of_a), (j, s, of_b)] = [a, b].map(|k| &placed[k as usize]);
        if !scene.can_collide(BodyId(*i), BodyId(*j)) {
            continue;
        }
        let near = |centres: &[Vec3], other: u32, reach: f64| -> Vec<Vec3> {
            let around = boxes[other as usize].grow(reach);
            centres.iter().filter(|x| around.contains_point(x)).copied().collect()
        };
        let (of_a, of_b) = (near(of_a, b, *r), near(of_b, a, *s));
        let reached: Vec<Aabb> = of_b.iter().map(|y| Aabb::new(*y, *y).grow(r + s)).collect();
        let Ok(tree) = Bvh::new(&reached) else { continue };
        let within = |x: &Vec3| tree.overlapping(&Aabb::new(*x, *x));
        let distances = of_a.iter().flat_map(|x| within(x).into_iter().map(move |k| (x, k)));
        let distances = distances.map(|(x, k)| (x - of_b[k as usize]).norm());
        let deepest = r + s - distances.fold(f64::INFINITY, f64::min);
        if deepest > OVERLAP * (r + s) {
            found.push((*i.min(j), deepest / (r + s)));
        }
    }
    let deepest = found.iter().map(|(_, depth)| *depth).fold(0.0, f64::max);
    found.sort_by_key(|(body, _)| *body);
    found.dedup_by_key(|(body, _)| *body);
    let instead = format!(
        "reach into those of other bodies at the start, by up to {:.0} % of their diameter: springs push these apart with energy that no \
         force gave; use `lattice = \"shell\"`, a smaller `spacing`, or a gap at the start",
        100.0 * deepest
    );
    Notice::of_named("particles", found.iter().map(|(i, _)| named(scene, *i)), instead)
}

/// A length (m) to the nanometre: without the rounding of poses, which would fill a message with digits.
fn readable(length: f64) -> f64 {
    (length * 1e9).round() / 1e9
}

/// Walls that are thinner than the kernel reaches.
fn thin_walls(scene: &Scene) -> Option<Notice> {
    let spacing = scene.fluids.first()?.spacing;
    let enough = THICK * spacing;
    let thin = scene.bodies.iter().enumerate().filter_map(|(i, body)| {
        thickness::thinnest(scene, body, enough).map(|depth| (named(scene, i), readable(depth)))
    });
    let instead = format!(
        "less than the {enough} m, three spacings, that fluid needs: it is pushed less there, and may leave"
    );
    Notice::of_all("thickness", "m", thin, instead)
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
        Prepared::Particles(_, None) | Prepared::Triangles { .. } => None,
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
