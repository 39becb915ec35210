//! A depth buffer for triangles, wires and discs.

use rigor_math::Vec3;

use super::view::{Spot, View};

/// The nearest surface in each pixel.
///
/// A [`Thing`] is a number chosen by the painter; 0 is the background.
#[derive(Debug, Clone)]
pub struct Canvas {
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// [`Spot::nearness`] of the surface; −∞ for the background.
    pub nearness: Vec<f32>,
    /// The thing it belongs to.
    pub thing: Vec<Thing>,
    /// Its unit normal (world); for triangles, on either side.
    pub normal: Vec<[f32; 3]>,
}

/// The number of an object; 0 is the background.
pub type Thing = u32;

impl Canvas {
    /// Creates an empty canvas.
    pub fn new(size: [usize; 2]) -> Self {
        let pixels = size[0] * size[1];
        Self {
            size,
            nearness: vec![f32::NEG_INFINITY; pixels],
            thing: vec![0; pixels],
            normal: vec![[0.0; 3]; pixels],
        }
    }

    /// Draws a triangle by its corners as [`View::seen`] (m); parts nearer than `near` (m) are clipped.
    pub fn triangle(&mut self, view: &View, corners: [Vec3; 3], near: f64, thing: Thing, normal: [f32; 3]) {
        if corners.iter().all(|c| c.z >= near) {
            self.fill(corners.map(|c| view.spot(&c)), thing, normal);
            return;
        }
        let (kept, n) = clip(corners, near);
        for k in 2..n {
            self.fill([kept[0], kept[k - 1], kept[k]].map(|c| view.spot(&c)), thing, normal);
        }
    }

    /// Fills the pixels whose centres lie in the triangle, in either orientation.
    fn fill(&mut self, [a, b, c]: [Spot; 3], thing: Thing, normal: [f32; 3]) {
        let twice_area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if twice_area == 0.0 || !twice_area.is_finite() {
            return;
        }
        let (b, c) = if twice_area > 0.0 { (b, c) } else { (c, b) };
        let [width, height] = self.size;
        let (columns, rows) = (range([a.x, b.x, c.x], width), range([a.y, b.y, c.y], height));
        let sides = [Side::new(b, c), Side::new(c, a), Side::new(a, b)];
        let per_area = 1.0 / twice_area.abs();
        let slope = |d: fn(&Side) -> f64| {
            per_area * (d(&sides[0]) * a.nearness + d(&sides[1]) * b.nearness + d(&sides[2]) * c.nearness)
        };
        let slope_x = slope(|side| side.dx);
        for y in rows {
            let (x0, y0) = (columns.start as f64 + 0.5, y as f64 + 0.5);
            let mut w = sides.map(|side| side.at(x0, y0));
            let mut nearness = per_area * (w[0] * a.nearness + w[1] * b.nearness + w[2] * c.nearness);
            for pixel in y * width + columns.start..y * width + columns.end {
                if w.iter().all(|w| *w >= 0.0) {
                    self.put(pixel, nearness, thing, normal);
                }
                for (w, side) in w.iter_mut().zip(&sides) {
                    *w += side.dx;
                }
                nearness += slope_x;
            }
        }
    }

    /// Draws a ball of `radius` pixels around a spot, with the ball's normals.
    pub fn disc(&mut self, view: &View, at: Spot, radius: f64, thing: Thing) {
        self.wire(view, [at, at], radius, thing);
    }

