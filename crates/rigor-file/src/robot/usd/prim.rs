//! Prims whose properties are marked when they are read.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use openusd::sdf;
use openusd::usd::{Prim, PrimPredicate, Stage};
use rigor_math::Vec3;

use super::{value, why};
use crate::error::{Finding, SceneError};
use crate::robot::{Dropped, Place};

/// An open file, with what was read of it.
pub struct Sheet {
    stage: Stage,
    file: PathBuf,
    /// Properties that were read, by prim.
    read: RefCell<BTreeMap<String, BTreeSet<String>>>,
    /// Prims of which all properties must be read or listed.
    visited: RefCell<BTreeSet<String>>,
    dropped: RefCell<Vec<Dropped>>,
}

impl Sheet {
    /// Nothing of `stage` has been read.
    pub fn new(stage: Stage, file: &Path) -> Self {
        let file = file.to_owned();
        let (read, visited, dropped) = Default::default();
        Self { stage, file, read, visited, dropped }
    }

    /// An error about the file.
    pub fn file_error(&self, message: impl Into<String>) -> SceneError {
        Finding::of_file(&self.file, message).into()
    }

    /// An error about a prim.
    pub fn error(&self, prim: &Prim, message: impl Into<String>) -> SceneError {
        Finding::of_file(&self.file, message).with_key(prim.path().as_str()).into()
    }

    fn known<T>(&self, answer: Result<T, impl std::fmt::Display>) -> Result<T, SceneError> {
        answer.map_err(|error| self.file_error(format!("not USD: {error:#}")))
    }

    /// The stage itself.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The prims that are active and defined, each after the one above it.
    pub fn paths(&self) -> Result<Vec<sdf::Path>, SceneError> {
        let mut paths = Vec::new();
        let walk = self.stage.traverse(PrimPredicate::DEFAULT_PROXIES, |path| paths.push(path.clone()));
        self.known(walk)?;
        Ok(paths)
    }

    /// The prim at `path`.
    pub fn prim(&self, path: &sdf::Path) -> Prim {
        self.stage.prim(path)
    }

    /// The type of a prim, empty if it has none.
    pub fn kind(&self, prim: &Prim) -> Result<String, SceneError> {
        Ok(self.known(prim.type_name())?.map_or_else(String::new, |kind| kind.as_str().to_owned()))
    }

    /// Whether a schema is applied to a prim.
    pub fn has(&self, prim: &Prim, schema: &str) -> Result<bool, SceneError> {
        Ok(self.known(prim.api_schemas())?.iter().any(|applied| applied.as_str() == schema))
    }

    /// A value of the whole file.
    pub fn metadata_number(&self, name: &str) -> Result<Option<f64>, SceneError> {
        let Some(value) = self.known(self.stage.stage_metadata(name))? else { return Ok(None) };
        let number = value::number(&value);
        number.map(Some).ok_or_else(|| self.file_error(format!("{name}: expected a number")))
    }

    /// A word of the whole file.
    pub fn metadata_text(&self, name: &str) -> Result<Option<String>, SceneError> {
        Ok(self.known(self.stage.stage_metadata(name))?.as_ref().and_then(value::text))
    }

    /// Marks a property as read.
    pub fn mark(&self, prim: &Prim, name: &str) {
        let mut read = self.read.borrow_mut();
        read.entry(prim.path().as_str().to_owned()).or_default().insert(name.to_owned());
    }

    /// The value of an attribute: its default, or else the first of its samples in time.
    pub fn value(&self, prim: &Prim, name: &str) -> Result<Option<sdf::Value>, SceneError> {
        // Names may come from the file, as those of transforms do; `openusd` does not end with some others.
        if !name.chars().all(|c| c.is_alphanumeric() || "_:".contains(c)) {
            return Err(self.error(prim, format!("{name:?} is not the name of a property")));
        }
        self.mark(prim, name);
        let attribute = prim.attribute(name);
        let mut value = self.known(attribute.get::<sdf::Value>())?;
        if let Some((_, first)) = self.known(attribute.time_samples())?.and_then(|s| s.into_iter().next()) {
            self.drop(prim, format!("{name}.timeSamples"), "motion that the file prescribes is not followed");
            value = value.or(Some(first));
        }
        Ok(value.filter(|value| !matches!(value, sdf::Value::ValueBlock | sdf::Value::None)))
    }

    fn read<T>(
        &self,
        prim: &Prim,
        name: &str,
        expected: &str,
        convert: impl Fn(&sdf::Value) -> Option<T>,
    ) -> Result<Option<T>, SceneError> {
        let Some(value) = self.value(prim, name)? else { return Ok(None) };
        let converted = convert(&value);
        converted.map(Some).ok_or_else(|| self.error(prim, format!("{name}: expected {expected}")))
    }

