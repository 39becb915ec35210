//! A bolt.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::Check;
use super::loft::{End, add, cap, wall};
use super::thread::{Thread, hexagon};
use rigor_geometry::Mesh;

/// A bolt with axis y: a thread from y = 0 up, with a hexagonal head on top. A nut with the same thread and
/// segments fits on it when rotated by any angle about y and lifted by pitch · angle/360°.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bolt {
    /// The thread.
    pub thread: Thread,
    /// Length of the thread (m), rounded to a multiple of pitch/segments.
    pub length: f64,
    /// Circumradius of the head (m); its sides must project beyond the thread.
    pub head_radius: f64,
    /// Height of the head (m).
    pub head_height: f64,
    /// Vertices per turn, 12 to 960, a multiple of 6.
    #[cfg_attr(feature = "serde", serde(default = "crate::form::forty_eight"))]
    pub segments: u32,
}

impl Bolt {
    /// The closed mesh; the origin is the middle of the thread's lower end.
    ///
    /// ```
    /// use rigor_shapes::{Bolt, Thread};
    /// let thread = Thread { radius: 3e-3, pitch: 1e-3 };
    /// let bolt = Bolt { thread, length: 10e-3, head_radius: 5.5e-3, head_height: 4e-3, segments: 48 };
    /// assert!(bolt.mesh()?.is_closed());
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for parameters out of bounds.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("bolt");
        self.thread.check(check, self.segments)?;
        let steps = steps(check, "length", self.length, &self.thread, self.segments)?;
        check.positive("head_height", self.head_height)?;
        let narrowest = self.thread.radius / 0.75_f64.sqrt();
        let stands_out = self.head_radius > narrowest && self.head_radius.is_finite();
        check.that(stands_out, "head_radius", self.head_radius, format!("more than {narrowest}"))?;
        let thread = self.thread.wall(self.segments, steps, 0.0);
        let mut skin = thread.skin;
        let [under, over] = [0.0, self.head_height].map(|h| {
            let y = self.thread.pitch * f64::from(steps) / f64::from(self.segments) + h;
            hexagon(self.head_radius, y, self.segments)
        });
        let top = Vec3::y() * over[0].y;
        let [under, over] = [under, over].map(|l| add(&mut skin, &l));
        skin.triangles.extend(wall(&thread.top, &under));
        skin.triangles.extend(wall(&under, &over));
        let lower_end: Vec<u32> = thread.bottom.iter().rev().copied().collect();
        cap(&mut skin, &lower_end, End::Tip(Vec3::zeros()));
        cap(&mut skin, &over, End::Tip(top));
        check.mesh(skin.into_mesh())
    }
}

/// The length in steps of pitch/segments; it must be 1 to 1000 pitches.
pub(super) fn steps(
    check: Check,
    name: &'static str,
    length: f64,
    thread: &Thread,
    segments: u32,
) -> Result<u32, ShapeError> {
    let pitches = length / thread.pitch;
    let allowed = format!("from 1 to 1000 pitches of {}", thread.pitch);
    check.that((1.0..=1000.0).contains(&pitches), name, length, allowed)?;
    Ok((pitches * f64::from(segments)).round() as u32)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::sound::assert_sound;

    const BOLT: Bolt = Bolt {
        thread: Thread { radius: 3e-3, pitch: 1e-3 },
        length: 6e-3,
        head_radius: 5.5e-3,
        head_height: 4e-3,
        segments: 48,
    };

    #[test]
    fn bolts_are_sound_at_any_length_and_number_of_segments() {
        for (segments, length) in [(48, 6e-3), (48, 3.337e-3), (12, 2e-3), (30, 2.51e-3), (96, 2e-3)] {
            assert_sound(&Bolt { segments, length, ..BOLT }.mesh().unwrap(), 2);
        }
    }

    #[test]
    fn its_volume_converges_to_that_of_the_thread_and_head() {
        // ⟨r²⟩ over a pitch: root 4/16, flanks 5/16 each of (a² + a b + b²)/3, crest 2/16.
        let (b, a) = (3e-3, 3e-3 - BOLT.thread.depth());
        let mean_sq = (4.0 * a * a + 10.0 * (a * a + a * b + b * b) / 3.0 + 2.0 * b * b) / 16.0;
        let head = 1.5 * 3.0_f64.sqrt() * 5.5e-3 * 5.5e-3 * 4e-3;
        let exact = PI * mean_sq * 6e-3 + head;
        // The loss to chords is quadratic in the segment size; that to the flank diagonals, which all run one
        // way, is linear with a small factor.
        let error =
            |segments| (Bolt { segments, ..BOLT }.mesh().unwrap().signed_volume() / exact - 1.0).abs();
        assert!(error(48) < 1e-3 && error(96) < 3e-4 && error(384) < 3e-5);
    }

    #[test]
    fn bolts_that_cannot_be_are_errors() {
        let error = |bolt: Bolt| bolt.mesh().unwrap_err().to_string();
        assert!(
            error(Bolt { head_radius: 3e-3, ..BOLT })
                .starts_with("bolt: head_radius = 0.003 must be more than")
        );
        assert!(error(Bolt { segments: 50, ..BOLT }).ends_with("a multiple of 6"));
        assert!(error(Bolt { length: 0.5e-3, ..BOLT }).contains("from 1 to 1000 pitches"));
        let coarse = Thread { radius: 3e-3, pitch: 4e-3 };
        assert!(error(Bolt { thread: coarse, length: 8e-3, ..BOLT }).contains("thread.pitch"));
    }
}
