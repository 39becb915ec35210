//! The two types of queries, and the methods of each.

use rigor_ccd::{Ccd, LinearMethod, LinearQuery, RigidMethod, RigidQuery, Truth};
use rigor_ccd_test::Generate;
use rigor_ccd_test::oracle;

use super::native::WritableQuery;

/// A type of query, with the methods that answer it.
pub trait AnsweredQuery: WritableQuery + Generate {
    /// A method that answers queries of this type.
    type Method: Ccd<Self> + Copy + Send + Sync + 'static;
    /// Name of the type in tables, such as `linear`.
    const TYPE: &'static str;
    /// All methods, the default first.
    fn methods() -> &'static [Self::Method];
    /// Name of a method.
    fn name(method: Self::Method) -> &'static str;
    /// Returns whether a method is conservative: it guarantees never to answer late.
    fn is_conservative(method: Self::Method) -> bool;
    /// Proves the truth with exact arithmetic, which is slow.
    fn proven(&self) -> Truth;
}

impl AnsweredQuery for LinearQuery {
    type Method = LinearMethod;
    const TYPE: &'static str = "linear";

    fn methods() -> &'static [LinearMethod] {
        LinearMethod::ALL
    }

    fn name(method: LinearMethod) -> &'static str {
        method.name()
    }

    fn is_conservative(_method: LinearMethod) -> bool {
        true
    }

    fn proven(&self) -> Truth {
        oracle::linear(self)
    }
}

impl AnsweredQuery for RigidQuery {
    type Method = RigidMethod;
    const TYPE: &'static str = "rigid";

    fn methods() -> &'static [RigidMethod] {
        RigidMethod::ALL
    }

    fn name(method: RigidMethod) -> &'static str {
        method.name()
    }

    fn is_conservative(method: RigidMethod) -> bool {
        method.is_conservative()
    }

    fn proven(&self) -> Truth {
        oracle::rigid(self)
    }
}
