//! Pairs of bodies that never collide: filtered pairs and groups of colliders.

use std::collections::{BTreeMap, BTreeSet};

use openusd::usd::{Collection, MembershipQuery};

use super::{Body, Reader};
use crate::error::SceneError;

/// The pairs of bodies (smaller index first) of which no two colliders may meet.
///
/// # Errors
/// A group cannot be read.
pub fn apart(reader: &Reader<'_>) -> Result<BTreeSet<(usize, usize)>, SceneError> {
    let (sheet, bodies) = (reader.sheet, &reader.bodies);
    // Each body below a path, for pairs that name prims above or below bodies.
    let mut named: Vec<(String, Vec<String>)> = Vec::new();
    for path in reader.visited.keys() {
        let prim = sheet.prim(&path.as_str().into());
        if sheet.has(&prim, "PhysicsFilteredPairsAPI")? {
            let targets = sheet.targets(&prim, "physics:filteredPairs")?;
            named.push((path.clone(), targets.iter().map(|target| target.as_str().to_owned()).collect()));
        }
    }
    let groups = groups(reader)?;
    let is_below = |path: &str, above: &str| {
        path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let is_filtered = |a: &str, b: &str| {
        named.iter().any(|(one, others)| {
            others
                .iter()
                .any(|other| is_below(a, one) && is_below(b, other) || is_below(b, one) && is_below(a, other))
        }) || groups.filter(a, b)
    };
    let all = |a: &Body, b: &Body| {
        let paths = |body: &Body| -> Vec<String> {
            body.colliders.iter().map(|collider| collider.prim.path().as_str().to_owned()).collect()
        };
        let (a, b) = (paths(a), paths(b));
        let pairs = a.iter().flat_map(|a| b.iter().map(move |b| is_filtered(a, b)));
        let filtered: Vec<bool> = pairs.collect();
        (filtered.iter().all(|is| *is), filtered.iter().any(|is| *is))
    };
    if named.is_empty() && groups.members.is_empty() {
        return Ok(BTreeSet::new());
    }
    let mut apart = BTreeSet::new();
    for (i, a) in bodies.iter().enumerate() {
        for (j, b) in bodies.iter().enumerate().skip(i + 1) {
            let has_shapes = !a.colliders.is_empty() && !b.colliders.is_empty();
            match all(a, b) {
                (true, true) if has_shapes => {
                    apart.insert((i, j));
                }
                (false, true) => {
                    let why = "a filter for some colliders of a body only is not supported: they collide";
                    sheet.drop(&a.prim, format!("filter against {}", b.prim.path()), why);
                }
                _ => {}
            }
        }
    }
    Ok(apart)
}

/// Groups of colliders.
#[derive(Default)]
struct Groups {
    members: BTreeMap<String, MembershipQuery>,
    /// Pairs of groups whose members do not collide.
    apart: BTreeSet<(String, String)>,
}

impl Groups {
    fn filter(&self, a: &str, b: &str) -> bool {
        let holds = |group: &str, path: &str| {
            self.members.get(group).is_some_and(|members| members.is_path_included(&path.into()))
        };
        let meets = |(one, other): &(String, String)| {
            holds(one, a) && holds(other, b) || holds(one, b) && holds(other, a)
        };
        self.apart.iter().any(meets)
    }
}

fn groups(reader: &Reader<'_>) -> Result<Groups, SceneError> {
    let sheet = reader.sheet;
    let mut groups = Groups::default();
    for prim in &reader.groups {
        for name in ["includes", "excludes", "expansionRule", "includeRoot"] {
            sheet.mark(prim, &format!("collection:colliders:{name}"));
        }
        let members = Collection::new(prim.path(), "colliders").compute_membership_query(sheet.stage());
        let members = members.map_err(|error| sheet.error(prim, format!("colliders: {error:#}")))?;
        let path = prim.path().as_str().to_owned();
        for other in sheet.targets(prim, "physics:filteredGroups")? {
            groups.apart.insert((path.clone(), other.as_str().to_owned()));
        }
        groups.members.insert(path, members);
    }
    Ok(groups)
}
