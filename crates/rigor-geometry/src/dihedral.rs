//! The angle between two triangles about their common edge.

use rigor_math::{Vec3, elementary};

/// The fold angle θ = atan2((n₂ × n₁)·e, n₁·n₂) (rad, in [−π, π]) about the common edge of two triangles.
///
/// It measures how far the triangle (x₁, x₂, x₄) is folded out of the plane of (x₁, x₂, x₃), with e the unit
/// vector along x₂ − x₁ and the normals n₁ along (x₂ − x₁) × (x₃ − x₁), n₂ along (x₄ − x₁) × (x₂ − x₁). It is
/// 0 where x₃ and x₄ lie flat on opposite sides of the edge, positive where they rise on the side of the
/// normals, and also 0 where a triangle has no area.
///
/// ```
/// use rigor_geometry::dihedral;
/// use rigor_math::Vec3;
/// let folded = |z| dihedral::angle(&[Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(0.0, -1.0, z)]);
/// assert_eq!(folded(0.0), 0.0);
/// assert!((folded(1.0) - std::f64::consts::FRAC_PI_4).abs() < 1e-15);
/// assert!((folded(-1.0) + std::f64::consts::FRAC_PI_4).abs() < 1e-15);
/// ```
pub fn angle([x1, x2, x3, x4]: &[Vec3; 4]) -> f64 {
    let e = x2 - x1;
    let (n1, n2) = (e.cross(&(x3 - x1)), (x4 - x1).cross(&e));
    let sine = n2.cross(&n1).dot(&e);
    // Without an area both arguments are 0; adding 0 turns −0, for which atan2 gives ±π, into +0.
    elementary::atan2(sine, n1.dot(&n2) * e.norm() + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_without_area_is_not_folded() {
        let signs = [-1.0, 0.0, 1.0];
        let directions: Vec<Vec3> = signs
            .iter()
            .flat_map(|x| signs.iter().flat_map(|y| signs.map(|z| Vec3::new(*x, *y, z))))
            .collect();
        for (e, apex) in directions.iter().flat_map(|e| directions.iter().map(move |apex| (e, apex))) {
            for on_the_edge in [Vec3::zeros(), *e, 2.0 * e, -e] {
                let x1 = Vec3::zeros();
                assert_eq!(angle(&[x1, *e, on_the_edge, *apex]), 0.0, "{e} {on_the_edge} {apex}");
                assert_eq!(angle(&[x1, *e, *apex, on_the_edge]), 0.0, "{e} {apex} {on_the_edge}");
            }
        }
    }
}
