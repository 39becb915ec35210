//! Translation of a [`Document`] into a [`Scene`].

mod blueprint;
mod body;
mod bond;
mod cloth;
mod expectation;
mod fluid;
mod geometry;
mod joint;
mod known;
mod library;
mod motion;
mod particle;
mod placement;
mod rope;
mod shape;
mod soft;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use super::at::At;
use super::document::{CombineName, Document, FORMAT, SourceEntry, TimeEntry};
use super::error::{SceneError, Warning};
use super::tree::{Tree, shortened};
use crate::setting::from_json;
use rigor_scene::body::{Body, BodyId};
use rigor_scene::rescale;
use rigor_scene::scene::{CombineRule, Scene, Source, TimeSpan};

pub use library::{Library, MeshSource};
use particle::Particles;

/// Maximum number of steps that a scene may suggest.
const MAX_STEPS: f64 = 1e9;

/// Factors by which a scene may be scaled.
const SIZES: RangeInclusive<f64> = 1e-6..=1e6;

/// A translated document.
pub struct Translation {
    /// The scene.
    pub scene: Scene,
    /// Legal but suspicious content.
    pub warnings: Vec<Warning>,
}

/// Translates `document`, which was read from `tree`; meshes come from `library`.
///
/// # Errors
/// The first invalid value, with its place.
pub fn scene(document: &Document, tree: &Tree, library: &mut Library<'_>) -> Result<Translation, SceneError> {
    let at = At::root(tree);
    check_format(document, &at)?;
    let mut warnings = Vec::new();
    let bodies = body::bodies(document, &at, library, &mut warnings)?;
    let names = Names::new(document, &bodies);
    let joints = joint::joints(&document.joint, &at.join("joint"), &names, &bodies)?;
    let mut contact_free = contact_free(document, &at.join("contact_free"), &names)?;
    contact_free.extend(joint::kept_apart(&document.joint, &joints));
    let particles = particles(document, &at, &bodies)?;
    let scene = Scene {
        name: document.name.clone(),
        description: document.description.clone(),
        source: document.source.as_ref().map(source),
        gravity: document.gravity.into(),
        time: time(&document.time, &at.join("time"))?,
        friction_rule: rule(document.friction_rule),
        restitution_rule: rule(document.restitution_rule),
        attachments: bond::attachments(
            &document.attachment,
            &at.join("attachment"),
            &names,
            &bodies,
            &particles,
        )?,
        joints,
        contact_free,
        methods: document.method.iter().map(|(name, object)| (name.clone(), from_json(object))).collect(),
        expectations: expectation::expectations(&document.expect, &at.join("expect"), &names)?,
        bodies,
        particles: particles.particles,
        bonds: particles.bonds,
        soft_bodies: particles.soft_bodies,
        fluids: particles.fluids,
    };
    if scene.bodies.is_empty() && scene.particles.is_empty() {
        let finding =
            at.finding("the scene is empty").with_help("add a `[[body]]`, a `[[particle]]` or a `[[rope]]`");
        return Err(finding.into());
    }
    let scene = rescale(scene, size(document.scale, &at.join("scale"))?);
    joint::warn_of_starts(&scene, &document.joint, &at.join("joint"), &mut warnings);
    joint::warn_of_damping(&document.joint, &at.join("joint"), &mut warnings);
    Ok(Translation { scene, warnings })
}

/// Finds bodies by name.
struct Names<'a> {
    ids: BTreeMap<&'a str, BodyId>,
    disabled: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    fn new(document: &'a Document, bodies: &'a [Body]) -> Self {
        let ids = bodies.iter().enumerate().map(|(i, body)| (body.name.as_str(), BodyId(i))).collect();
        let disabled = document.body.iter().filter(|b| !b.enabled).map(|b| b.name.as_str()).collect();
        Self { ids, disabled }
    }

    fn find(&self, name: &str, at: &At<'_>) -> Result<BodyId, SceneError> {
        match self.ids.get(name) {
            Some(id) => Ok(*id),
            None if self.disabled.contains(name) => {
                Err(at.error(format!("the body `{}` is not enabled", shortened(name))))
            }
            None => Err(at.unknown("body", name, self.ids.keys().copied())),
        }
    }
}

