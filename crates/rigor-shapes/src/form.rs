//! The written form of shapes: defaults, and vectors as lists of three numbers.

pub fn ones() -> [u32; 3] {
    [1; 3]
}

pub fn is_ones(segments: &[u32; 3]) -> bool {
    *segments == ones()
}

pub fn one_by_one() -> [u32; 2] {
    [1; 2]
}

pub fn is_one_by_one(segments: &[u32; 2]) -> bool {
    *segments == one_by_one()
}

pub fn round() -> u32 {
    32
}

pub fn half_round() -> u32 {
    16
}

pub fn quarter_round() -> u32 {
    8
}

pub fn thrice() -> u32 {
    3
}

pub fn forty_eight() -> u32 {
    48
}

/// Vectors in the form `[x, y, z]`.
pub mod triples {
    use rigor_math::Vec3;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// One or more vectors.
    pub trait Triples {
        /// The same numbers without the type of a vector.
        type Plain;
        fn plain(&self) -> Self::Plain;
        fn of(plain: Self::Plain) -> Self;
    }

    impl Triples for Vec3 {
        type Plain = [f64; 3];
        fn plain(&self) -> [f64; 3] {
            (*self).into()
        }
        fn of(plain: [f64; 3]) -> Self {
            plain.into()
        }
    }

    impl<const N: usize> Triples for [Vec3; N] {
        type Plain = [[f64; 3]; N];
        fn plain(&self) -> Self::Plain {
            self.map(Into::into)
        }
        fn of(plain: Self::Plain) -> Self {
            plain.map(Vec3::from)
        }
    }

    impl Triples for Vec<Vec3> {
        type Plain = Vec<[f64; 3]>;
        fn plain(&self) -> Self::Plain {
            self.iter().map(|v| (*v).into()).collect()
        }
        fn of(plain: Self::Plain) -> Self {
            plain.into_iter().map(Vec3::from).collect()
        }
    }

    pub fn serialize<T: Triples<Plain: Serialize>, S: Serializer>(
        vectors: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        vectors.plain().serialize(serializer)
    }

    pub fn deserialize<'de, T: Triples<Plain: Deserialize<'de>>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        T::Plain::deserialize(deserializer).map(T::of)
    }
}
