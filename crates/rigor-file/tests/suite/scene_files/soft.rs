//! Ropes, cloths, soft blocks, bonds and attachments: what valid ones become, and the errors in invalid ones.

use rigor_geometry::dihedral;
use rigor_math::{Mat3, Vec3};
use rigor_scene::{BodyId, Bond, BondKind, Law, ParticleId, Scene};

use super::{cube, load, refused};

const ROPE: &str = "[[rope]]\nname = \"rope\"\nfrom = [0, 2, 0]\nto = [0, 1, 0]\nsegments = 4\nmass = 2\n";
const CLOTH: &str = "[[cloth]]\nname = \"cloth\"\ncorner = [0, 1, 0]\nu = [2, 0, 0]\nv = [0, 0, 3]\nvertices = [3, 4]\ndensity = 0.5\n";
const SOFT: &str = "[[soft]]\nname = \"block\"\nsize = [2, 1, 1]\ncells = [2, 1, 1]\n";

fn scene(text: &str) -> Scene {
    load(text).unwrap_or_else(|error| panic!("{error}")).scene
}

fn mass(scene: &Scene) -> f64 {
    scene.particles.iter().map(|p| p.mass).sum()
}

/// Returns C of a bond at time 0.
fn value(scene: &Scene, bond: &Bond) -> f64 {
    let x: Vec<Vec3> = bond.particles.iter().map(|id| scene.particles[id.0].position).collect();
    match &bond.kind {
        BondKind::Distance { rest } => (x[0] - x[1]).norm() - rest,
        BondKind::Bending { rest } => dihedral::angle(&[x[0], x[1], x[2], x[3]]) - rest,
        BondKind::Volume { rest } => (x[1] - x[0]).cross(&(x[2] - x[0])).dot(&(x[3] - x[0])) / 6.0 - rest,
        BondKind::Tetrahedron { inverse_rest, .. } => {
            let d = Mat3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
            (d * inverse_rest - Mat3::identity()).norm()
        }
        BondKind::QuadraturePoint { gradients, .. } => {
            let first = x[0];
            let f: Mat3 = x.iter().zip(gradients.iter()).map(|(x, b)| (x - first) * b.transpose()).sum();
            (f - Mat3::identity()).norm()
        }
        BondKind::Shape { rest } => {
            let shift = x[0] - rest[0];
            x.iter().zip(rest).map(|(x, r)| (x - r - shift).norm()).fold(0.0, f64::max)
        }
    }
}

#[test]
fn every_bond_is_at_rest_at_time_0() {
    let laws = ["neo_hookean", "st_venant_kirchhoff", "distance_and_volume", "shape"];
    let blocks = laws.map(|law| {
        SOFT.replace("block", law)
            + &format!("law = \"{law}\"\nrotation_deg = [10, 20, 30]\nposition = [5, 6, 7]\n")
    });
    let quadratic =
        SOFT.replace("block", "quadratic") + "element = \"quadratic\"\nrotation_deg = [10, 20, 30]\n";
    let cloth = format!("{CLOTH}shear_compliance = 1e-3\nbending_compliance = 1\n");
    let rope = format!("{ROPE}bending_compliance = 1\n");
    let scene = scene(&format!("{rope}{cloth}{}{quadratic}", blocks.concat()));
    for bond in &scene.bonds {
        let c = value(&scene, bond);
        assert!(c.abs() < 1e-14, "{bond:?}: {c:e}");
    }
    assert_eq!(scene.soft_bodies.len(), 7);
    let groups: Vec<_> = scene.soft_bodies.iter().map(|s| scene.particles[s.particles.start].group).collect();
    assert_eq!(groups, (0..7).map(Some).collect::<Vec<_>>(), "each in a group of its own");
}

