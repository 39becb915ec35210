//! The two types of queries, and the methods of each.

use rigor_ccd::{Ccd, Kind, LinearMethod, LinearQuery, RigidMethod, RigidQuery};

use super::native::Written;

/// A type of query that methods of its own answer.
pub trait Asked: Written + Copy + Send + Sync + 'static {
    /// A method by its name.
    type Method: Ccd<Self> + Copy + Send + Sync + 'static;
    /// As in tables: `linear`.
    const TYPE: &'static str;
    /// All methods, the default first.
    fn methods() -> &'static [Self::Method];
    /// A method's name.
    fn name(method: Self::Method) -> &'static str;
    /// Which primitives.
    fn kind(&self) -> Kind;
}

impl Asked for LinearQuery {
    type Method = LinearMethod;
    const TYPE: &'static str = "linear";

    fn methods() -> &'static [LinearMethod] {
        LinearMethod::ALL
    }

    fn name(method: LinearMethod) -> &'static str {
        method.name()
    }

    fn kind(&self) -> Kind {
        self.kind
    }
}

impl Asked for RigidQuery {
    type Method = RigidMethod;
    const TYPE: &'static str = "rigid";

    fn methods() -> &'static [RigidMethod] {
        RigidMethod::ALL
    }

    fn name(method: RigidMethod) -> &'static str {
        method.name()
    }

    fn kind(&self) -> Kind {
        self.kind
    }
}
