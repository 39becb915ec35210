//! A spur gear.

use std::f64::consts::PI;

use rigor_math::Vec3;
use rigor_math::elementary::{acos, cos, sin_cos};

use super::ShapeError;
use super::check::Check;
use super::circle::circle;
use super::loft::{End, capped, cyclic};
use rigor_geometry::Mesh;

/// A spur gear with involute teeth about the y axis, one tooth pointing to +x.
///
/// With m the module, z the number of teeth and α the pressure angle: the pitch radius is m z/2, the base
/// radius that times cos α, and teeth reach from 1.25 m below the pitch circle to m above it. Two gears of
/// equal module and pressure angle mesh at the centre distance m (z₁ + z₂)/2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gear {
    /// Number of teeth, from 5 to 1024.
    pub teeth: u32,
    /// Module m (m): pitch diameter over number of teeth.
    pub module: f64,
    /// Pressure angle α (rad), from 0.17 to 0.53 (10° to 30°); 20° is usual.
    pub pressure_angle: f64,
    /// Arc (m) on the pitch circle by which each tooth is thinner than half the pitch.
    pub backlash: f64,
    /// Width (m) along y.
    pub width: f64,
    /// Radius (m) of the hole for the axle; 0 for none.
    pub bore: f64,
    /// Number of chords per flank, from 1 to 64.
    pub flank_segments: u32,
}

impl Gear {
    /// A gear without bore, with a pressure angle of 20°, a backlash of m/20, a width of 8 m and flanks of six chords.
    pub fn new(teeth: u32, module: f64) -> Self {
        Self {
            teeth,
            module,
            pressure_angle: PI / 9.0,
            backlash: module / 20.0,
            width: 8.0 * module,
            bore: 0.0,
            flank_segments: 6,
        }
    }

    /// The closed mesh.
    ///
    /// Flanks are involutes of the base circle, x(u) = r_b (cos u + u sin u, sin u − u cos u), down to the
    /// base circle or the root, whichever is higher. From the base circle a straight line leads down to the
    /// root and makes the tooth there wider by a tenth of the gap. Tips and roots are chords.
    ///
    /// ```
    /// use rigor_shapes::Gear;
    /// let gear = Gear::new(20, 1e-3).mesh()?;
    /// let diameter = gear.bounds().extent().x;
    /// assert!(diameter < 22e-3 && diameter > 21.9e-3);
    /// # Ok::<(), rigor_shapes::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`] for parameters out of bounds, and for teeth that come to a point or leave no gap.
    pub fn mesh(&self) -> Result<Mesh, ShapeError> {
        let check = Check("gear");
        self.check(check)?;
        let tooth = self.tooth(check)?;
        let half = self.width / 2.0;
        let rim = |y: f64| self.around(&tooth, y, |radius| radius);
        let bore = |y: f64| self.around(&tooth, y, |_| self.bore);
        let [bottom, top] = [rim(-half), rim(half)];
        if self.bore > 0.0 {
            return cyclic(check, &[bottom, top, bore(half), bore(-half)]);
        }
        capped(check, &[bottom, top], [-half, half].map(|y| End::Tip(Vec3::y() * y)))
    }

    /// The radius (m) of the pitch circle, m z/2.
    pub fn pitch_radius(&self) -> f64 {
        self.module * f64::from(self.teeth) / 2.0
    }

    /// The radius (m) of the circle through the roots.
    fn root_radius(&self) -> f64 {
        self.pitch_radius() - 1.25 * self.module
    }

    fn check(&self, check: Check) -> Result<(), ShapeError> {
        check.count("teeth", self.teeth, 5..=1024)?;
        check.positive("module", self.module)?;
        let angle = self.pressure_angle;
        check.that((0.17..=0.53).contains(&angle), "pressure_angle", angle, "from 0.17 to 0.53")?;
        let backlash = self.backlash >= 0.0 && self.backlash < self.module;
        check.that(backlash, "backlash", self.backlash, "at least 0 and less than the module")?;
        check.positive("width", self.width)?;
        let bore = self.bore >= 0.0 && self.bore < self.root_radius();
        check.that(bore, "bore", self.bore, format!("at least 0 and less than {}", self.root_radius()))?;
        check.count("flank_segments", self.flank_segments, 1..=64)
    }

    /// One tooth about +x, counter-clockwise: radii (m) and strictly increasing angles (rad).
    fn tooth(&self, check: Check) -> Result<Vec<[f64; 2]>, ShapeError> {
        let [pitch, root] = [self.pitch_radius(), self.root_radius()];
        let base = pitch * cos(self.pressure_angle);
        let tip = pitch + self.module;
        // Half the tooth's angle at radius r: ψ(r) = ψ(pitch) + inv α − inv α_r with cos α_r = r_b/r.
        let at_pitch = (PI * self.module / 2.0 - self.backlash) / (2.0 * pitch);
        let half = |r: f64| at_pitch + involute(self.pressure_angle) - involute(acos((base / r).min(1.0)));
        let pitch_angle = PI / f64::from(self.teeth);
        let foot = base.max(root);
        let gap = pitch_angle - half(foot);
        check.that(half(tip) > 0.0, "half angle of the tip", half(tip), "positive: teeth come to a point")?;
        check.that(gap > 0.0, "half angle of the gap", gap, "positive: teeth meet at their roots")?;
        let n = self.flank_segments;
        let mut flank: Vec<[f64; 2]> =
            if root < base { vec![[root, half(foot) + 0.1 * gap]] } else { vec![] };
        flank.extend((0..=n).map(|k| {
            let r = foot + (tip - foot) * f64::from(k) / f64::from(n);
            [r, half(r)]
        }));
        let rising = flank.iter().map(|&[r, angle]| [r, -angle]);
        Ok(rising.chain(flank.iter().rev().copied()).collect())
    }

