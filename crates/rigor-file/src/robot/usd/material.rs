//! Materials of colliders.

use openusd::sdf;
use openusd::usd::Prim;

use super::prim::Sheet;
use super::{Body, Units};
use crate::document::{FrictionEntry, FrictionPair};
use crate::error::SceneError;

/// A physical material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    pub static_: f64,
    pub dynamic: f64,
    pub restitution: f64,
    /// Density (kg/m³), if the material has one.
    pub density: Option<f64>,
}

impl Material {
    /// The material that is bound to a prim or to the nearest prim above it, for physics first and for all purposes else.
    ///
    /// # Errors
    /// A coefficient is not possible.
    pub fn of(sheet: &Sheet, prim: &Prim, units: &Units) -> Result<Option<Self>, SceneError> {
        for relationship in ["material:binding:physics", "material:binding"] {
            let mut at = Some(prim.path().clone());
            while let Some(path) = at.filter(|path| !path.is_abs_root()) {
                let bound = sheet.prim(&path);
                for target in sheet.targets(&bound, relationship)? {
                    if let Some(material) = read(sheet, &target, units)? {
                        return Ok(Some(material));
                    }
                }
                at = path.parent();
            }
        }
        Ok(None)
    }

    /// The material of a body: the largest of each coefficient of its colliders'.
    pub fn of_body(sheet: &Sheet, body: &Body) -> Option<Self> {
        let mut materials = body.colliders.iter().filter_map(|collider| collider.material);
        let first = materials.next()?;
        let whole = materials.fold(first, |a, b| Self {
            static_: a.static_.max(b.static_),
            dynamic: a.dynamic.max(b.dynamic),
            restitution: a.restitution.max(b.restitution),
            density: a.density,
        });
        let differs = |m: Self| {
            (m.static_, m.dynamic, m.restitution) != (whole.static_, whole.dynamic, whole.restitution)
        };
        if body.colliders.iter().filter_map(|collider| collider.material).any(differs) {
            let why = "a body has one material: the largest coefficients of its colliders are used";
            sheet.drop(&body.prim, "material:binding", why);
        }
        Some(whole)
    }

    /// Its coefficients of friction.
    pub fn friction(&self) -> FrictionEntry {
        let (static_, dynamic) = (self.static_, self.dynamic);
        if static_ == dynamic {
            FrictionEntry::Uniform(static_)
        } else {
            FrictionEntry::Pair(FrictionPair { static_, dynamic })
        }
    }
}

/// The material at `path`, if it is a physical one.
fn read(sheet: &Sheet, path: &sdf::Path, units: &Units) -> Result<Option<Material>, SceneError> {
    let prim = sheet.prim(path);
    if !sheet.has(&prim, "PhysicsMaterialAPI")? {
        return Ok(None);
    }
    let coefficient = |name: &str| match sheet.number(&prim, name)?.unwrap_or(0.0) {
        mu if mu >= 0.0 && mu.is_finite() => Ok(mu),
        mu => Err(sheet.error(&prim, format!("{name} is {mu}: it must be at least 0 and finite"))),
    };
    let mut restitution = coefficient("physics:restitution")?;
    if restitution > 1.0 {
        sheet.drop(&prim, "physics:restitution", "at most 1 is possible");
        restitution = 1.0;
    }
    let (mut static_, dynamic) =
        (coefficient("physics:staticFriction")?, coefficient("physics:dynamicFriction")?);
    if static_ < dynamic {
        sheet.drop(
            &prim,
            "physics:staticFriction",
            "it is less than that of sliding, which is used for both",
        );
        static_ = dynamic;
    }
    let density = sheet.number(&prim, "physics:density")?.filter(|density| *density > 0.0);
    let density = density.map(|density| density * units.density());
    Ok(Some(Material { static_, dynamic, restitution, density }))
}
