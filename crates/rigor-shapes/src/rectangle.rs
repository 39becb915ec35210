//! Four corners in a horizontal plane.

use rigor_math::Vec3;

/// The corners (m) of a rectangle about the y axis, edges along x and z, counter-clockwise seen from above.
pub(super) fn rectangle(size: [f64; 2], y: f64) -> Vec<Vec3> {
    let [x, z] = size.map(|s| s / 2.0);
    [[x, -z], [-x, -z], [-x, z], [x, z]].map(|[x, z]| Vec3::new(x, y, z)).to_vec()
}
