//! A nut.

use super::ShapeError;
use super::bolt::steps;
use super::check::Check;
use super::loft::{add, wall};
use super::thread::{Thread, hexagon};
use rigor_geometry::Mesh;

/// A hexagonal nut with axis y, from y = 0 up.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Nut {
    /// The thread of the bolt.
    pub thread: Thread,
    /// Difference between the thread radii of nut and bolt (m).
    pub clearance: f64,
    /// Height (m), rounded to a multiple of pitch/segments.
    pub height: f64,
    /// Circumradius of the hexagon (m); its sides must project beyond the thread.
    pub radius: f64,
    /// Vertices per turn, 12 to 960, a multiple of 6.
    #[cfg_attr(feature = "serde", serde(default = "crate::form::forty_eight"))]
    pub segments: u32,
}

impl Nut {
    /// The closed mesh; the origin is the middle of the lower face.
    ///
    /// ```
    /// use rigor_shapes::{Nut, Thread};
    /// let thread = Thread { radius: 3e-3, pitch: 1e-3 };
    /// let nut = Nut { thread, clearance: 0.05e-3, height: 5e-3, radius: 5.5e-3, segments: 48 };
    /// assert_eq!(nut.mesh()?.euler_characteristic(), 0);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for parameters out of bounds.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("nut");
        self.thread.check(check, self.segments)?;
        let steps = steps(check, "height", self.height, &self.thread, self.segments)?;
        let widest = self.thread.radius + self.clearance;
        let least = self.thread.least_clearance(self.segments);
        let free = self.clearance > least && self.clearance < self.thread.depth();
        let allowed = format!("more than {least} and less than the thread's depth");
        check.that(free, "clearance", self.clearance, allowed)?;
        let narrowest = widest / 0.75_f64.sqrt();
        let stands_out = self.radius > narrowest && self.radius.is_finite();
        check.that(stands_out, "radius", self.radius, format!("more than {narrowest}"))?;
        let thread = self.thread.wall(self.segments, steps, self.clearance);
        let mut skin = thread.skin;
        for triangle in &mut skin.triangles {
            triangle.swap(1, 2); // so that it faces the axis
        }
        let top = self.thread.pitch * f64::from(steps) / f64::from(self.segments);
        let [under, over] = [0.0, top].map(|y| add(&mut skin, &hexagon(self.radius, y, self.segments)));
        skin.triangles.extend(wall(&under, &over));
        skin.triangles.extend(wall(&over, &thread.top));
        skin.triangles.extend(wall(&thread.bottom, &under));
        check.mesh(skin.into_mesh())
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use rigor_math::{UnitQuaternion, Vec3};

    use super::super::Bolt;
    use super::*;
    use crate::sound::{assert_sound, first_crossing};

    const THREAD: Thread = Thread { radius: 3e-3, pitch: 1e-3 };
    const NUT: Nut = Nut { thread: THREAD, clearance: 0.02e-3, height: 3e-3, radius: 5.5e-3, segments: 48 };

    #[test]
    fn nuts_are_sound_at_any_height_and_number_of_segments() {
        for (segments, height) in [(48, 3e-3), (48, 3.337e-3), (30, 2.51e-3), (96, 2e-3)] {
            assert_sound(&Nut { segments, height, clearance: 0.05e-3, ..NUT }.mesh().unwrap(), 0);
        }
    }

    #[test]
    fn a_nut_turns_on_its_bolt_and_goes_no_other_way() {
        let bolt =
            Bolt { thread: THREAD, length: 6e-3, head_radius: 5.5e-3, head_height: 2e-3, segments: 48 };
        let (bolt, nut) = (bolt.mesh().unwrap(), NUT.mesh().unwrap());
        let meet = |turns: f64, lift: f64, sideways: f64| {
            let turn = UnitQuaternion::from_axis_angle(&Vec3::y_axis(), TAU * turns);
            let to = Vec3::new(sideways, THREAD.pitch * turns + lift, 0.0);
            let nut = nut.map_vertices(|v| turn * v + to);
            first_crossing(&bolt, &nut).or(first_crossing(&nut, &bolt)).is_some()
        };
        let least = THREAD.least_clearance(48);
        assert!(least > 6e-6 && least < 10e-6);
        let tight = Nut { clearance: 1.01 * least, ..NUT }.mesh().unwrap();
        for k in 0..16 {
            let turns = 1.0 + f64::from(k) / 16.0 / 48.0;
            let turn = UnitQuaternion::from_axis_angle(&Vec3::y_axis(), TAU * turns);
            let tight = tight.map_vertices(|v| turn * v + Vec3::y() * (THREAD.pitch * turns));
            assert_eq!(first_crossing(&bolt, &tight).or(first_crossing(&tight, &bolt)), None, "{turns}");
        }
        // Whole and half segments and odd fractions of them, also beyond either end.
        for turns in [0.0, 1.0, 2.0, 10.0 / 48.0, 10.5 / 48.0, 1.123, 2.7, -1.3] {
            assert!(!meet(turns, 0.0, 0.0), "{turns}");
        }
        assert!(!meet(1.0, 0.005e-3, 0.0), "along the axis there is 0.02 mm / √3 of play");
        assert!(meet(1.0, 0.02e-3, 0.0) && meet(1.0, -0.02e-3, 0.0));
        assert!(meet(1.0, 0.5e-3, 0.0), "crest on crest");
        assert!(meet(1.0, 0.0, 0.03e-3) && !meet(1.0, 0.0, 0.005e-3));
        assert!(meet(3.5, 0.0, 0.0), "against the head");
    }

    #[test]
    fn nuts_that_cannot_be_are_errors() {
        let error = |nut: Nut| nut.mesh().unwrap_err().to_string();
        assert!(
            error(Nut { clearance: 0.005e-3, ..NUT })
                .starts_with("nut: clearance = 0.000005 must be more than")
        );
        assert!(error(Nut { radius: 3e-3, ..NUT }).contains("radius"));
        assert!(error(Nut { height: f64::NAN, ..NUT }).contains("height"));
    }
}
