//! Input of a scene that the method does not use as given.

use rigor_ccd::broad_phase::{Shape, proximity};
use rigor_math::Pose;
use rigor_scene::{Body, BodyId, Notice, Scene};

use crate::config::{Bodies, Config, Restitution, StartWithin};
use crate::contact::PrimitivePair;
use crate::placement::{Coordinates, Placement};
use crate::scale::Scale;
use crate::shapes::shape;
use crate::widths::MIN_WIDTH;

/// Lists restitution, static friction, settings that are replaced, and starts within d̂, in steps of `dt` (s).
pub(crate) fn notices(scene: &Scene, config: &Config, dt: f64) -> Vec<Notice> {
    let all = [
        restitution(scene, config),
        friction(scene, config),
        tolerance(scene, config, dt),
        affine_stiffness(config),
        start(scene, config, dt),
    ];
    all.into_iter().flatten().collect()
}

/// Lists the pairs of bodies that start so near each other that the barrier pushes them apart, the nearest first: its energy becomes motion.
/// By default d̂ is at most the distance at the start, unless that is tiny; bodies that start within a given d̂ have a barrier of their own.
fn start(scene: &Scene, config: &Config, dt: f64) -> Option<Notice> {
    let bounds: Vec<_> = scene.bodies.iter().map(Body::bounds).collect();
    let d_hat = Scale::new(scene, &bounds, config, dt).d_hat;
    let d_min = config.minimum_separation;
    let reach = d_hat + d_min;
    let shapes: Vec<Shape> = scene.bodies.iter().map(|body| shape(&body.skeleton)).collect();
    let poses = || scene.bodies.iter().map(|body| body.initial.pose);
    let bodies: Vec<(&Shape, Pose)> = shapes.iter().zip(poses()).collect();
    let may_meet = |a: usize, b: usize| {
        let is_free = [a, b].iter().any(|&body| scene.bodies[body].is_dynamic());
        is_free && scene.can_collide(BodyId(a), BodyId(b))
    };
    // A start that the search refuses is an error of the first step.
    let found = proximity(&bodies, reach, may_meet).ok()?;
    let places: Vec<Placement> = poses().map(|pose| Placement::new(&pose, Coordinates::Local)).collect();
    let distance = |pair: &PrimitivePair| (pair.distance(&places), pair.bodies);
    let mut near: Vec<(f64, [usize; 2])> =
        found.iter().map(|c| distance(&PrimitivePair::among(c, &shapes))).collect();
    let nearest = near.iter().map(|(d, _)| *d).fold(f64::INFINITY, f64::min);
    let limits = Scale::new(scene, &bounds, config, dt);
    let d_hat = if config.d_hat.is_some() { d_hat } else { limits.starting_at(nearest, d_min).d_hat };
    let pushes = match (config.start_within, config.d_hat) {
        (StartWithin::Narrowed, Some(given)) => MIN_WIDTH * given,
        (StartWithin::Narrowed, None) | (StartWithin::Pushed, _) => d_hat,
    };
    near.retain(|(d, _)| *d < d_min + pushes);
    near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut told = std::collections::BTreeSet::new();
    near.retain(|(_, pair)| told.insert([pair[0].min(pair[1]), pair[0].max(pair[1])]));
    let name = |pair: [usize; 2]| {
        let [a, b] = pair.map(|body| &scene.bodies[body].name);
        format!("bodies {a:?} and {b:?}")
    };
    let asked = near.into_iter().map(|(d, pair)| (name(pair), d));
    let instead = format!(
        "contact acts from {:.3e} m on: the barrier pushes them apart at the start, and what it stores becomes motion",
        d_min + pushes
    );
    Notice::of_all("distance at the start", "m", asked, instead)
}

/// Lists restitution where the setting says that it is not used: the barrier is elastic, implicit Euler takes energy from every impact, and
/// nothing controls how much.
fn restitution(scene: &Scene, config: &Config) -> Option<Notice> {
    match config.restitution {
        Restitution::Law => return None,
        Restitution::None => {}
    }
    let asked = scene.bodies.iter().filter(|body| body.restitution > 0.0);
    let asked = asked.map(|body| (name(body), body.restitution));
    Notice::of_all("restitution", "1", asked, "not used: restitution is \"none\"")
}

/// Lists static friction, as one coefficient serves for sticking and sliding; all friction if there are no
/// friction rounds.
fn friction(scene: &Scene, config: &Config) -> Option<Notice> {
    if config.friction_iterations == 0 {
        let asked = scene.bodies.iter().filter(|body| body.friction.dynamic > 0.0);
        let asked = asked.map(|body| (name(body), body.friction.dynamic));
        return Notice::of_all("friction", "1", asked, "not used: friction_iterations is 0");
    }
    let mut asked =
        scene.bodies.iter().filter(|body| body.friction.static_ != body.friction.dynamic).peekable();
    let dynamic = asked.peek()?.friction.dynamic;
    let asked = asked.map(|body| (name(body), body.friction.static_));
    let instead = format!("ipc uses the dynamic coefficient for both, here {dynamic}");
    Notice::of_all("static friction", "1", asked, instead)
}

/// Lists a tolerance that would hide the effect of gravity in a step.
fn tolerance(scene: &Scene, config: &Config, dt: f64) -> Option<Notice> {
    let bounds: Vec<_> = scene.bodies.iter().map(Body::bounds).collect();
    let scale = Scale::new(scene, &bounds, config, dt);
    let asked = scale.asked.filter(|asked| *asked > scale.tolerance)?;
    let instead = format!(
        "ipc uses {:.1e} m/s, so that the tolerance hides no force (ending = \"balance\")",
        scale.tolerance
    );
    Some(Notice::of_scene("velocity_tolerance", "m/s", asked, instead))
}

/// Names the stiffness of affine bodies where bodies are rigid.
fn affine_stiffness(config: &Config) -> Option<Notice> {
    let is_set = config.affine_stiffness != Config::default().affine_stiffness;
    let asked = Some(config.affine_stiffness).filter(|_| config.bodies == Bodies::Rigid && is_set)?;
    Some(Notice::of_scene(
        "affine_stiffness",
        "Pa",
        asked,
        "not used: bodies are rigid (bodies = \"affine\" has it)",
    ))
}

fn name(body: &Body) -> String {
    format!("body {:?}", body.name)
}
