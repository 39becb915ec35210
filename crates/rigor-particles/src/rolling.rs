//! What the spacing of particles makes of rolling.

use std::f64::consts::PI;

use rigor_math::{Vec3, elementary};

/// Directions over which the resistance is averaged.
const DIRECTIONS: usize = 400;

/// Returns the mean slope on which a body with these corners rests before it rolls over: ⟨a/h⟩ over directions n that point down, with
/// the corner c that is lowest, its distance a = ‖c − (c·n) n‖ from the line of gravity through the centre of mass (the origin), and
/// the height h = c·n + r of that centre; balls of the radius `r` (m) are about the corners.
///
/// It is 0 for a ball about the origin. A body that turns over the corners of a regular shape keeps its energy only in part: it is also the
/// scale of what rolling costs.
pub(crate) fn resistance(corners: &[Vec3], r: f64) -> f64 {
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    let mut sum = 0.0;
    for k in 0..DIRECTIONS {
        let z = 1.0 - (2.0 * k as f64 + 1.0) / DIRECTIONS as f64;
        let (sin, cos) = elementary::sin_cos(golden * k as f64);
        let across = (1.0 - z * z).sqrt();
        let n = Vec3::new(across * cos, across * sin, z);
        let lowest = corners.iter().max_by(|a, b| a.dot(&n).total_cmp(&b.dot(&n)));
        let Some(c) = lowest else { return 0.0 };
        sum += (c - c.dot(&n) * n).norm() / (c.dot(&n) + r);
    }
    sum / DIRECTIONS as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_has_none_and_a_cube_that_of_its_corners() {
        assert!(resistance(&[Vec3::zeros()], 0.1) < 1e-15);
        let corner = |k: u32| Vec3::from_fn(|axis, _| if k >> axis & 1 == 0 { 1.0 } else { -1.0 });
        let cube: Vec<Vec3> = (0..8).map(corner).collect();
        // ⟨tan φ⟩ of the angle between a direction and the diagonal of its octant, by a sum over a fine grid.
        let (mut sum, mut weight) = (0.0, 0.0);
        let m = 400;
        for i in 0..m {
            for j in 0..m {
                let (u, z) = ((f64::from(i) + 0.5) / f64::from(m), (f64::from(j) + 0.5) / f64::from(m));
                let (sin, cos) = elementary::sin_cos(0.5 * PI * u);
                let across = (1.0 - z * z).sqrt();
                let along = (across * (cos + sin) + z) / 3.0_f64.sqrt();
                sum += (1.0 - along * along).sqrt() / along;
                weight += 1.0;
            }
        }
        let found = resistance(&cube, 0.0);
        assert!((found / (sum / weight) - 1.0).abs() < 0.01, "{found} {}", sum / weight);
    }
}
