//! Particles and bonds that no method can start from as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rigor_geometry::intersection::containment::{Containment, containment};
use rigor_geometry::intersection::{Relation, edge_triangle};
use rigor_geometry::{Aabb, Mesh};
use rigor_math::Vec3;

use rigor_scene::bond::{Bond, BondKind};
use rigor_scene::particle::ParticleId;
use rigor_scene::scene::Scene;

use super::super::error::{Finding, Warning};

/// Largest number of tests of a point against a triangle for the loose particles of a scene.
const MAX_TESTS: usize = 100_000_000;
/// Relative difference of lengths from which two rigid bonds contradict each other.
const DIFFERENT: f64 = 1e-9;

/// Returns warnings about particles of `scene`, read from `file`, that start inside solid bodies or in one place, fluids in one place, edges of ropes,
/// cloths and blocks that start through bodies, and rigid bonds that contradict each other.
///
/// Particles attached to a body may be inside it. The tests are exact for positions in the world, which are rounded
/// once.
///
/// ```
/// use rigor_file::check::particle_faults;
/// use rigor_math::Vec3;
/// use rigor_scene::{Particle, Scene};
/// let particles = vec![Particle::new(1.0, Vec3::x()), Particle::new(2.0, Vec3::x())];
/// let found = particle_faults("scene.toml", &Scene { particles, ..Scene::default() });
/// assert_eq!(found[0].message, "particle 0 and particle 1 start in one place");
/// ```
pub fn particle_faults(file: impl AsRef<Path>, scene: &Scene) -> Vec<Warning> {
    let mut messages = in_bodies(scene);
    messages.extend(in_one_place(scene));
    messages.extend(fluids_in_one_place(scene));
    messages.extend(contradictions(scene));
    messages.into_iter().map(|(message, help)| Finding::of_file(&file, message).with_help(help)).collect()
}