#[test]
fn a_quadratic_block_has_particles_in_the_middles_of_its_edges() {
    let linear = scene(SOFT);
    let quadratic = scene(&format!("{SOFT}element = \"quadratic\"\npinned = [\"x_min\"]\n"));
    // A lattice twice as fine without the middles of the two cells.
    assert_eq!(quadratic.particles.len(), 5 * 3 * 3 - 2);
    assert_eq!(quadratic.bonds.len(), 4 * linear.bonds.len());
    for (one, other) in linear.particles.iter().zip(&quadratic.particles) {
        assert_eq!(one.position, other.position, "corners come first");
    }
    let free: f64 = quadratic.particles.iter().filter(|p| !p.is_pinned()).map(|p| p.mass).sum();
    let is_at_end = |p: &&rigor_scene::Particle| p.position.x < -1.0 + 1e-12;
    let at_end: Vec<_> = quadratic.particles.iter().filter(is_at_end).collect();
    assert_eq!(at_end.len(), 9);
    assert!(at_end.iter().all(|p| p.is_pinned()));
    // What is held is a part of the first cell's 1000 kg.
    assert!((1000.0..2000.0).contains(&free), "{free}");
    let whole = scene(&format!("{SOFT}element = \"quadratic\"\n"));
    assert!((mass(&whole) - 2000.0).abs() < 1e-9);
    let soft = &whole.soft_bodies[0];
    assert_eq!(soft.triangles.len(), 4 * linear.soft_bodies[0].triangles.len());
    let flux: f64 = soft
        .triangles
        .iter()
        .map(|t| t.map(|id| whole.particles[id.0].position))
        .map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0)
        .sum();
    assert!((flux - 2.0).abs() < 1e-12, "the surface faces outwards: {flux}");
    let error = refused(&format!("{SOFT}element = \"quadratic\"\nlaw = \"shape\"\n"));
    assert!(error.3.contains("`quadratic` elements have one of the laws"), "{error:?}");
}

#[test]
fn mass_is_spread_as_that_of_the_continuum() {
    let rope = scene(ROPE);
    let masses: Vec<f64> = rope.particles.iter().map(|p| p.mass).collect();
    assert_eq!(masses, [0.25, 0.5, 0.5, 0.5, 0.25]);
    assert_eq!(rope.particles[1].position, Vec3::new(0.0, 1.75, 0.0));
    assert_eq!(rope.bonds.len(), 4);
    assert!((mass(&scene(CLOTH)) - 3.0).abs() < 1e-14, "0.5 kg/m² on 6 m²");
    assert!((mass(&scene(SOFT)) - 2000.0).abs() < 1e-11, "1000 kg/m³ in 2 m³");
    assert!((mass(&scene(&format!("{SOFT}mass = 3\n"))) - 3.0).abs() < 1e-14);
}

#[test]
fn a_cloth_has_the_bonds_that_it_asks_for() {
    let bonds = |more: &str| scene(&format!("{CLOTH}{more}")).bonds.len();
    let stretch = 2 * 4 + 3 * 3;
    assert_eq!(bonds(""), stretch);
    assert_eq!(bonds("shear_compliance = 0"), stretch + 12);
    assert_eq!(bonds("bending_compliance = 1"), stretch + (stretch + 6 - 10));
    assert_eq!(bonds("bending_compliance = 1\nbending = \"distance\""), stretch + 4 + 3 * 2);
}

#[test]
fn blocks_have_their_law() {
    let scene = scene(&format!("{SOFT}law = \"st_venant_kirchhoff\"\nyoung = 1e5\npoisson = 0.25\n"));
    assert_eq!((scene.particles.len(), scene.bonds.len()), (12, 10));
    let volume: f64 = scene
        .bonds
        .iter()
        .map(|bond| match &bond.kind {
            BondKind::Tetrahedron { material, volume, .. } => {
                assert_eq!((material.law, material.lambda, material.mu), (Law::StVenantKirchhoff, 4e4, 4e4));
                *volume
            }
            other => panic!("{other:?}"),
        })
        .sum();
    assert!((volume - 2.0).abs() < 1e-14);
}

#[test]
fn particles_are_pinned_and_attached_by_name() {
    let text = format!(
        "{}position = [0.25, 0.5, 0]\n{ROPE}pinned = [\"first\"]\n{CLOTH}pinned = [\"corner_u\", \"v_max\", 0]\n{SOFT}\
         [[particle]]\nname = \"bob\"\nposition = [0, 3, 0]\n\
         [[bond]]\nparticles = [\"bob\", \"rope.1\"]\ncompliance = 0.5\n[[bond]]\nparticles = [0, \"cloth.corner_uv\"]\n\
         [[attachment]]\nparticles = \"rope.last\"\nbody = \"cube\"\n\
         [[attachment]]\nparticles = \"block.x_max\"\nbody = \"cube\"\ncompliance = 1e-3\n",
        cube("rotation_deg = [0, 0, 90]")
    );
    let scene = scene(&text);
    let pinned: Vec<usize> = (0..scene.particles.len()).filter(|i| scene.particles[*i].is_pinned()).collect();
    // Particle 0 is bob, then come five of the rope, then the twelve of the cloth.
    assert_eq!(pinned, [1, 6, 9, 13, 14, 17]);
    let bond = &scene.bonds[scene.bonds.len() - 2];
    assert_eq!(bond.particles, [ParticleId(0), ParticleId(2)]);
    assert_eq!((bond.kind.clone(), bond.compliance), (BondKind::Distance { rest: 1.25 }, 0.5));
    assert_eq!(scene.attachments.len(), 1 + 4);
    for attachment in &scene.attachments {
        assert_eq!(attachment.body, BodyId(0));
        let at = scene.bodies[0].initial.pose.point(&attachment.point_local);
        assert!((at - scene.particles[attachment.particle.0].position).norm() < 1e-15);
    }
    assert_eq!(scene.attachments[0].particle, ParticleId(5));
}

