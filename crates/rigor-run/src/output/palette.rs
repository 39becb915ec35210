//! The colours of bodies.

use rigor_math::Vec3;
use rigor_scene::{Body, Role, Scene};

/// Red, green, blue in sRGB, each in [0, 1].
pub type Color = [f64; 3];

/// Colours that people with any kind of colour blindness can distinguish, dark enough on white except for the
/// last two.
///
/// Source: Okabe and Ito's palette for colour-blind readers, without black. Deviation: in another order, with
/// a darker yellow.
pub const DISTINCT: [Color; 7] = [
    hex(0x0072b2), // blue
    hex(0xe69f00), // orange
    hex(0x009e73), // green
    hex(0xcc79a7), // purple
    hex(0xd55e00), // vermilion
    hex(0x56b4e9), // sky blue
    hex(0xdcc93c), // yellow
];
/// Kinematic bodies.
pub const KINEMATIC: Color = hex(0x5d6678);
/// Static bodies.
pub const STATIC: Color = hex(0xa7abb2);
/// Static bodies that are wide and flat.
pub const FLOOR: Color = hex(0xd3d6da);
/// Particles outside of ropes, cloths and blocks.
pub const PARTICLE: Color = hex(0x3d6fa8);

/// Returns the colour of each body, then of each rope, cloth or block, then of all other particles.
pub fn of_scene(scene: &Scene) -> Vec<Color> {
    let up = up(scene);
    let mut next = (0..).map(distinct);
    let mut next = || next.next().unwrap_or(PARTICLE);
    let mut of_body = |body: &Body| match body.role {
        Role::Dynamic => next(),
        Role::Kinematic(_) => KINEMATIC,
        Role::Static if is_floor(body, &up) => FLOOR,
        Role::Static => STATIC,
    };
    let mut colors: Vec<_> = scene.bodies.iter().map(&mut of_body).collect();
    colors.extend(scene.soft_bodies.iter().map(|_| next()));
    colors.push(PARTICLE);
    colors
}

/// Returns the upward direction: against gravity, or +y without gravity.
pub fn up(scene: &Scene) -> Vec3 {
    (-scene.gravity).try_normalize(0.0).unwrap_or_else(Vec3::y)
}

/// Returns the k-th of arbitrarily many colours: each pass through [`DISTINCT`] is plain, lighter or darker
/// in turn.
fn distinct(k: usize) -> Color {
    let color = DISTINCT[k % DISTINCT.len()];
    match k / DISTINCT.len() % 3 {
        0 => color,
        1 => color.map(|c| 0.6 * c + 0.4),
        _ => color.map(|c| 0.65 * c),
    }
}

/// Returns whether the body is at least four times as wide in both horizontal directions as it is high.
fn is_floor(body: &Body, up: &Vec3) -> bool {
    let place = &body.initial.pose;
    let (low, high) = body
        .mesh
        .vertices()
        .iter()
        .map(|x| place.vector(x).dot(up))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), height| (low.min(height), high.max(height)));
    let mut across = [Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| {
        let along = axis - up * axis.dot(up);
        body.mesh.vertices().iter().map(|x| place.vector(x).dot(&along).abs()).fold(0.0, f64::max)
    });
    across.sort_by(f64::total_cmp);
    2.0 * across[1] >= 4.0 * (high - low)
}

const fn hex(rgb: u32) -> Color {
    [part(rgb >> 16), part(rgb >> 8), part(rgb)]
}

const fn part(bits: u32) -> f64 {
    (bits & 255) as f64 / 255.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_differ_in_lightness_or_hue_even_without_red_and_green_apart() {
        // A viewer who cannot tell red from green sees blue and a mean of red and green.
        let seen = |[r, g, b]: Color| [0.5 * (r + g), b];
        for k in 0..21 {
            let (a, b) = (seen(distinct(k)), seen(distinct(k + 1)));
            assert!((a[0] - b[0]).abs() + (a[1] - b[1]).abs() > 0.12, "{k}");
        }
    }

    #[test]
    fn hexadecimal_colours_read_as_written() {
        assert_eq!(hex(0xff8000), [1.0, 128.0 / 255.0, 0.0]);
    }
}
