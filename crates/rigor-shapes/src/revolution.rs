//! A profile revolved about an axis.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::{Check, SEGMENTS};
use super::circle::ring;
use super::loft::{End, capped, cyclic};
use super::outline::{Outline, tile};
use rigor_geometry::Mesh;

/// A profile revolved about the y axis.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Revolve"))]
pub struct Revolution {
    /// Points [r, y] (m). If r = 0 at both ends, the axis closes the profile; if r > 0 everywhere, the last
    /// point is joined to the first to form a ring.
    pub profile: Vec<[f64; 2]>,
    /// Vertices per circle, 3 to 4096.
    #[cfg_attr(feature = "serde", serde(default = "crate::form::round"))]
    pub segments: u32,
}

impl Revolution {
    /// The closed mesh.
    ///
    /// ```
    /// use rigor_shapes::Revolution;
    /// let tube = Revolution { profile: vec![[1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0]], segments: 4 }.mesh()?;
    /// assert!((tube.signed_volume() - 2.0 * (4.0 - 1.0)).abs() < 1e-14);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for a profile that crosses itself or meets the axis elsewhere, and segments out of range.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("revolve");
        check.count("segments", self.segments, SEGMENTS)?;
        let profile = Outline::Polygon(self.profile.clone()).points(check)?;
        tile(check, std::slice::from_ref(&profile))?;
        let n_on_axis = profile.iter().filter(|p| p[0] == 0.0).count();
        let is_solid =
            [self.profile.first(), self.profile.last()].iter().all(|p| p.is_some_and(|p| p[0] == 0.0));
        let allowed = if is_solid { 2 } else { 0 };
        let least = profile.iter().map(|p| p[0]).fold(f64::INFINITY, f64::min);
        check.that(
            least >= 0.0 && n_on_axis == allowed,
            "profile",
            least,
            "off the axis except at both ends",
        )?;
        let loops = |profile: &[[f64; 2]]| -> Vec<Vec<Vec3>> {
            profile.iter().map(|[r, y]| ring(*r, *y, self.segments)).collect()
        };
        if !is_solid {
            return cyclic(check, &loops(&profile));
        }
        // Counter-clockwise, the side along the axis runs down, so the point after it is the lower end.
        let top =
            profile.iter().zip(profile.iter().cycle().skip(1)).position(|(p, q)| p[0] == 0.0 && q[0] == 0.0);
        let mut profile = profile.clone();
        profile.rotate_left(top.expect("two neighbours are on the axis") + 1);
        let [bottom, between @ .., top] = &profile[..] else { unreachable!("a profile has three points") };
        capped(check, &loops(between), [bottom, top].map(|p| End::Tip(Vec3::y() * p[1])))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::sound::{assert_sound, frustum_sum, order_of};

    #[test]
    fn solids_and_rings_are_sound_whichever_way_they_are_drawn() {
        let spool =
            vec![[0.0, -1.0], [2.0, -1.0], [2.0, -0.5], [1.0, -0.5], [1.0, 0.5], [2.0, 0.5], [0.0, 1.0]];
        let tube = vec![[1.0, -1.0], [1.5, -1.0], [1.5, 2.0], [1.0, 2.0]];
        for (profile, euler) in [(spool, 2), (tube, 0)] {
            let there = Revolution { profile: profile.clone(), segments: 12 }.mesh().unwrap();
            assert_sound(&there, euler);
            let back =
                Revolution { profile: profile.into_iter().rev().collect(), segments: 12 }.mesh().unwrap();
            assert_sound(&back, euler);
            assert!((there.signed_volume() / back.signed_volume() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn volumes_are_those_of_stacked_frusta_and_approach_pappus() {
        let vase = vec![[0.0, 0.0], [1.0, 0.0], [0.5, 1.0], [0.8, 2.0], [0.0, 2.0]];
        let mesh = Revolution { profile: vase.clone(), segments: 7 }.mesh().unwrap();
        assert!((mesh.signed_volume() / frustum_sum(&vase[1..4], 7) - 1.0).abs() < 1e-13);
        let volume = |n| {
            let triangle = vec![[1.0, 0.0], [2.0, 0.0], [1.0, 1.0]];
            Revolution { profile: triangle, segments: n }.mesh().unwrap().signed_volume()
        };
        let exact = 2.0 * PI * (4.0 / 3.0) * 0.5;
        assert!((order_of(exact, volume(32), volume(64)) - 2.0).abs() < 0.01);
    }

    #[test]
    fn a_profile_that_crosses_the_axis_or_itself_is_an_error() {
        for profile in [
            vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]],
            vec![[-1.0, 0.0], [1.0, 0.0], [1.0, 1.0]],
            vec![[0.0, 0.0], [1.0, 0.0], [0.0, 0.5], [1.0, 1.0], [0.0, 1.0]],
            vec![[1.0, 0.0], [2.0, 1.0], [2.0, 0.0], [1.0, 1.0]],
        ] {
            assert!(Revolution { profile: profile.clone(), segments: 8 }.mesh().is_err(), "{profile:?}");
        }
    }
}