/// A message and its advice.
type Message = (String, &'static str);

/// Particles inside bodies, and edges through them.
fn in_bodies(scene: &Scene) -> Vec<Message> {
    let attached: BTreeSet<(usize, usize)> =
        scene.attachments.iter().map(|a| (a.particle.0, a.body.0)).collect();
    let mut in_soft = vec![false; scene.particles.len()];
    let mut groups: Vec<(String, Vec<usize>, Vec<[ParticleId; 2]>)> = Vec::new();
    for soft in &scene.soft_bodies {
        in_soft[soft.particles.clone()].fill(true);
        let sides = soft.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut edges: Vec<[ParticleId; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.extend(&soft.edges);
        edges.sort_unstable();
        edges.dedup();
        groups.push((format!("{:?}", soft.name), soft.particles.clone().collect(), edges));
    }
    for fluid in &scene.fluids {
        in_soft[fluid.particles.clone()].fill(true);
    }
    let loose: Vec<usize> = (0..scene.particles.len()).filter(|i| !in_soft[*i]).collect();
    let n_triangles: usize = scene.bodies.iter().map(|body| body.mesh.triangles().len()).sum();
    if loose.len().saturating_mul(n_triangles) <= MAX_TESTS {
        groups.push((String::new(), loose, Vec::new()));
    }
    let mut found = Vec::new();
    for (b, body) in scene.bodies.iter().enumerate() {
        let mesh: Mesh = body.mesh.map_vertices(|v| body.initial.pose.point(v));
        let bounds = mesh.bounds();
        let (vertices, triangles) = (mesh.vertices(), mesh.triangles());
        let is_free = |i: usize| {
            let can_move = body.is_dynamic() || !scene.particles[i].is_pinned();
            can_move && !attached.contains(&(i, b))
        };
        let x = |i: usize| scene.particles[i].position;
        for (name, particles, edges) in &groups {
            let is_inside = |i: &usize| {
                mesh.is_closed()
                    && bounds.contains_point(&x(*i))
                    && is_free(*i)
                    && containment(&x(*i), vertices, triangles) == Containment::Inside
            };
            let inside: Vec<usize> = particles.iter().copied().filter(is_inside).collect();
            if let Some(first) = inside.first() {
                let what = match (name.as_str(), inside.len()) {
                    ("", 1) => format!("{} starts", scene.particle_name(ParticleId(*first))),
                    ("", n) => {
                        format!("{} and {} more start", scene.particle_name(ParticleId(*first)), n - 1)
                    }
                    (name, 1) => format!("one of the {} particles of {name} starts", particles.len()),
                    (name, n) => format!("{n} of the {} particles of {name} start", particles.len()),
                };
                found.push((
                    format!("{what} inside body {:?}", body.name),
                    "move it out, or attach it to the body",
                ));
                continue;
            }
            let is_through = |[a, b]: &&[ParticleId; 2]| {
                let edge = [x(a.0), x(b.0)];
                let may = is_free(a.0) && is_free(b.0) && Aabb::of_points(&edge).overlaps(&bounds);
                may && passes(&edge, &mesh)
            };
            if edges.iter().any(|edge| is_through(&edge)) {
                found
                    .push((format!("{name} starts through body {:?}", body.name), "move it out of the body"));
            }
        }
    }
    found
}

/// Returns whether an edge, whose ends are outside, passes through a mesh: through the inside of a solid, or through a
/// triangle of a sheet.
fn passes(edge: &[Vec3; 2], mesh: &Mesh) -> bool {
    let met = |t: usize| {
        let corners @ [a, b, c] = mesh.corners(t);
        let contact = edge_triangle::contact(edge, &corners);
        let normal = (b - a).cross(&(c - a));
        let [from, to] = edge.map(|p| normal.dot(&(p - a)));
        let time = if from == to { 0.5 } else { (from / (from - to)).clamp(0.0, 1.0) };
        // The ends are on two sides of the triangle, which it may meet on an edge or a corner.
        let is_between = (from < 0.0 && 0.0 < to) || (to < 0.0 && 0.0 < from);
        (contact, time, is_between)
    };
    let met: Vec<(Relation, f64, bool)> =
        (0..mesh.triangles().len()).map(met).filter(|(contact, ..)| *contact != Relation::Disjoint).collect();
    if !mesh.is_closed() {
        // Where triangles border on each other, it crosses none of them, and passes between two.
        let borders = met.iter().filter(|(.., is_between)| *is_between).count();
        return borders > 1 || met.iter().any(|(contact, ..)| *contact == Relation::Crossing);
    }
    let mut times: Vec<f64> = met.into_iter().map(|(_, time, _)| time).collect();
    times.sort_by(f64::total_cmp);
    let mut middles = times.windows(2).map(|pair| edge[0].lerp(&edge[1], 0.5 * (pair[0] + pair[1])));
    middles.any(|p| containment(&p, mesh.vertices(), mesh.triangles()) == Containment::Inside)
}

/// Particles in one place that neither a bond nor a common soft body or fluid holds there.
fn in_one_place(scene: &Scene) -> Vec<Message> {
    let mut places: BTreeMap<[u64; 3], usize> = BTreeMap::new();
    let bits = |x: &Vec3| [x.x, x.y, x.z].map(|c| (c + 0.0).to_bits());
    let mut pairs = Vec::new();
    for (i, particle) in scene.particles.iter().enumerate() {
        if let Some(other) = places.insert(bits(&particle.position), i) {
            pairs.push((other, i));
        }
    }
    let is_held = |&(i, j): &(usize, usize)| {
        let has = |range: &std::ops::Range<usize>| range.contains(&i) && range.contains(&j);
        let bonded = |bond: &Bond| [i, j].iter().all(|k| bond.particles.contains(&ParticleId(*k)));
        scene.soft_bodies.iter().any(|soft| has(&soft.particles)) || scene.bonds.iter().any(bonded)
    };
    let of_fluid = |i: usize| scene.fluids.iter().position(|fluid| fluid.particles.contains(&i));
    let is_of_two = |&(i, j): &(usize, usize)| of_fluid(i).zip(of_fluid(j)).is_some_and(|(a, b)| a != b);
    // Fluids in one place are told as such.
    pairs.retain(|pair| !is_held(pair) && !is_of_two(pair));
    let Some(&(i, j)) = pairs.first() else { return Vec::new() };
    let [a, b] = [i, j].map(|k| scene.particle_name(ParticleId(k)));
    let more = match pairs.len() {
        1 => String::new(),
        n => format!(", and {} more pairs", n - 1),
    };
    vec![(
        format!("{a} and {b} start in one place{more}"),
        "nothing tells in which direction they push each other: move one",
    )]
}

/// Fluids that start where others are: particles of which are less than half a spacing apart.
fn fluids_in_one_place(scene: &Scene) -> Vec<Message> {
    let mut found = Vec::new();
    for (k, a) in scene.fluids.iter().enumerate() {
        for b in &scene.fluids[k + 1..] {
            let spacing = a.spacing.min(b.spacing);
            if !(spacing > 0.0 && spacing.is_finite()) {
                continue;
            }
            let cell = |x: &Vec3| [x.x, x.y, x.z].map(|c| (c / spacing).floor());
            let key = |cell: [f64; 3]| cell.map(|c| (c + 0.0).to_bits());
            let x = |i: usize| scene.particles[i].position;
            let of = |range: &std::ops::Range<usize>| range.clone().filter(|i| *i < scene.particles.len());
            let mut places: BTreeMap<[u64; 3], Vec<usize>> = BTreeMap::new();
            for i in of(&a.particles) {
                places.entry(key(cell(&x(i)))).or_default().push(i);
            }
            let is_near = |i: &usize| {
                let [p, q, r] = cell(&x(*i));
                let side = |n: i32| f64::from(n % 3 - 1);
                let around = (0..27).map(|n| [p + side(n), q + side(n / 3), r + side(n / 9)]);
                let mut listed = around.filter_map(|cell| places.get(&key(cell))).flatten();
                listed.any(|j| (x(*i) - x(*j)).norm() < 0.5 * spacing)
            };
            let near = of(&b.particles).filter(is_near).count();
            if near > 0 {
                let (name, n) = (&b.name, b.particles.len());
                found.push((
                    format!("{near} of the {n} particles of fluid {name:?} start in fluid {:?}", a.name),
                    "move one of them, or cut the other one out of it: each takes its own room",
                ));
            }
        }
    }
    found
}

/// Rigid distance bonds that cannot hold together.
fn contradictions(scene: &Scene) -> Vec<Message> {
    let help = "give one of them a compliance, or the length of the other";
    let differ = |a: f64, b: f64| (a - b).abs() > DIFFERENT * a.abs().max(b.abs());
    let mut known: BTreeMap<[ParticleId; 2], (usize, f64)> = BTreeMap::new();
    let mut found = Vec::new();
    for (index, bond) in scene.bonds.iter().enumerate() {
        let (BondKind::Distance { rest }, [a, b]) = (&bond.kind, &bond.particles[..]) else { continue };
        if bond.compliance != 0.0 || a.0.max(b.0) >= scene.particles.len() {
            continue;
        }
        let ends = [a, b].map(|id| &scene.particles[id.0]);
        let distance = (ends[0].position - ends[1].position).norm();
        if ends.iter().all(|end| end.is_pinned()) && differ(*rest, distance) {
            let name = scene.bond_name(index);
            found.push((
                format!("{name} is rigid and {rest} m long, but its pinned ends are {distance} m apart"),
                help,
            ));
        }
        match known.insert([*a.min(b), *a.max(b)], (index, *rest)) {
            Some((other, length)) if differ(*rest, length) => {
                let [one, two] = [other, index].map(|i| scene.bond_name(i));
                found.push((
                    format!("{one} and {two} are rigid and of different lengths, {length} m and {rest} m"),
                    help,
                ));
            }
            Some(_) | None => {}
        }
    }
    found
}
