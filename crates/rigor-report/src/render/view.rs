//! Projection from the world to the picture.

use rigor_math::Vec3;

/// A projection onto pixels: pinhole or parallel.
///
/// A point at (x, y, z) in the frame right, up, forward of the view, with z measured from [`eye`](Self::eye),
/// is projected to pixel (c_x + f x/z, c_y − f y/z), or without the division if parallel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// The origin of z (m, world).
    pub eye: Vec3,
    /// Unit vectors to the right, up and forward (world).
    pub axes: [Vec3; 3],
    /// f: pixels per unit of slope, or pixels per metre if parallel.
    pub scale: f64,
    /// c: the pixel straight ahead.
    pub middle: [f64; 2],
    /// Whether the projection is parallel.
    pub is_parallel: bool,
}

/// A projected point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    /// Pixels from the left.
    pub x: f64,
    /// Pixels from the top.
    pub y: f64,
    /// Larger is nearer; linear in x and y over a plane: 1/z, or −z if parallel.
    pub nearness: f64,
}

impl View {
    /// Returns coordinates (m) to the right, up and forward from the eye.
    pub fn seen(&self, world: &Vec3) -> Vec3 {
        let from_eye = world - self.eye;
        Vec3::from(self.axes.map(|axis| axis.dot(&from_eye)))
    }

    /// Projects a point given as [`seen`](Self::seen) (m), in front of the eye unless the view is parallel.
    pub fn spot(&self, seen: &Vec3) -> Spot {
        let per_metre = if self.is_parallel { self.scale } else { self.scale / seen.z };
        Spot {
            x: self.middle[0] + per_metre * seen.x,
            y: self.middle[1] - per_metre * seen.y,
            nearness: if self.is_parallel { -seen.z } else { 1.0 / seen.z },
        }
    }

    /// Returns the number of pixels per metre at this depth.
    pub fn pixels_per_metre(&self, nearness: f64) -> f64 {
        if self.is_parallel { self.scale } else { self.scale * nearness }
    }

    /// Returns the point (m, world) projected to this spot.
    pub fn world(&self, spot: Spot) -> Vec3 {
        let z = if self.is_parallel { -spot.nearness } else { 1.0 / spot.nearness };
        let per_pixel = 1.0 / self.pixels_per_metre(spot.nearness);
        let [right, up, forward] = &self.axes;
        let (x, y) = (spot.x - self.middle[0], self.middle[1] - spot.y);
        self.eye + right * (x * per_pixel) + up * (y * per_pixel) + forward * z
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lands_comes_back() {
        let pinhole = View {
            eye: Vec3::new(1.0, 2.0, 3.0),
            axes: [Vec3::z(), Vec3::y(), -Vec3::x()],
            scale: 100.0,
            middle: [32.0, 20.0],
            is_parallel: false,
        };
        for view in [pinhole, View { is_parallel: true, ..pinhole }] {
            let world = Vec3::new(-3.0, 2.5, 2.0);
            let spot = view.spot(&view.seen(&world));
            assert!((view.world(spot) - world).norm() < 1e-14);
            assert!(spot.x < 32.0 && spot.y < 20.0, "z grows to the right, y up");
        }
        // 4 m ahead and 1 m to the left: 100 · 1/4 pixels.
        assert_eq!(pinhole.spot(&pinhole.seen(&Vec3::new(-3.0, 2.0, 2.0))).x, 32.0 - 25.0);
    }
}