#[track_caller]
fn is_refused(text: &str, key: &str, message: &str) {
    let (line, _, k, m) = refused(text);
    assert_eq!((k.as_str(), m.as_str()), (key, message), "for\n{text}");
    assert!(line > 0);
}

#[test]
fn wrong_ropes_are_refused() {
    let rope = |from: &str, to: &str| ROPE.replace(from, to);
    is_refused(
        &rope("segments = 4", "segments = 0"),
        "rope[0].segments",
        "expected a whole number from 1 to 100000, found 0",
    );
    is_refused(
        &rope("to = [0, 1, 0]", "to = [0, 2, 0]"),
        "rope[0]",
        "two neighbouring particles are at the same position",
    );
    is_refused(
        &rope("to = [0, 1, 0]\n", ""),
        "rope[0]",
        "expected either `from`, `to` and `segments`, or `points`",
    );
    is_refused(
        &format!("{ROPE}points = [[0, 0, 0], [1, 0, 0]]"),
        "rope[0]",
        "expected either `from`, `to` and `segments`, or `points`",
    );
    is_refused(&rope("mass = 2\n", ""), "rope[0]", "expected `mass` or `density`");
    is_refused(&rope("mass = 2", "mass = -2"), "rope[0].mass", "expected a positive number, found -2.0");
    is_refused(
        &format!("{ROPE}stretch_compliance = -1e-9"),
        "rope[0].stretch_compliance",
        "expected 0 or a positive number, found -1e-9",
    );
    is_refused(
        &format!("{ROPE}stretch_compliance = inf"),
        "rope[0].stretch_compliance",
        "inf is not a finite number",
    );
    is_refused(
        &format!("{ROPE}bending_compliance = nan"),
        "rope[0].bending_compliance",
        "NaN is not a finite number",
    );
    is_refused(
        &format!("{ROPE}pinned = [5]"),
        "rope[0].pinned[0]",
        "expected a number below 5, the number of particles, found 5",
    );
    is_refused(
        &format!("{ROPE}pinned = [\"frist\"]"),
        "rope[0].pinned[0]",
        "expected a number, `first`, `last`, found `frist`",
    );
    is_refused(
        &format!("{ROPE}{ROPE}"),
        "rope[1].name",
        "the name `rope` is already taken, at a/scene.toml:2",
    );
    is_refused(&rope("\"rope\"", "\"a.b\""), "rope[0].name", "expected a name without `.`, found a.b");
    is_refused(&rope("\"rope\"", "\"\""), "rope[0].name", "expected a name without `.`, found an empty one");
    let long = rope("segments = 4", "segments = 100000");
    is_refused(&long, "rope[0]", "the scene would have 100001 particles: at most 100000 are allowed");
}

#[test]
fn wrong_cloths_are_refused() {
    let cloth = |from: &str, to: &str| CLOTH.replace(from, to);
    is_refused(
        &cloth("[3, 4]", "[3, 1]"),
        "cloth[0].vertices[1]",
        "expected a whole number from 2 to 2048, found 1",
    );
    is_refused(
        &cloth("u = [2, 0, 0]", "u = [0, 0, 0]"),
        "cloth[0].u",
        "expected an edge of finite length greater than 0",
    );
    is_refused(
        &cloth("v = [0, 0, 3]", "v = [1e200, 0, 0]"),
        "cloth[0].v",
        "expected an edge of finite length greater than 0",
    );
    is_refused(
        &cloth("v = [0, 0, 3]", "v = [3, 0, 0]"),
        "cloth[0].v",
        "expected an edge that is not parallel to `u`",
    );
    is_refused(
        &cloth("[3, 4]", "[2048, 2048]"),
        "cloth[0]",
        "the scene would have 4194304 particles: at most 100000 are allowed",
    );
    is_refused(
        &cloth("density = 0.5", "density = 1e-320"),
        "cloth[0]",
        "a particle's mass is too small or too large for floating-point numbers",
    );
}