    /// The loop of all teeth at height y, with `radius` applied to the radius of each point.
    fn around(&self, tooth: &[[f64; 2]], y: f64, radius: impl Fn(f64) -> f64) -> Vec<Vec3> {
        let turns = circle(self.teeth);
        let place = |[c, s]: [f64; 2], [r, angle]: [f64; 2]| {
            let (sin, cos) = sin_cos(angle);
            Vec3::new((c * cos - s * sin) * radius(r), y, -(s * cos + c * sin) * radius(r))
        };
        turns.iter().flat_map(|turn| tooth.iter().map(|point| place(*turn, *point))).collect()
    }
}

/// The involute function tan α − α.
fn involute(alpha: f64) -> f64 {
    let (s, c) = sin_cos(alpha);
    s / c - alpha
}

#[cfg(test)]
mod tests {
    use rigor_math::UnitQuaternion;

    use super::*;
    use crate::sound::{assert_sound, first_crossing};

    #[test]
    fn gears_are_sound_with_few_teeth_and_many_with_and_without_bore() {
        for teeth in [6, 12, 17, 60] {
            for bore in [0.0, 1e-3] {
                let gear = Gear { bore, ..Gear::new(teeth, 1e-3) };
                assert_sound(&gear.mesh().unwrap(), if bore > 0.0 { 0 } else { 2 });
            }
        }
    }

    #[test]
    fn the_section_is_that_of_the_outline() {
        let gear = Gear { bore: 2e-3, ..Gear::new(20, 1e-3) };
        let outline = gear.tooth(Check("gear")).unwrap();
        let n = outline.len();
        // Twice the area of the sectors between neighbours: r r' sin of the angle between.
        let sector = |k: usize| {
            let ([r, a], [s, b]) = (outline[k], outline[(k + 1) % n]);
            let b = if k + 1 == n { b + 2.0 * PI / 20.0 } else { b };
            [r * s, 4e-6].map(|f| f * (b - a).sin())
        };
        let area: f64 = (0..n).map(|k| sector(k)[0] - sector(k)[1]).sum::<f64>() * 20.0 / 2.0;
        let volume = gear.mesh().unwrap().signed_volume();
        assert!((volume / (area * 8e-3) - 1.0).abs() < 1e-12);
    }

    /// The gears mesh in every phase, from a tooth on the line of centres to the next tooth.
    #[test]
    fn two_gears_run_together_until_nearness_uses_up_their_backlash() {
        let (large, small) =
            (Gear { width: 4e-3, ..Gear::new(30, 1e-3) }, Gear { width: 5e-3, ..Gear::new(18, 1e-3) });
        let [a, b] = [large, small].map(|g| g.mesh().unwrap());
        let distance = large.pitch_radius() + small.pitch_radius();
        let turned = |mesh: &Mesh, angle: f64, x: f64| {
            let turn = UnitQuaternion::from_axis_angle(&Vec3::y_axis(), angle);
            mesh.map_vertices(|v| turn * v + Vec3::x() * x)
        };
        let meet = |phase: f64, distance: f64| {
            let a = turned(&a, phase, 0.0);
            // Opposite a tooth of a (at +x) lies a gap of b: b is turned by half a turn and half a pitch.
            let b = turned(&b, PI + PI / 18.0 - phase * 30.0 / 18.0, distance);
            first_crossing(&a, &b).or(first_crossing(&b, &a)).is_some()
        };
        let any = |distance| (0..12).any(|k| meet(2.0 * PI / 30.0 * f64::from(k) / 12.0, distance));
        assert!(!any(distance));
        // Closer by d, the involutes lose 2 d tan α of the total backlash of 0.1 mm: none is left at d =
        // 0.137 mm.
        assert!(!any(distance - 0.12e-3));
        assert!(any(distance - 0.155e-3));
    }

    #[test]
    fn teeth_that_cannot_be_are_errors() {
        let gear = Gear::new(20, 1e-3);
        assert!(Gear { teeth: 3, ..gear }.mesh().is_err());
        assert!(Gear { bore: 9e-3, ..gear }.mesh().is_err());
        assert!(Gear { pressure_angle: 20.0, ..gear }.mesh().is_err());
        assert!(Gear { backlash: -1.0, ..gear }.mesh().is_err());
        let pointed = Gear { teeth: 5, pressure_angle: 0.53, ..gear }.mesh().unwrap_err().to_string();
        assert!(pointed.contains("come to a point"), "{pointed}");
    }
}
