//! Notices about scene data that `xpbd` and `pbd` do not use as given.

use rigor_scene::{BodyId, Bond, BondKind, Notice, ParticleId, Scene, SoftBody};

use crate::config::JointSolver;
use crate::joint::light::light_links;

/// Lists soft bodies that do not touch other particles, or not between their own: contact among particles is that of
/// their spheres; and round bodies, whose meshes particles touch.
pub(crate) fn of_contact(scene: &Scene) -> Vec<Notice> {
    let reach = |soft: &SoftBody| {
        let radii = scene.particles[soft.particles.clone()].iter().map(|p| p.radius);
        (radii.fold(f64::INFINITY, f64::min), spacing(scene, soft))
    };
    let meets_itself = |soft: &SoftBody| {
        scene.particles[soft.particles.clone()].iter().any(|particle| particle.group.is_none())
    };
    let in_soft: usize = scene.soft_bodies.iter().map(|soft| soft.particles.len()).sum();
    let is_alone = scene.soft_bodies.len() == 1 && in_soft == scene.particles.len();
    let asked = || scene.soft_bodies.iter().filter(|soft| !is_alone || meets_itself(soft));
    let name = |soft: &SoftBody| format!("{:?}", soft.name);
    let points = asked().filter(|soft| reach(soft).0 == 0.0).map(name);
    let small = asked().filter(|soft| {
        let (radius, spacing) = reach(soft);
        radius > 0.0 && radius < 0.5 * spacing
    });
    let small = small.map(|soft| (name(soft), reach(soft).0));
    let bounces = |soft: &&SoftBody| {
        let of_soft = &scene.particles[soft.particles.clone()];
        of_soft.len() > 1 && of_soft.iter().any(|particle| particle.restitution > 0.0)
    };
    let largest = |soft: &SoftBody| {
        let of_soft = scene.particles[soft.particles.clone()].iter();
        (name(soft), of_soft.map(|particle| particle.restitution).fold(0.0, f64::max))
    };
    let is_met = !scene.particles.is_empty();
    let round = scene.bodies.iter().filter(|body| is_met && !body.skeleton.is_plain());
    let all = [
        Notice::of_named(
            "round",
            round.map(|body| format!("body {:?}", body.name)),
            "the particles of the scene touch its mesh, which is a picture of the round solid",
        ),
        Notice::of_all(
            "restitution",
            "1",
            scene.soft_bodies.iter().filter(bounces).map(largest),
            "applies to each of its particles, not to the whole, which rebounds as its elasticity lets it: less with more of it",
        ),
        Notice::of_named(
            "contact with particles",
            points,
            "not simulated: its particles are points, which touch bodies only; give it a radius of half its spacing",
        ),
        Notice::of_all(
            "radius",
            "m",
            small,
            "less than half the distance of its particles: others may pass between them",
        ),
    ];
    all.into_iter().flatten().collect()
}

/// Lists links that sweeps over their joints do not hold together, since they are lighter than what they join.
pub(crate) fn of_joints(scene: &Scene, joints: JointSolver) -> Option<Notice> {
    let links = match joints {
        JointSolver::Balanced | JointSolver::Sweep => light_links(scene),
        JointSolver::Direct => Vec::new(),
    };
    let link = |id: BodyId| (format!("link {:?}", scene.bodies[id.0].name), scene.bodies[id.0].mass);
    Notice::of_all(
        "mass",
        "kg",
        links.into_iter().map(link),
        "less than a tenth of the bodies that it, or a chain of such links, joins: sweeps leave such joints apart, and their bounds and \
         drives may make energy; compare with `xpbd` and joints = \"direct\", which solves them at once",
    )
}

/// Returns the length (m) of the longest edge of the surface at time 0.
fn spacing(scene: &Scene, soft: &SoftBody) -> f64 {
    let sides = soft.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let x = |id: ParticleId| scene.particles[id.0].position;
    // Diagonals of squares are longer than the distance of neighbours: the median is not.
    let mut lengths: Vec<f64> =
        sides.chain(soft.edges.iter().copied()).map(|[a, b]| (x(a) - x(b)).norm()).collect();
    lengths.sort_by(f64::total_cmp);
    lengths.get(lengths.len() / 2).copied().unwrap_or(0.0)
}

/// Lists compliances and materials of bonds and attachments that the stiffness `k` replaces.
pub(crate) fn of_stiffness(scene: &Scene, k: f64) -> Vec<Notice> {
    let instead = format!("not used: pbd gives every bond and attachment the stiffness {k}");
    // With k = 1 a projection satisfies the constraint exactly, as compliance 0 demands.
    let differs = |compliance: f64| compliance > 0.0 || k < 1.0;
    let is_matter =
        |bond: &Bond| matches!(bond.kind, BondKind::Tetrahedron { .. } | BondKind::QuadraturePoint { .. });
    let bonds = || scene.bonds.iter().enumerate();
    let compliant = || bonds().filter(|(_, bond)| !is_matter(bond) && differs(bond.compliance));
    let unit = compliant().next().map_or("1", |(_, bond)| unit(&bond.kind));
    let of_bonds = compliant().map(|(i, bond)| (scene.bond_name(i), bond.compliance));
    let matter = bonds().filter(|(_, bond)| is_matter(bond)).map(|(i, _)| scene.bond_name(i));
    let ties = scene.attachments.iter().filter(|tie| differs(tie.compliance));
    let of_ties = ties.map(|tie| {
        let name = format!("the attachment of {}", scene.particle_name(tie.particle));
        (name, tie.compliance)
    });
    let all = [
        Notice::of_all("compliance", unit, of_bonds, instead.clone()),
        Notice::of_named("material", matter, instead.clone()),
        Notice::of_all("compliance", "m/N", of_ties, instead),
    ];
    all.into_iter().flatten().collect()
}

/// Returns the unit of a bond's compliance.
fn unit(kind: &BondKind) -> &'static str {
    match kind {
        BondKind::Distance { .. } | BondKind::Shape { .. } => "m/N",
        BondKind::Bending { .. } => "rad/(N m)",
        BondKind::Volume { .. } => "m⁶/J",
        BondKind::Tetrahedron { .. } | BondKind::QuadraturePoint { .. } => "1",
    }
}
