//! Queries generated from a family, a seed and an index: the same bits on every machine and in any order.

use std::fmt;

use super::encounter::Encounter;
use super::family::Family;
use super::query::Query;
use super::random::Random;
use super::witness::{self, Hint, Witness};
use rigor_ccd::{Kind, LinearQuery, RigidQuery};

/// A query and what is known about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Generated<Q> {
    /// The query.
    pub query: Q,
    /// Proof that they meet, if known. Without it they may still meet.
    pub witness: Option<Witness>,
    /// Where to look for a proof, also for variations of this query.
    pub hint: Option<Hint>,
    /// Origin of the query.
    pub label: Label,
}

impl<Q: Query> Generated<Q> {
    /// A custom query, with a proof that its primitives meet if a short search finds one.
    pub fn of(query: Q) -> Self {
        Self { query, witness: witness::search(&query, 256), hint: None, label: Label::Own }
    }

    /// Returns a variation of this query; searches for a proof again.
    pub(super) fn with_query(&self, query: Q) -> Self {
        let hinted = self.hint.and_then(|hint| witness::certify(&query, &hint));
        Self { query, witness: hinted.or_else(|| witness::search(&query, 256)), ..*self }
    }
}

/// Origin of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// Generated.
    Made {
        /// `linear` or `rigid`.
        generator: &'static str,
        /// The family.
        family: Family,
        /// The seed.
        seed: u64,
        /// Index within the family and seed.
        index: u64,
    },
    /// Custom.
    Own,
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Made { generator, family, seed, index } => {
                write!(f, "generate::{generator}(Family::{family:?}, {seed}, {index})")
            }
            Self::Own => f.write_str("a custom query"),
        }
    }
}

/// A query that [`run`](super::run()) can generate.
pub trait Generate: Query {
    /// Generates the query `index` of a family and seed.
    fn generate(family: Family, seed: u64, index: u64) -> Generated<Self>;
}

impl Generate for LinearQuery {
    fn generate(family: Family, seed: u64, index: u64) -> Generated<Self> {
        let mut random = Random::new([0, family as u64, seed, index]);
        let (query, hint) = Encounter::new(family, kind(index), false, &mut random).linear();
        made(query, hint, Label::Made { generator: "linear", family, seed, index })
    }
}

impl Generate for RigidQuery {
    fn generate(family: Family, seed: u64, index: u64) -> Generated<Self> {
        let mut random = Random::new([1, family as u64, seed, index]);
        let (query, hint) = Encounter::new(family, kind(index), true, &mut random).rigid();
        made(query, hint, Label::Made { generator: "rigid", family, seed, index })
    }
}

/// Generates the query with straight motions `index` of a family and seed. Four consecutive indices give the
/// four kinds.
///
/// ```
/// use rigor_ccd_test::{Family, generate};
/// let case = generate::linear(Family::Transversal, 1, 2);
/// assert_eq!(case.query.kind, rigor_ccd::Kind::PointTriangle);
/// assert_eq!(case, generate::linear(Family::Transversal, 1, 2));
/// ```
pub fn linear(family: Family, seed: u64, index: u64) -> Generated<LinearQuery> {
    LinearQuery::generate(family, seed, index)
}

/// Generates the query with rigid motions `index` of a family and seed. Four consecutive indices give the
/// four kinds.
pub fn rigid(family: Family, seed: u64, index: u64) -> Generated<RigidQuery> {
    RigidQuery::generate(family, seed, index)
}

fn kind(index: u64) -> Kind {
    Kind::ALL[(index % 4) as usize]
}

fn made<Q: Query>(query: Q, hint: Hint, label: Label) -> Generated<Q> {
    Generated { query, witness: witness::certify(&query, &hint), hint: Some(hint), label }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An FNV-1a hash of the bits of the first queries of each of these families.
    fn fingerprint<Q: Generate>(families: &[Family]) -> u64 {
        let cases = families.iter().flat_map(|family| (0..16).map(move |i| Q::generate(*family, 42, i)));
        let bytes = cases.flat_map(|case| case.query.numbers()).flat_map(|x| x.to_bits().to_le_bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    /// Recorded seeds must keep their meaning on every machine.
    #[test]
    fn queries_are_the_same_bits_everywhere() {
        let (first, later) = Family::ALL.split_at(15);
        assert_eq!(
            [fingerprint::<LinearQuery>(first), fingerprint::<RigidQuery>(first)],
            [3_766_748_891_325_645_800, 4_783_447_611_991_525_777]
        );
        assert_eq!(
            [fingerprint::<LinearQuery>(later), fingerprint::<RigidQuery>(later)],
            [17_658_179_303_498_840_853, 15_374_225_071_669_319_946]
        );
    }

    #[test]
    fn every_query_is_a_question() {
        for family in Family::ALL {
            for index in 0..400 {
                assert!(linear(family, 0, index).query.is_valid(), "{family} {index}");
                assert!(rigid(family, 0, index).query.is_valid(), "{family} {index}");
            }
        }
    }

    #[test]
    fn a_label_is_the_call_that_makes_the_query() {
        let case = rigid(Family::AtEnd, 7, 8);
        assert_eq!(case.label.to_string(), "generate::rigid(Family::AtEnd, 7, 8)");
    }
}