#[test]
fn wrong_blocks_are_refused() {
    let soft = |more: &str| format!("{SOFT}{more}\n");
    for (poisson, found) in [("0.5", "0.5"), ("-1", "-1.0"), ("7", "7.0")] {
        is_refused(
            &soft(&format!("poisson = {poisson}")),
            "soft[0].poisson",
            &format!("expected a number between -1 and 0.5, found {found}"),
        );
    }
    is_refused(&soft("young = 0"), "soft[0].young", "expected a positive number, found 0.0");
    is_refused(&soft("law = \"shape\"\nyoung = 1e5"), "soft[0].young", "`young` does not apply to this law");
    is_refused(&soft("compliance = 0.1"), "soft[0].compliance", "`compliance` does not apply to this law");
    is_refused(
        &SOFT.replace("cells = [2, 1, 1]", "cells = [2, 0, 1]"),
        "soft[0].cells[1]",
        "expected a whole number from 1 to 256, found 0",
    );
    is_refused(
        &SOFT.replace("size = [2, 1, 1]", "size = [2, -1, 1]"),
        "soft[0].size[1]",
        "expected a positive number, found -1.0",
    );
    is_refused(
        &SOFT.replace("size = [2, 1, 1]", "size = [1e-120, 1e-120, 1e-120]"),
        "soft[0]",
        "its tetrahedra are too small or too large for floating-point numbers",
    );
    is_refused(
        &soft("quaternion = [0, 0, 0, 0]"),
        "soft[0].quaternion",
        "the quaternion (w, x, y, z) = (0, 0, 0, 0) has no direction",
    );
}

#[test]
fn wrong_bonds_and_attachments_are_refused() {
    let with = |more: &str| format!("{}{ROPE}pinned = [0]\n[[particle]]\n[[particle]]\n{more}", cube(""));
    let bond = |more: &str| with(&format!("[[bond]]\n{more}"));
    is_refused(
        &bond("particles = [0, 1]"),
        "bond[0].particles",
        "two neighbouring particles are at the same position",
    );
    is_refused(&bond("particles = [0]"), "bond[0].particles", "expected 2 particles, found 1");
    is_refused(
        &bond("particles = [0, 0]"),
        "bond[0].particles[1]",
        "expected a particle that is not yet listed",
    );
    is_refused(&bond("particles = [0, \"rope\"]"), "bond[0].particles[1]", "expected one particle, found 5");
    is_refused(
        &bond("particles = [0, \"rope.1\", \"rope.2\", \"rope.3\"]\nkind = \"bending\""),
        "bond[0].particles",
        "expected two triangles, found three particles on one line",
    );
    is_refused(
        &bond("particles = [0, 2]"),
        "bond[0].particles[1]",
        "expected a number below 2, the number of particles, found 2",
    );
    is_refused(
        &bond("particles = [0, \"rop.1\"]"),
        "bond[0].particles[1]",
        "there is no particle, rope, cloth, soft block or fluid named `rop` (did you mean `rope`?)",
    );
    is_refused(
        &bond("particles = [0, \"rope.1\"]\nrest = -1"),
        "bond[0].rest",
        "expected 0 or a positive number, found -1.0",
    );
    let attach = |particles: &str, body: &str| {
        with(&format!("[[attachment]]\nparticles = {particles}\nbody = \"{body}\"\n"))
    };
    is_refused(
        &attach("\"rope.first\"", "cube"),
        "attachment[0].particles",
        "a pinned particle cannot be attached to a body",
    );
    is_refused(
        &attach("1", "cub"),
        "attachment[0].body",
        "there is no body named `cub` (did you mean `cube`?)",
    );
}

/// Returns the messages of the check on what starts where no method can go on from.
fn faults(text: &str) -> Vec<String> {
    let found = rigor_file::check::particle_faults("test.toml", &scene(text));
    found.into_iter().map(|warning| warning.message).collect()
}

#[test]
fn fluids_that_start_in_one_place_are_told() {
    let fluid = |name: &str, x: f64, y: f64| {
        format!(
            "[[fluid]]\nname = \"{name}\"\nspacing = 0.1\nsize = [0.4, 0.4, 0.4]\nposition = [{x}, {y}, 0]\n"
        )
    };
    let told = |x: f64, y: f64| faults(&(fluid("water", 0.0, 0.0) + &fluid("oil", x, y)));
    let all = "64 of the 64 particles of fluid \"oil\" start in fluid \"water\"";
    assert_eq!(told(0.0, 0.0), [all]);
    assert_eq!(told(0.03, -0.02), [all], "no two particles are in one place");
    assert_eq!(told(0.3, 0.0), ["16 of the 64 particles of fluid \"oil\" start in fluid \"water\""]);
    assert!(told(0.4, 0.0).is_empty() && told(0.0, 0.42).is_empty(), "one lies beside the other");
}

