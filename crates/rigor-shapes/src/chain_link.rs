//! A link of a chain.

use rigor_math::Vec3;

use super::ShapeError;
use super::check::{Check, SEGMENTS};
use super::circle::at;
use super::loft::cyclic;
use super::torus::section;
use rigor_geometry::Mesh;

/// A round wire bent to a stadium in the x–y plane: two straight parts along y, joined by two half circles.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainLink {
    /// Length of each straight part (m), ≥ 0.
    pub straight: f64,
    /// Radius of the half circles, measured to the wire's centre line (m).
    pub bend_radius: f64,
    /// Radius of the wire (m), less than `bend_radius`.
    pub wire_radius: f64,
    /// Number of segments per half circle, 2 to 2048.
    #[cfg_attr(feature = "serde", serde(default = "crate::form::half_round"))]
    pub segments: u32,
    /// Vertices per section of the wire, 3 to 4096.
    #[cfg_attr(feature = "serde", serde(default = "crate::form::half_round"))]
    pub sides: u32,
}

impl ChainLink {
    /// The closed mesh.
    ///
    /// ```
    /// use rigor_shapes::ChainLink;
    /// let link = ChainLink { straight: 1.0, bend_radius: 0.5, wire_radius: 0.2, segments: 8, sides: 8 };
    /// assert_eq!(link.mesh()?.bounds().extent().y, 1.0 + 2.0 * (0.5 + 0.2));
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that are not positive and finite or leave no opening, and counts out of bounds.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("chain link");
        let straight = self.straight >= 0.0 && self.straight.is_finite();
        check.that(straight, "straight", self.straight, "at least 0 and finite")?;
        check.positive("bend_radius", self.bend_radius)?;
        check.positive("wire_radius", self.wire_radius)?;
        check.count("segments", self.segments, 2..=2048)?;
        check.count("sides", self.sides, SEGMENTS)?;
        let allowed = || format!("less than bend_radius = {}", self.bend_radius);
        check.that(self.wire_radius < self.bend_radius, "wire_radius", self.wire_radius, allowed())?;
        // Where the half circles join directly, each leaves its last section to the other.
        let n_stations = if self.straight > 0.0 { self.segments + 1 } else { self.segments };
        let stations = [0, self.segments].into_iter().zip([0.5, -0.5]);
        let loops: Vec<Vec<Vec3>> = stations
            .flat_map(|(start, side)| (start..start + n_stations).map(move |k| (k, side)))
            .map(|(k, side)| {
                let [c, s] = at(k, 2 * self.segments);
                let out = Vec3::new(c, s, 0.0);
                let center = Vec3::y() * (side * self.straight) + out * self.bend_radius;
                section(&center, &out, &-Vec3::z(), self.wire_radius, self.sides)
            })
            .collect();
        cyclic(check, &loops)
    }

    /// The distance (m) between the centres of neighbouring links of a taut chain: the length of the opening,
    /// `straight` + 2 (`bend_radius` − `wire_radius`).
    ///
    /// Neighbours are turned by a quarter turn about y. Links placed closer by some gap are that gap apart.
    pub fn pitch(&self) -> f64 {
        self.straight + 2.0 * (self.bend_radius - self.wire_radius)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::sound::{assert_sound, first_crossing, order_of};

    const LINK: ChainLink =
        ChainLink { straight: 1.0, bend_radius: 0.5, wire_radius: 0.2, segments: 8, sides: 8 };

    #[test]
    fn links_are_sound_and_converge() {
        for link in [LINK, ChainLink { straight: 0.0, ..LINK }, ChainLink { segments: 2, sides: 3, ..LINK }] {
            assert_sound(&link.mesh().unwrap(), 0);
        }
        let volume = |n| ChainLink { segments: n, sides: 2 * n, ..LINK }.mesh().unwrap().signed_volume();
        let exact = PI * 0.04 * (2.0 * 1.0 + 2.0 * PI * 0.5); // section times length, by Pappus
        assert!((order_of(exact, volume(16), volume(32)) - 2.0).abs() < 0.01);
    }

    #[test]
    fn links_meet_at_their_pitch() {
        let link = LINK.mesh().unwrap();
        let next = |distance: f64| link.map_vertices(|v| Vec3::new(v.z, v.y - distance, -v.x));
        for (gap, touches) in [(1e-6, false), (-1e-3, true)] {
            let other = next(LINK.pitch() - gap);
            let crossing = first_crossing(&link, &other).or(first_crossing(&other, &link));
            assert_eq!(crossing.is_some(), touches, "{gap}");
        }
    }

    #[test]
    fn a_link_without_an_opening_is_an_error() {
        assert!(ChainLink { wire_radius: 0.5, ..LINK }.mesh().is_err());
        assert!(ChainLink { straight: -1.0, ..LINK }.mesh().is_err());
    }
}
