//! Which bodies never collide with each other.

use std::collections::BTreeSet;

use super::super::error::SceneError;
use super::draft::Draft;
use super::field::Field;

/// The name of the group of all bodies that are not dynamic.
const IMMOBILE: &str = "immobile";

/// The explicit ids that bodies which are not dynamic use.
///
/// The reference program puts all such bodies into one group, and with them whatever shares an explicit id with one of
/// them. Two bodies that are not dynamic never collide anyway, so the group is written only if a dynamic body is in it.
#[derive(Debug, Default)]
pub struct Groups {
    immobile: BTreeSet<i64>,
    dynamic: BTreeSet<i64>,
}

impl Groups {
    /// Notes the id of a body.
    pub fn note(&mut self, body: &Field<'_>, is_dynamic: bool) -> Result<(), SceneError> {
        let ids = if is_dynamic { &mut self.dynamic } else { &mut self.immobile };
        ids.extend(id(body)?);
        Ok(())
    }

    /// Writes the group of a body, once all bodies have been noted.
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

/// The explicit id: −1 stands for one that no other body has.
fn id(body: &Field<'_>) -> Result<Option<i64>, SceneError> {
    Ok(Some(body.whole_or("group_id", -1)?).filter(|id| *id != -1))
}