#[test]
fn an_edge_through_the_diagonal_of_a_sheet_is_told() {
    let rope = |x: f64, z: f64| {
        format!(
            "[[body]]\nname = \"card\"\nrole = \"static\"\n[[body.shape]]\nplane = {{ size = [2, 2] }}\n\
             [[rope]]\nname = \"rope\"\nfrom = [{x}, -0.5, {z}]\nto = [{x}, 0.5, {z}]\nsegments = 1\nmass = 1\n"
        )
    };
    let through = ["\"rope\" starts through body \"card\""];
    for [x, z] in [[0.0, 0.0], [0.25, 0.25], [0.25, -0.25], [0.3, 0.1], [-0.5, 0.2]] {
        assert_eq!(faults(&rope(x, z)), through, "{x} {z}");
    }
    for [x, z] in [[1.0, 0.3], [1.5, 0.0], [0.2, -1.1]] {
        assert!(faults(&rope(x, z)).is_empty(), "{x} {z}: it passes the border");
    }
}

#[test]
fn particles_that_start_in_bodies_or_in_one_place_are_told() {
    let floor = "[[body]]\nname = \"floor\"\nrole = \"static\"\nposition = [0, -0.5, 0]\n[[body.shape]]\n\
                 box = { size = [10, 1, 10] }\n";
    let block = |y: f64| {
        format!(
            "{floor}[[soft]]\nname = \"block\"\nsize = [0.2, 0.2, 0.2]\ncells = [2, 2, 2]\nposition = [0, {y}, 0]\n"
        )
    };
    assert_eq!(faults(&block(-0.5)), ["27 of the 27 particles of \"block\" start inside body \"floor\""]);
    assert!(faults(&block(0.1)).is_empty(), "it stands on the floor");

    let rope = |more: &str| {
        format!(
            "{floor}[[rope]]\nname = \"rope\"\nfrom = [-6, -0.5, 0]\nto = [6, -0.5, 0]\nsegments = 1\nmass = 1\n{more}"
        )
    };
    assert_eq!(faults(&rope("")), ["\"rope\" starts through body \"floor\""]);
    assert!(faults(&rope("pinned = [\"first\", \"last\"]\n")).is_empty(), "neither moves");

    let point = |x: f64, y: f64| format!("[[particle]]\nposition = [{x}, {y}, 0]\nradius = 0.1\n");
    let two = |x: f64| point(x, 1.0) + &point(0.5, 1.0);
    assert_eq!(faults(&two(0.5)), ["particle 0 and particle 1 start in one place"]);
    assert!(faults(&two(0.6)).is_empty());
    let mut held = scene(&two(0.5));
    let particles = vec![ParticleId(0), ParticleId(1)];
    held.bonds = vec![Bond { kind: BondKind::Distance { rest: 0.1 }, particles, compliance: 0.0 }];
    assert!(rigor_file::check::particle_faults("test.toml", &held).is_empty(), "a bond holds them there");
    assert_eq!(faults(&(floor.to_owned() + &point(1.0, -0.1))), ["particle 0 starts inside body \"floor\""]);
}

#[test]
fn rigid_bonds_that_contradict_each_other_are_told() {
    let two = |more: &str| format!("[[particle]]\n{more}[[particle]]\nposition = [1, 0, 0]\n{more}");
    let bond = |rest: f64, alpha: f64| {
        format!("[[bond]]\nparticles = [1, 0]\nrest = {rest}\ncompliance = {alpha}\n")
    };
    assert_eq!(faults(&(two("") + &bond(1.0, 0.0) + &bond(1.2, 0.0))).len(), 1);
    assert!(faults(&(two("") + &bond(1.0, 0.0) + &bond(1.2, 1e-3))).is_empty());
    assert!(faults(&(two("") + &bond(1.0, 0.0) + &bond(1.0, 0.0))).is_empty());
    let pinned = two("pinned = true\n") + &bond(1.5, 0.0);
    let found = faults(&pinned);
    assert!(found[0].contains("is rigid and 1.5 m long, but its pinned ends are 1 m apart"), "{found:?}");
}
