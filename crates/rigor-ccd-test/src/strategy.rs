//! Proptest strategies for the queries of the families, which shrink towards few digits and many zeros.

use std::marker::PhantomData;

use proptest::arbitrary::any;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::family::Family;
use super::generate::{Generate, Generated};
use super::simpler::Simplifier;
use rigor_ccd::{LinearQuery, RigidQuery};

/// Strategy for the queries of some families.
#[derive(Debug, Clone)]
pub struct Queries<Q> {
    families: Vec<Family>,
    of: PhantomData<fn() -> Q>,
}

/// Returns a strategy for straight motions of these families, of all kinds.
///
/// ```
/// use proptest::prelude::*;
/// use rigor_ccd_test::{Family, strategy};
///
/// proptest!(|(case in strategy::linear(&Family::ALL))| {
///     prop_assert!(case.query.is_valid());
/// });
/// ```
///
/// # Panics
/// If `families` is empty.
pub fn linear(families: &[Family]) -> Queries<LinearQuery> {
    Queries::new(families)
}

/// Returns a strategy for rigid motions of these families, of all kinds.
///
/// # Panics
/// If `families` is empty.
pub fn rigid(families: &[Family]) -> Queries<RigidQuery> {
    Queries::new(families)
}

impl<Q> Queries<Q> {
    fn new(families: &[Family]) -> Self {
        assert!(!families.is_empty(), "at least one family is required");
        Self { families: families.to_vec(), of: PhantomData }
    }
}

impl<Q: Generate> Strategy for Queries<Q> {
    type Tree = Shrinking<Q>;
    type Value = Generated<Q>;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let seed = any::<u64>().new_tree(runner)?.current();
        let index = any::<u32>().new_tree(runner)?.current();
        let family = self.families[seed as usize % self.families.len()];
        let original = Q::generate(family, seed, u64::from(index));
        Ok(Shrinking { current: original, original, simplifier: Simplifier::new(original.query) })
    }
}

/// A query on its way to the simplest one that still fails.
#[derive(Debug, Clone)]
pub struct Shrinking<Q> {
    original: Generated<Q>,
    current: Generated<Q>,
    simplifier: Simplifier<Q>,
}

impl<Q: Generate> Shrinking<Q> {
    /// Moves to the next simpler query, or back to the best one if there is none.
    fn advance(&mut self) -> bool {
        let next = self.simplifier.next();
        let query = next.unwrap_or(self.simplifier.best);
        self.current =
            if query == self.original.query { self.original } else { self.original.with_query(query) };
        next.is_some()
    }
}

impl<Q: Generate> ValueTree for Shrinking<Q> {
    type Value = Generated<Q>;

    fn current(&self) -> Self::Value {
        self.current
    }

    /// The current query fails.
    fn simplify(&mut self) -> bool {
        if self.current.query != self.simplifier.best {
            self.simplifier.accept(self.current.query);
        }
        self.advance()
    }

    /// The current query passes.
    fn complicate(&mut self) -> bool {
        self.advance()
    }
}

#[cfg(test)]
mod tests {
    use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};

    use super::*;

    /// Shrinking finds the simplest query with a coordinate above 1.
    #[test]
    fn failures_shrink_to_the_simplest_query() {
        let config = Config { failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(
            config,
            proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
        );
        let result = runner.run(&linear(&[Family::Fast]), |case| {
            let fails = case.query.start[0].x > 1.0;
            if fails { Err(TestCaseError::fail("above 1")) } else { Ok(()) }
        });
        let Err(TestError::Fail(_, simplest)) = result else { panic!("{result:?}") };
        assert!(simplest.query.start[0].x > 1.0 && simplest.query.start[0].x.log2().fract() == 0.0);
        assert_eq!(
            simplest.query.end,
            [rigor_math::Vec3::zeros(); 4].map(|_| simplest.query.end[3]).map(|x| x * 0.0)
        );
    }
}
