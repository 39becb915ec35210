//! What the elements of a file mean: its units, defaults, meshes and actuators. A model that is attached brings its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::super::xml::Element;
use super::asset::Asset;
use super::default::Defaults;
use super::field::Field;
use super::pose::Compiler;
use super::servo::{self, Actuators, Control};
use crate::Files;
use crate::error::SceneError;

/// Maximum number of models.
const MAX_MODELS: usize = 100;

/// What the elements of a file mean.
pub struct Language<'a> {
    pub root: Element<'a>,
    pub compiler: Compiler,
    pub defaults: Defaults<'a>,
    pub assets: BTreeMap<String, Asset>,
    /// Height fields.
    pub fields: BTreeMap<String, Field>,
    pub servos: Actuators,
    /// Names of geoms that a pair of contact names.
    pub paired: BTreeSet<&'a str>,
    /// The models that it can attach, by name.
    pub models: BTreeMap<String, usize>,
}

/// A model and all that it attaches, directly or not.
pub struct Languages<'a> {
    pub all: Vec<Language<'a>>,
}

impl<'a> Languages<'a> {
    /// Reads the settings of a model and of those in its `asset`.
    ///
    /// # Errors
    /// A number is invalid, or there are too many models.
    pub fn of(
        root: &Element<'a>,
        path: &Path,
        files: &dyn Files,
        control: &Control,
    ) -> Result<Self, SceneError> {
        let mut all: Vec<Language<'a>> = Vec::new();
        let mut roots = vec![(*root, String::new())];
        while let Some((root, folder)) = roots.get(all.len()).cloned() {
            let mut compiler = Compiler::of(&root)?;
            compiler.within(&folder);
            let defaults = Defaults::of(&root);
            // An actuator of an attached model has no control of the key.
            let own = Control { given: Vec::new(), ..control.clone() };
            let servos =
                servo::of_joints(&root, &compiler, &defaults, if all.is_empty() { control } else { &own })?;
            let assets = assets(&root, &compiler, &defaults, path, files)?;
            let fields = fields(&root, &compiler, path, files)?;
            let mut models = BTreeMap::new();
            for model in root.all("asset").flat_map(|asset| asset.all("model")) {
                let Some((sub, within)) = model.model() else {
                    return Err(model.error("there is no such file"));
                };
                let name = model.text("name").or_else(|| sub.text("model")).unwrap_or_default().to_owned();
                models.insert(name, roots.len());
                roots.push((sub, within));
                if roots.len() > MAX_MODELS {
                    return Err(model.error(format!("more than {MAX_MODELS} models attach each other")));
                }
            }
            let pairs = root.all("contact").flat_map(|contact| contact.all("pair"));
            let paired = pairs.flat_map(|pair| [pair.text("geom1"), pair.text("geom2")]).flatten().collect();
            all.push(Language { root, compiler, defaults, assets, fields, servos, paired, models });
        }
        Ok(Self { all })
    }

    /// That of the file itself.
    pub fn main(&self) -> &Language<'a> {
        &self.all[0]
    }
}

/// The meshes of `asset`, by name.
fn assets<'a>(
    root: &Element<'a>,
    compiler: &Compiler,
    defaults: &Defaults<'a>,
    path: &Path,
    files: &dyn Files,
) -> Result<BTreeMap<String, Asset>, SceneError> {
    let mut assets = BTreeMap::new();
    for mesh in root.all("asset").flat_map(|asset| asset.all("mesh")) {
        let name = name_of(&mesh);
        match Asset::of(&mesh, compiler, defaults, path, files)? {
            Ok(asset) => {
                assets.insert(name, asset);
            }
            Err(why) => mesh.drop(format!("<mesh {name}>"), why),
        }
    }
    Ok(assets)
}

/// The height fields of `asset`, by name.
fn fields<'a>(
    root: &Element<'a>,
    compiler: &Compiler,
    path: &Path,
    files: &dyn Files,
) -> Result<BTreeMap<String, Field>, SceneError> {
    let mut fields = BTreeMap::new();
    for field in root.all("asset").flat_map(|asset| asset.all("hfield")) {
        let name = name_of(&field);
        match Field::read(&field, compiler, path, files)? {
            Ok(found) => {
                fields.insert(name, found);
            }
            Err(why) => field.drop(format!("<hfield {name}>"), why),
        }
    }
    Ok(fields)
}

/// The name of an asset: its own, or that of its file without the ending.
fn name_of(asset: &Element<'_>) -> String {
    let stem = asset.text("file").and_then(|file| Path::new(file).file_stem());
    let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
    asset.text("name").map(str::to_owned).or(stem).unwrap_or_default()
}
