//! A hash of all bits of a run.

use rigor_math::{UnitQuaternion, Vec3, quaternion};
use rigor_scene::{Scene, State};

use crate::figure::Figure;
use crate::finding::Finding;
use crate::judge::{Frame, Judge};

const HASH: Figure = Figure::new(
    "determinism.hash",
    "1",
    "the upper 53 bits of a 64-bit hash of all poses and velocities; equal runs, equal hashes",
);

pub(crate) const FIGURES: &[Figure] = &[HASH];

/// FNV-1a with 64 bits, over the bytes of the frames.
///
/// hash ← (hash ⊕ byte) · 0x100000001b3, from 0xcbf29ce484222325. The bytes are those of `step` and of the
/// IEEE 754 bits of every number, least significant first. A frame consists of step and time; for each body
/// position, rotation (w, x, y, z), linear and angular velocity; for each particle position and velocity; then the
/// strains, if there are any. The memory of the method is left out, so that the hash can be computed from recorded frames. The hash
/// distinguishes +0 from −0 and NaNs with different bits. It does not protect against forgery.
///
/// The finding's detail is the whole hash in hexadecimal. Its value, which must fit exactly into an `f64`, is
/// the upper 53 bits as an integer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Determinism {
    hash: u64,
    n_frames: u64,
}

impl Default for Determinism {
    fn default() -> Self {
        Self { hash: 0xcbf2_9ce4_8422_2325, n_frames: 0 }
    }
}

impl Determinism {
    /// Returns the hash of the frames seen so far.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Adds the bits of one more frame.
    pub fn add(&mut self, state: &State) {
        self.n_frames += 1;
        self.add_bits(state.step);
        self.add_number(state.time);
        for body in &state.bodies {
            self.add_vector(&body.pose.position);
            self.add_rotation(&body.pose.rotation);
            self.add_vector(&body.linear_velocity);
            self.add_vector(&body.angular_velocity);
        }
        for particle in &state.particles {
            self.add_vector(&particle.position);
            self.add_vector(&particle.velocity);
        }
        for strain in &state.strains {
            strain.iter().for_each(|c| self.add_number(*c));
        }
    }

    fn add_bits(&mut self, bits: u64) {
        for byte in bits.to_le_bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn add_number(&mut self, number: f64) {
        self.add_bits(number.to_bits());
    }

    fn add_vector(&mut self, vector: &Vec3) {
        vector.iter().for_each(|c| self.add_number(*c));
    }

    fn add_rotation(&mut self, rotation: &UnitQuaternion) {
        quaternion::to_wxyz(rotation).into_iter().for_each(|c| self.add_number(c));
    }
}

impl Judge for Determinism {
    fn name(&self) -> &'static str {
        "determinism"
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        self.add(frame.state);
    }

    fn findings(&self, _scene: &Scene) -> Vec<Finding> {
        if self.n_frames == 0 {
            return Vec::new();
        }
        let value = (self.hash >> 11) as f64;
        vec![Finding::of_scene(&HASH, value).detailed(format!("{:016x}", self.hash))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cube, scene};

    #[test]
    fn the_hash_is_fnv_1a() {
        // The bytes of "foobarba"; the expected hash follows the definition in 128-bit integers.
        let mut hash = Determinism::default();
        hash.add_bits(u64::from_le_bytes(*b"foobarba"));
        let expected = b"foobarba".iter().fold(0xcbf2_9ce4_8422_2325_u128, |h, b| {
            ((h ^ u128::from(*b)) * ((1 << 40) + 0x1b3)) % (1 << 64)
        });
        assert_eq!(u128::from(hash.hash()), expected);
    }

    #[test]
    fn one_bit_changes_the_hash() {
        let scene = scene(vec![cube("a", Vec3::zeros()), cube("b", Vec3::x())]);
        let hash_of = |change: fn(&mut State)| {
            let mut state = State::initial(&scene);
            change(&mut state);
            let mut hash = Determinism::default();
            hash.add(&state);
            hash.hash()
        };
        let original = hash_of(|_| ());
        assert_eq!(original, hash_of(|_| ()));
        let changes: [fn(&mut State); 7] = [
            |s| s.step = 1,
            |s| s.time = f64::MIN_POSITIVE,
            |s| s.bodies[1].pose.position.x = 1.0_f64.next_up(),
            |s| s.bodies[0].linear_velocity.z = -0.0,
            |s| s.bodies[0].angular_velocity.y = 5e-324,
            |s| s.bodies.swap(0, 1),
            |s| s.strains = vec![rigor_math::Mat3::zeros(); 2],
        ];
        for change in changes {
            assert_ne!(original, hash_of(change));
        }
    }
}
