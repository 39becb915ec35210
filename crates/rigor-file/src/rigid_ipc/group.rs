//! Groups of bodies that never collide with each other.

use std::collections::BTreeSet;

use super::super::error::SceneError;
use super::draft::Draft;
use super::field::Field;

/// Name of the group of all non-dynamic bodies.
const IMMOBILE: &str = "immobile";

/// The explicit ids used by non-dynamic and by dynamic bodies.
///
/// The reference program puts all non-dynamic bodies into one group, together with every body that shares an
/// explicit id with one of them. Two non-dynamic bodies never collide anyway, so the group is written only if
/// it contains a dynamic body.
#[derive(Debug, Default)]
pub struct Groups {
    immobile: BTreeSet<i64>,
    dynamic: BTreeSet<i64>,
}

impl Groups {
    /// Records the id of a body.
    pub fn note(&mut self, body: &Field<'_>, is_dynamic: bool) -> Result<(), SceneError> {
        let ids = if is_dynamic { &mut self.dynamic } else { &mut self.immobile };
        ids.extend(id(body)?);
        Ok(())
    }

    /// Writes the group of a body, after all bodies have been recorded.
    pub fn write(&self, body: &Field<'_>, is_dynamic: bool, native: &mut Draft) -> Result<(), SceneError> {
        let (id, source) = (id(body)?, body.get("group_id"));
        let joins = id.is_some_and(|id| self.immobile.contains(&id));
        match (is_dynamic, id) {
            (true, _) if joins => native.set("group", IMMOBILE, source.as_ref()),
            (true, Some(id)) => native.set("group", &*format!("group-{id}"), source.as_ref()),
            (false, _) if !self.immobile.is_disjoint(&self.dynamic) => {
                native.set("group", IMMOBILE, source.as_ref());
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns the explicit id; −1 means an id that no other body has.
fn id(body: &Field<'_>) -> Result<Option<i64>, SceneError> {
    Ok(Some(body.whole_or("group_id", -1)?).filter(|id| *id != -1))
}
