//! Numbers as the device has them: little-endian, in groups of four.

use rigor_math::Vec3;

/// Numbers in the order of a structure of the device.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl Bytes {
    /// Adds a number, rounded to single precision.
    pub fn float(&mut self, x: f64) {
        self.0.extend_from_slice(&(x as f32).to_le_bytes());
    }

    /// Adds an integer.
    pub fn integer(&mut self, n: u32) {
        self.0.extend_from_slice(&n.to_le_bytes());
    }

    /// Adds a vector and a fourth number.
    pub fn vector(&mut self, v: &Vec3, w: f64) {
        self.triple(v);
        self.float(w);
    }

    /// Adds a vector and an integer in the place of the fourth number.
    pub fn vector_and_bits(&mut self, v: &Vec3, bits: u32) {
        self.triple(v);
        self.integer(bits);
    }

    /// Adds numbers, rounded to single precision.
    pub fn floats<const N: usize>(&mut self, all: [f64; N]) {
        all.into_iter().for_each(|x| self.float(x));
    }

    /// Adds integers.
    pub fn integers<const N: usize>(&mut self, all: [u32; N]) {
        all.into_iter().for_each(|n| self.integer(n));
    }

    fn triple(&mut self, v: &Vec3) {
        self.floats([v.x, v.y, v.z]);
    }
}

/// The float at the place `i` of an array of the device.
pub fn float_at(bytes: &[u8], i: usize) -> f64 {
    f64::from(f32::from_bits(integer_at(bytes, i)))
}

/// The integer at the place `i` of an array of the device; 0 beyond its end.
pub fn integer_at(bytes: &[u8], i: usize) -> u32 {
    bytes.get(4 * i..4 * i + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_le_bytes)
}
