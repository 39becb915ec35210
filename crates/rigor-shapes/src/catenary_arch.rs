//! An arch along a catenary.

use rigor_math::elementary::ln;

use super::ShapeError;
use super::arch_stone::strip;
use super::check::Check;
use super::extrude::extrude;
use rigor_geometry::Mesh;

/// An arch along an inverted hanging chain, y = −a cosh(x/a), which stands without friction in its joints.
///
/// Joints are normal to the line and equally spaced along it. The feet of the line are at y = 0, symmetric
/// about the y axis.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        description = "An arch of stones along an inverted catenary, in one mesh, with its feet at y = 0. With `split` each stone\nis a body."
    )
)]
pub struct CatenaryArch {
    /// Distance between the feet of the catenary (m).
    pub span: f64,
    /// Height of the catenary at its centre (m).
    pub rise: f64,
    /// Thickness of the stones across the catenary (m).
    pub thickness: f64,
    /// Width along z (m).
    pub depth: f64,
    /// Number of stones, 1 to 4096.
    pub stones: u32,
    /// Width of the joints along the catenary (m).
    #[cfg_attr(feature = "serde", serde(default))]
    pub gap: f64,
}

impl CatenaryArch {
    /// The stones, from +x to −x, each in place: hexahedra of 12 triangles.
    ///
    /// With s the arc length of the line from its top and ψ its slope: s = a tan ψ, x = a asinh(s/a), y = a +
    /// rise − √(a² + s²).
    ///
    /// ```
    /// use rigor_shapes::CatenaryArch;
    /// let arch =
    ///     CatenaryArch { span: 4.0, rise: 3.0, thickness: 0.3, depth: 0.5, stones: 25, gap: 1e-3 };
    /// assert_eq!(arch.meshes()?.len(), 25);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for lengths that are not positive and finite, a number of stones out of bounds, stones
    /// so thick that their undersides meet, and a gap that leaves no stone.
    pub fn meshes(&self) -> Result<Vec<Mesh>, ShapeError> {
        let check = Check("catenary arch");
        check.positive("span", self.span)?;
        check.positive("rise", self.rise)?;
        check.positive("depth", self.depth)?;
        check.count("stones", self.stones, 1..=4096)?;
        let a = self.scale();
        let ratio = self.rise / self.span;
        check.that(a.is_finite() && a > 0.0, "rise / span", ratio, "from 1e-6 to 1e6")?;
        // The line is most curved at its top, with radius a; a stone thicker than 2a would fold there.
        check.below("thickness", self.thickness, 2.0 * a)?;
        let length = (self.rise * (self.rise + 2.0 * a)).sqrt(); // from the top to a foot
        let part = 2.0 * length / f64::from(self.stones);
        check.that(
            self.gap >= 0.0 && self.gap < part,
            "gap",
            self.gap,
            "at least 0 and less than a stone",
        )?;
        let joint = |s: f64| self.joint(s, a);
        let stone = |k: u32| {
            let start = length - part * f64::from(k);
            let [[p, q], [r, t]] = [joint(start - self.gap / 2.0), joint(start - part + self.gap / 2.0)];
            extrude(check, &[q, t, r, p], &strip(1), self.depth)
        };
        (0..self.stones).map(stone).collect()
    }

    /// The inner and outer point (m) of the joint at arc length s from the top, towards +x.
    fn joint(&self, s: f64, a: f64) -> [[f64; 2]; 2] {
        let root = (a * a + s * s).sqrt();
        let x = s.signum() * a * asinh(s.abs() / a);
        let middle = [x, a + self.rise - root];
        let outward = [s / root, a / root];
        [-0.5, 0.5].map(|half| [0, 1].map(|k| middle[k] + half * self.thickness * outward[k]))
    }

    /// The a for which a (cosh(span/2a) − 1) = rise, that is span/2 = a asinh(√(rise (rise + 2a))/a), by
    /// bisection; NaN if rise/span is out of bounds.
    fn scale(&self) -> f64 {
        let (half, rise) = (self.span / 2.0, self.rise);
        let reach = |a: f64| a * asinh((rise * (rise + 2.0 * a)).sqrt() / a);
        let ratio = rise / self.span;
        if !(1e-6..=1e6).contains(&ratio) {
            return f64::NAN;
        }
        // The reach grows with a; a shallow arch has a ≈ span²/(8 rise).
        let (mut low, mut high) = (0.0, self.span * (1.0 + 1.0 / ratio));
        for _ in 0..200 {
            let middle = (low + high) / 2.0;
            if reach(middle) < half { low = middle } else { high = middle }
        }
        high
    }
}

/// The u ≥ 0 for which sinh u = x.
fn asinh(x: f64) -> f64 {
    let tail = x + x * x / (1.0 + (1.0 + x * x).sqrt());
    // ln(1 + tail), without losing digits for small tails.
    let one_more = 1.0 + tail;
    let lost = tail - (one_more - 1.0);
    ln(one_more) + lost / one_more
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::assert_sound;
    use rigor_geometry::MassProperties;

    /// The line of thrust of a chain passes through the middle of every joint: the horizontal thrust is
    /// constant, so the slope at each joint is the weight above it divided by the thrust.
    #[test]
    fn the_weight_above_each_joint_balances_a_constant_thrust_along_the_line() {
        let arch = CatenaryArch { span: 4.0, rise: 3.0, thickness: 0.02, depth: 0.5, stones: 400, gap: 0.0 };
        let stones = arch.meshes().unwrap();
        let masses: Vec<f64> = stones.iter().map(|m| MassProperties::of(m, 1.0).unwrap().mass).collect();
        let a = arch.scale();
        let part = 2.0 * (3.0 * (3.0 + 2.0 * a)).sqrt() / 400.0;
        let mut weight = 0.0;
        for (k, mass) in masses[..200].iter().rev().enumerate() {
            weight += mass;
            let slope = part * (k + 1) as f64 / a; // tan ψ = s/a
            let thrust = weight / slope;
            assert!((thrust / (a * 0.02 * 0.5) - 1.0).abs() < 1e-4, "joint {k}: {thrust}");
        }
        for stone in &stones {
            assert_sound(stone, 2);
        }
    }

    #[test]
    fn a_catenary_has_its_span_and_rise() {
        for (span, rise) in [(4.0_f64, 3.0_f64), (1.0, 1e-3), (0.1, 5.0)] {
            let thickness = 1e-6 * rise.min(span);
            let arch = CatenaryArch { span, rise, thickness, depth: 1.0, stones: 10, gap: 0.0 };
            let stones = arch.meshes().unwrap();
            let all = stones.iter().fold(rigor_geometry::Aabb::EMPTY, |b, m| b.union(&m.bounds()));
            assert!((all.extent().x / span - 1.0).abs() < 1e-5 && (all.max.y / rise - 1.0).abs() < 1e-5);
        }
        let flat = CatenaryArch { span: 1.0, rise: 1e-9, thickness: 0.1, depth: 1.0, stones: 10, gap: 0.0 };
        assert!(flat.meshes().is_err());
    }
}
