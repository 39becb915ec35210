//! What a run tells about soft bodies: flaws and notices.

use rigor_scene::{FlawKind, Method, ParticleId, SoftBody, Subject};
use rigor_xpbd::Config;

use crate::strands::{chain, record, xpbd};

/// A rigid chain with one sweep per substep carries its own weight, but not 10⁵ times that of a link.
#[test]
fn a_rope_that_is_pulled_long_is_told_and_one_that_holds_is_not() {
    for (load, is_told) in [(1.0, false), (1e5, true)] {
        let mut scene = chain(20, 0.0);
        scene.particles[19].mass = load;
        let run = record(&scene, Config::default(), 0.01, 200);
        let flaws = || run.reports.iter().flat_map(|report| &report.flaws);
        assert_eq!(flaws().any(|flaw| flaw.kind == FlawKind::Unconverged), is_told, "{load} kg");
        let worst = flaws().max_by(|a, b| a.amount.total_cmp(&b.amount));
        assert!(
            worst.is_none_or(|flaw| flaw.amount > 1.0 && matches!(flaw.subject, Subject::Bond(_))),
            "{worst:?}"
        );
    }
}

#[test]
fn soft_bodies_that_cannot_touch_each_other_are_told() {
    let rope = |name: &str, particles: std::ops::Range<usize>| SoftBody {
        name: name.into(),
        edges: particles.clone().skip(1).map(|i| [ParticleId(i - 1), ParticleId(i)]).collect(),
        particles,
        triangles: Vec::new(),
    };
    let told = |radius: f64, n: usize| {
        let mut scene = chain(6, 0.0);
        scene.particles.iter_mut().for_each(|p| (p.radius, p.group) = (radius, Some(0)));
        scene.soft_bodies = [rope("a", 0..3), rope("b", 3..6)][..n].to_vec();
        scene.particles.truncate(3 * n);
        scene.bonds.clear();
        xpbd(Config::default()).notices(&scene, 0.01).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(
        told(0.0, 2)[0].starts_with("contact with particles of \"a\" and 1 more: not simulated"),
        "{:?}",
        told(0.0, 2)
    );
    assert!(
        told(0.2, 2)[0].starts_with("radius 0.2 m of \"a\" and 1 more: less than half"),
        "{:?}",
        told(0.2, 2)
    );
    assert!(told(0.5, 2).is_empty() && told(0.0, 1).is_empty());
}

/// A string of 20 pieces between two pins, stretched by a hundredth, whose tension is `stretch`/α.
fn taut(alpha: f64) -> rigor_scene::Scene {
    let mut scene = chain(21, alpha);
    scene.gravity = rigor_math::Vec3::zeros();
    for (i, particle) in scene.particles.iter_mut().enumerate() {
        particle.position *= 1.01;
        particle.mass = if i % 20 == 0 { f64::INFINITY } else { 0.01 };
    }
    scene.particles[10].velocity.x = 0.01;
    scene
}

#[test]
fn a_taut_string_that_does_not_carry_its_tension_is_told() {
    for (alpha, iterations, is_told) in [(1e-6, 1, true), (1e-6, 2000, false), (1e-3, 1, false)] {
        let run = record(&taut(alpha), Config { iterations, ..Config::default() }, 0.01, 3);
        let flaws = || run.reports.iter().flat_map(|report| &report.flaws);
        let found = flaws().any(|flaw| flaw.kind == FlawKind::Unconverged);
        assert_eq!(found, is_told, "{alpha} {iterations} {:?}", flaws().next());
    }
    // One that hangs slack stretches under its weight alone: it asks for no tension at the start.
    let run = record(&chain(20, 1e-9), Config::default(), 0.01, 100);
    assert!(run.reports.iter().all(|report| report.flaws.is_empty()));
}

#[test]
fn restitution_of_a_soft_body_is_told_to_be_that_of_its_particles() {
    let mut scene = chain(3, 0.0);
    scene.soft_bodies = vec![SoftBody {
        name: "rope".into(),
        edges: vec![[ParticleId(0), ParticleId(1)], [ParticleId(1), ParticleId(2)]],
        particles: 0..3,
        triangles: Vec::new(),
    }];
    let told = |scene: &rigor_scene::Scene| {
        let all = xpbd(Config::default()).notices(scene, 0.01);
        all.iter().map(ToString::to_string).find(|text| text.starts_with("restitution"))
    };
    assert_eq!(told(&scene), None);
    scene.particles[2].restitution = 0.5;
    assert!(
        told(&scene).unwrap().starts_with("restitution 0.5 of \"rope\": applies to each"),
        "{:?}",
        told(&scene)
    );
}
