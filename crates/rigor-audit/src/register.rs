//! The register of judges and their figures.

use crate::figure::Figure;
use crate::{
    compare, constraint, contact, determinism, distance, energy, friction, intersection, momentum, motion,
    penetration, tunnelling,
};

/// Every judge by name, with its figures.
const REGISTER: &[(&str, &[Figure])] = &[
    ("energy", energy::FIGURES),
    ("momentum", momentum::FIGURES),
    ("motion", motion::FIGURES),
    ("constraint", constraint::FIGURES),
    ("contact", contact::FIGURES),
    ("friction", friction::FIGURES),
    ("intersection", intersection::FIGURES),
    ("distance", distance::FIGURES),
    ("penetration", penetration::FIGURES),
    ("tunnelling", tunnelling::FIGURES),
    ("compare", compare::FIGURES),
    ("determinism", determinism::FIGURES),
];

impl Figure {
    /// Returns the figure called `name`, if a judge reports it.
    ///
    /// ```
    /// use rigor_audit::Figure;
    /// assert_eq!(Figure::named("penetration.deepest").unwrap().unit, "m");
    /// assert!(Figure::named("penetration.deapest").is_none());
    /// ```
    pub fn named(name: &str) -> Option<&'static Self> {
        figures().find(|figure| figure.name == name)
    }
}

/// Returns every figure of every judge, judge by judge.
///
/// ```
/// assert!(rigor_audit::figures().any(|figure| figure.name == "energy.drift"));
/// ```
pub fn figures() -> impl Iterator<Item = &'static Figure> {
    REGISTER.iter().flat_map(|(_, figures)| figures.iter())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_begin_with_their_judge() {
        let names: BTreeSet<_> = figures().map(|figure| figure.name).collect();
        assert_eq!(names.len(), figures().count());
        for (judge, figures) in REGISTER {
            for figure in *figures {
                assert_eq!(figure.name.split_once('.').map(|(prefix, _)| prefix), Some(*judge), "{figure:?}");
                assert!(!figure.meaning.is_empty() && !figure.unit.is_empty(), "{figure:?}");
            }
        }
    }
}