    /// Draws a round bar of `radius` pixels between two spots, with the bar's normals.
    pub fn wire(&mut self, view: &View, [a, b]: [Spot; 2], radius: f64, thing: Thing) {
        let [width, height] = self.size;
        let widen = |range: std::ops::Range<usize>, limit: usize| {
            let margin = radius.ceil() as usize + 1;
            range.start.saturating_sub(margin)..(range.end + margin).min(limit)
        };
        let columns = widen(range([a.x, b.x, b.x], width), width);
        let rows = widen(range([a.y, b.y, b.y], height), height);
        let (along_x, along_y) = (b.x - a.x, b.y - a.y);
        let length_sq = along_x * along_x + along_y * along_y;
        for y in rows {
            for x in columns.clone() {
                let (px, py) = (x as f64 + 0.5 - a.x, y as f64 + 0.5 - a.y);
                let part = (px * along_x + py * along_y) / length_sq.max(f64::MIN_POSITIVE);
                let t = part.clamp(0.0, 1.0);
                let (dx, dy) = ((px - t * along_x) / radius, (py - t * along_y) / radius);
                let out_sq = 1.0 - dx * dx - dy * dy;
                if out_sq >= 0.0 {
                    let nearness = a.nearness + t * (b.nearness - a.nearness);
                    let normal = outward(view, dx, dy, out_sq.sqrt());
                    self.put(y * width + x, in_front(view, nearness, radius * out_sq.sqrt()), thing, normal);
                }
            }
        }
    }

    fn put(&mut self, pixel: usize, nearness: f64, thing: Thing, normal: [f32; 3]) {
        let nearness = nearness as f32;
        if nearness > self.nearness[pixel] {
            self.nearness[pixel] = nearness;
            self.thing[pixel] = thing;
            self.normal[pixel] = normal;
        }
    }
}

/// One side of a triangle, positive on the inner side: w(x, y) = (x − p_x) dx + (y − p_y) dy.
#[derive(Clone, Copy)]
struct Side {
    from: Spot,
    dx: f64,
    dy: f64,
}

impl Side {
    fn new(from: Spot, to: Spot) -> Self {
        Self { from, dx: from.y - to.y, dy: to.x - from.x }
    }

    fn at(&self, x: f64, y: f64) -> f64 {
        (x - self.from.x) * self.dx + (y - self.from.y) * self.dy
    }
}

/// Returns the pixels along one axis whose centres may lie between the smallest and the largest coordinate.
fn range(coordinates: [f64; 3], limit: usize) -> std::ops::Range<usize> {
    let [a, b, c] = coordinates;
    // `as` saturates, so that coordinates far outside, infinite or NaN stay in range.
    let first = ((a.min(b).min(c) - 0.5).ceil().max(0.0) as usize).min(limit);
    let last = ((a.max(b).max(c) - 0.5).floor() + 1.0).max(0.0) as usize;
    first..last.min(limit).max(first)
}

/// Returns the polygon of the triangle's part with z ≥ `near`: up to four corners, and their number.
fn clip(corners: [Vec3; 3], near: f64) -> ([Vec3; 4], usize) {
    let (mut kept, mut n) = ([Vec3::zeros(); 4], 0);
    for k in 0..3 {
        let (p, q) = (corners[k], corners[(k + 1) % 3]);
        if p.z >= near {
            kept[n] = p;
            n += 1;
        }
        if (p.z >= near) != (q.z >= near) {
            kept[n] = p + (q - p) * ((near - p.z) / (q.z - p.z));
            n += 1;
        }
    }
    (kept, n)
}

/// Converts a direction (right, down, towards the eye) in the picture to the world.
fn outward(view: &View, right: f64, down: f64, towards: f64) -> [f32; 3] {
    let [r, u, f] = &view.axes;
    let n = r * right - u * down - f * towards;
    [n.x as f32, n.y as f32, n.z as f32]
}