    /// A number; it may be infinite.
    pub fn number(&self, prim: &Prim, name: &str) -> Result<Option<f64>, SceneError> {
        self.read(prim, name, "a number", value::number)
    }

    /// A positive length or angle, `or` if the file has none.
    pub fn positive(&self, prim: &Prim, name: &str, or: f64) -> Result<f64, SceneError> {
        let value = self.number(prim, name)?.unwrap_or(or);
        if value > 0.0 && value.is_finite() {
            Ok(value)
        } else {
            Err(self.error(prim, format!("{name} is {value}: it must be positive and finite")))
        }
    }

    /// Three numbers; they may be infinite.
    pub fn vector(&self, prim: &Prim, name: &str) -> Result<Option<[f64; 3]>, SceneError> {
        self.read(prim, name, "three numbers", value::vector)
    }

    /// Three finite numbers.
    pub fn finite_vector(&self, prim: &Prim, name: &str) -> Result<Option<[f64; 3]>, SceneError> {
        let finite = |value: &sdf::Value| value::vector(value).filter(|v| v.iter().all(|x| x.is_finite()));
        self.read(prim, name, "three finite numbers", finite)
    }

    /// A quaternion (w, x, y, z) of any length.
    pub fn quaternion(&self, prim: &Prim, name: &str) -> Result<Option<[f64; 4]>, SceneError> {
        self.read(prim, name, "a quaternion", value::quaternion)
    }

    /// Yes or no.
    pub fn flag(&self, prim: &Prim, name: &str) -> Result<Option<bool>, SceneError> {
        self.read(prim, name, "true or false", value::flag)
    }

    /// A word.
    pub fn text(&self, prim: &Prim, name: &str) -> Result<Option<String>, SceneError> {
        self.read(prim, name, "a word", value::text)
    }

    /// Words.
    pub fn words(&self, prim: &Prim, name: &str) -> Result<Vec<String>, SceneError> {
        Ok(self.read(prim, name, "words", value::words)?.unwrap_or_default())
    }

    /// Whole numbers.
    pub fn indices(&self, prim: &Prim, name: &str) -> Result<Vec<i64>, SceneError> {
        Ok(self.read(prim, name, "whole numbers", value::indices)?.unwrap_or_default())
    }

    /// Points.
    pub fn points(&self, prim: &Prim, name: &str) -> Result<Vec<Vec3>, SceneError> {
        Ok(self.read(prim, name, "points", value::points)?.unwrap_or_default())
    }

    /// The paths to which a relationship points.
    pub fn targets(&self, prim: &Prim, name: &str) -> Result<Vec<sdf::Path>, SceneError> {
        self.mark(prim, name);
        self.known(prim.relationship(name).targets())
    }

    /// Lists a part that the scene does not have, or not as it is there.
    pub fn drop(&self, prim: &Prim, what: impl Into<String>, why: &str) {
        self.dropped.borrow_mut().push(Dropped {
            file: self.file.clone(),
            place: Place::Prim(prim.path().as_str().to_owned()),
            what: what.into(),
            why: why.to_owned(),
        });
    }

    /// Demands that all properties of a prim are read or listed, and lists schemas that are not known.
    pub fn visit(&self, prim: &Prim) -> Result<(), SceneError> {
        for schema in self.known(prim.api_schemas())? {
            if !why::is_known(schema.as_str()) {
                self.drop(prim, schema.as_str(), why::property(schema.as_str()));
            }
        }
        let is_whole = self.read.borrow().get(prim.path().as_str()).is_some_and(|read| read.contains(ALL));
        if !is_whole {
            self.visited.borrow_mut().insert(prim.path().as_str().to_owned());
        }
        Ok(())
    }

    /// Takes all properties of a prim as told.
    pub fn forget(&self, prim: &Prim) {
        self.mark(prim, ALL);
    }

    /// What was left out.
    pub fn dropped(&self) -> Result<Vec<Dropped>, SceneError> {
        for path in self.visited.borrow().iter() {
            let prim = self.stage.prim(path.as_str());
            for name in self.known(prim.property_names())? {
                let is_read = self
                    .read
                    .borrow()
                    .get(path)
                    .is_some_and(|read| read.contains(ALL) || read.contains(name.as_str()));
                if !is_read {
                    self.drop(&prim, name.as_str(), why::property(name.as_str()));
                }
            }
        }
        for error in self.stage.composition_errors() {
            self.dropped.borrow_mut().push(Dropped {
                file: self.file.clone(),
                place: Place::Prim("/".into()),
                what: error.to_string(),
                why: "the file could not be put together as it says".into(),
            });
        }
        Ok(self.dropped.take())
    }
}

/// Stands for all properties of a prim.
const ALL: &str = "*";
