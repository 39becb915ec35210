//! The figures that judges report: names, units and meanings.

/// A number that a judge can report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figure {
    /// `judge.figure`, the name that expectations use.
    pub name: &'static str,
    /// SI unit; "1" for a pure number or a count.
    pub unit: &'static str,
    /// One line: what is measured, over what, and the meaning of zero.
    pub meaning: &'static str,
}

impl Figure {
    /// Creates a figure.
    pub const fn new(name: &'static str, unit: &'static str, meaning: &'static str) -> Self {
        Self { name, unit, meaning }
    }

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
    crate::judge::REGISTER.iter().flat_map(|(_, figures)| figures.iter())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_begin_with_their_judge() {
        let names: BTreeSet<_> = figures().map(|figure| figure.name).collect();
        assert_eq!(names.len(), figures().count());
        for (judge, figures) in crate::judge::REGISTER {
            for figure in *figures {
                assert_eq!(figure.name.split_once('.').map(|(prefix, _)| prefix), Some(*judge), "{figure:?}");
                assert!(!figure.meaning.is_empty() && !figure.unit.is_empty(), "{figure:?}");
            }
        }
    }
}