/// Returns the nearness of a point `pixels` in front of one at `nearness`.
fn in_front(view: &View, nearness: f64, pixels: f64) -> f64 {
    let metres = pixels / view.pixels_per_metre(nearness);
    if view.is_parallel { nearness + metres } else { 1.0 / (1.0 / nearness - metres).max(f64::MIN_POSITIVE) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One pixel per metre, with x right, y up and z forward.
    fn parallel(size: [usize; 2]) -> (View, Canvas) {
        let middle = [0.0, size[1] as f64];
        let view = View {
            eye: Vec3::zeros(),
            axes: [Vec3::x(), Vec3::y(), Vec3::z()],
            scale: 1.0,
            middle,
            is_parallel: true,
        };
        (view, Canvas::new(size))
    }

    fn count(canvas: &Canvas, thing: Thing) -> usize {
        canvas.thing.iter().filter(|t| **t == thing).count()
    }

    #[test]
    fn a_triangle_covers_its_area_whichever_way_it_turns() {
        for flip in [false, true] {
            let (view, mut canvas) = parallel([100, 100]);
            let [a, b, c] = [Vec3::new(0.0, 0.0, 5.0), Vec3::new(80.0, 0.0, 5.0), Vec3::new(0.0, 60.0, 5.0)];
            let corners = if flip { [a, c, b] } else { [a, b, c] };
            canvas.triangle(&view, corners, 0.0, 7, [0.0, 0.0, 1.0]);
            // Pixels cut by the longest side count by their centres: half of about 80.
            assert!((count(&canvas, 7) as f64 - 2400.0).abs() < 45.0, "{}", count(&canvas, 7));
        }
    }

    #[test]
    fn two_halves_of_a_square_leave_no_gap() {
        let (view, mut canvas) = parallel([64, 64]);
        let corner = |x: f64, y: f64| Vec3::new(x, y, 1.0);
        let (a, b, c, d) = (corner(3.3, 2.1), corner(60.7, 5.9), corner(58.2, 61.4), corner(1.6, 55.5));
        canvas.triangle(&view, [a, b, c], 0.0, 1, [0.0; 3]);
        canvas.triangle(&view, [a, c, d], 0.0, 1, [0.0; 3]);
        for row in canvas.thing.chunks(64) {
            let filled: Vec<_> = (0..64).filter(|x| row[*x] == 1).collect();
            assert!(filled.windows(2).all(|w| w[1] == w[0] + 1), "{filled:?}");
        }
    }

    #[test]
    fn the_nearer_hides_the_farther_in_any_order() {
        let square = |z: f64| [Vec3::new(-9.0, -9.0, z), Vec3::new(99.0, -9.0, z), Vec3::new(-9.0, 99.0, z)];
        for order in [[1, 2], [2, 1]] {
            let (view, mut canvas) = parallel([10, 10]);
            for thing in order {
                canvas.triangle(&view, square(f64::from(thing)), 0.0, thing, [0.0; 3]);
            }
            assert_eq!(count(&canvas, 1), 100);
        }
    }

    #[test]
    fn what_is_behind_the_eye_is_cut_off() {
        let (view, mut canvas) = parallel([100, 100]);
        let view = View { is_parallel: false, scale: 50.0, middle: [50.0, 50.0], ..view };
        // A floor 1 m below the eye, from 10 m behind it to 1000 m ahead, fills exactly the lower half.
        let floor = [Vec3::new(-5e3, -1.0, -10.0), Vec3::new(5e3, -1.0, -10.0), Vec3::new(0.0, -1.0, 1e6)];
        canvas.triangle(&view, floor, 1e-3, 1, [0.0; 3]);
        assert!(canvas.thing[..50 * 100].iter().all(|t| *t == 0));
        assert!(canvas.thing[52 * 100..].iter().all(|t| *t == 1));
    }

    #[test]
    fn a_disc_has_the_area_of_a_disc_and_looks_at_the_eye() {
        let (view, mut canvas) = parallel([100, 100]);
        canvas.disc(&view, view.spot(&Vec3::new(50.0, 50.0, 3.0)), 20.0, 4);
        let area = std::f64::consts::PI * 400.0;
        assert!((count(&canvas, 4) as f64 / area - 1.0).abs() < 0.02);
        assert!(canvas.normal[50 * 100 + 50][2] < -0.99);
        let (view, mut canvas) = parallel([100, 100]);
        let ends = [Vec3::new(10.0, 10.0, 3.0), Vec3::new(90.0, 10.0, 3.0)].map(|p| view.spot(&p));
        canvas.wire(&view, ends, 2.0, 4);
        assert!((count(&canvas, 4) as f64 / (80.0 * 4.0 + 4.0 * std::f64::consts::PI) - 1.0).abs() < 0.05);
    }
}