fn check_format(document: &Document, at: &At<'_>) -> Result<(), SceneError> {
    if document.format == FORMAT {
        return Ok(());
    }
    let message =
        format!("expected {FORMAT}, the only version that this program knows, found {}", document.format);
    Err(at.join("format").error(message))
}

fn time(entry: &TimeEntry, at: &At<'_>) -> Result<TimeSpan, SceneError> {
    let dt = at.join("dt").positive(entry.dt)?;
    let duration = at.join("duration").positive(entry.duration)?;
    if dt > duration * (1.0 + 1e-9) {
        let finding =
            at.join("dt").finding(format!("a step of {dt} s is longer than the duration of {duration} s"));
        return Err(finding.with_help("lower `dt`, or raise `duration`").into());
    }
    if duration / dt > MAX_STEPS {
        let message = format!("{duration} s in steps of {dt} s are more than {MAX_STEPS:e} steps");
        return Err(at.join("duration").error(message));
    }
    Ok(TimeSpan { dt, duration })
}

fn size(scale: f64, at: &At<'_>) -> Result<f64, SceneError> {
    if SIZES.contains(&scale) {
        return Ok(scale);
    }
    let message = format!("expected a factor from {:e} to {:e}, found {scale}", SIZES.start(), SIZES.end());
    Err(at.error(message))
}

fn source(entry: &SourceEntry) -> Source {
    Source { key: entry.key.clone(), place: entry.place.clone(), note: entry.note.clone() }
}

fn rule(name: CombineName) -> CombineRule {
    match name {
        CombineName::Average => CombineRule::Average,
        CombineName::Min => CombineRule::Min,
        CombineName::Max => CombineRule::Max,
        CombineName::Product => CombineRule::Product,
        CombineName::GeometricMean => CombineRule::GeometricMean,
    }
}

/// Builds the particles of all tables, those of `[[particle]]` first and those of `[[fluid]]` last.
fn particles<'a>(document: &'a Document, at: &At<'a>, bodies: &[Body]) -> Result<Particles<'a>, SceneError> {
    let mut all = Particles::singles(&document.particle, &at.join("particle"))?;
    for (i, entry) in document.rope.iter().enumerate() {
        rope::add(entry, &at.join("rope").join(i), &mut all)?;
    }
    for (i, entry) in document.cloth.iter().enumerate() {
        cloth::add(entry, &at.join("cloth").join(i), &mut all)?;
    }
    for (i, entry) in document.soft.iter().enumerate() {
        soft::add(entry, &at.join("soft").join(i), &mut all)?;
    }
    for (i, entry) in document.fluid.iter().enumerate() {
        fluid::add(entry, &at.join("fluid").join(i), bodies, &mut all)?;
    }
    for (i, entry) in document.bond.iter().enumerate() {
        let bond = bond::bond(entry, &at.join("bond").join(i), &all)?;
        all.bonds.push(bond);
    }
    Ok(all)
}

fn contact_free(
    document: &Document,
    at: &At<'_>,
    names: &Names<'_>,
) -> Result<BTreeSet<(BodyId, BodyId)>, SceneError> {
    let pair = |(i, entry): (usize, &super::document::ContactFreeEntry)| {
        let at = at.join(i).join("bodies");
        let a = names.find(&entry.bodies[0], &at.join(0))?;
        let b = names.find(&entry.bodies[1], &at.join(1))?;
        if a == b {
            return Err(at.error(format!("expected two bodies, found `{}` twice", entry.bodies[0])));
        }
        Ok((a.min(b), a.max(b)))
    };
    document.contact_free.iter().enumerate().map(pair).collect()
}
