//! The programs that share the format: Rigid IPC, and Affine Body Dynamics, which derives from it.

use std::borrow::Cow;

use super::super::error::SceneError;
use super::field::Field;

/// The program that a scene is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The reference program of \[Ferguson2021\].
    RigidIpc,
    /// That of \[Lan2022\]: angles in radians, torques in the principal frame, bodies held by `linear_constraints`.
    AffineBody,
}

impl Dialect {
    /// Returns the dialect of a `rigid_body_problem`: only one of the programs has these keys.
    pub fn of(problem: &Field<'_>) -> Self {
        let has = |key| problem.get(key).is_some();
        if has("linear_constraints") || has("orthogonality_stiffness") {
            Self::AffineBody
        } else {
            Self::RigidIpc
        }
    }

    /// Returns the degrees per unit of an angle.
    pub fn degrees(self) -> f64 {
        match self {
            Self::RigidIpc => 1.0,
            Self::AffineBody => 180.0 / std::f64::consts::PI,
        }
    }

    /// Returns the file of a mesh; empty if the body has none.
    ///
    /// # Errors
    /// The value is not a string.
    pub fn mesh<'a>(self, body: &Field<'a>) -> Result<Cow<'a, str>, SceneError> {
        let file = body.text_or("mesh", "")?;
        Ok(match self {
            Self::AffineBody if file.contains('\\') => file.replace('\\', "/").into(),
            _ => file.into(),
        })
    }
}
