//! Enclosures of the height of a point on the rim of a rolling wheel, and samples of the true range.
#![allow(clippy::print_stdout, reason = "an example prints")]

use rigor_interval::{IRigidMotion, IVec3, Interval};
use rigor_math::{Vec3, elementary};

fn main() {
    // Half a turn; the point starts on the ground and ends on top.
    let pi = std::f64::consts::PI;
    let turn = [Vec3::zeros(), Vec3::new(0.0, 0.0, -pi)];
    let wheel = IRigidMotion::new([Vec3::y(), Vec3::y() + pi * Vec3::x()], turn);
    let rim = IVec3::from(-Vec3::y());

    println!("pieces   hull of all enclosures            widest enclosure   samples outside");
    for pieces in [1, 4, 16, 64, 256] {
        let heights = heights(&wheel, rim, pieces);
        let hull = heights.iter().fold(Interval::EMPTY, |hull, height| hull.hull(*height));
        let widest = heights.iter().map(|height| height.width()).fold(0.0, f64::max);
        let outside = (0..1000).filter(|k| {
            let t = f64::from(*k) / 1000.0;
            !heights[(t * f64::from(pieces)) as usize].contains(1.0 - elementary::cos(pi * t))
        });
        let (hull, outside) = (format!("[{:.4}, {:.4}]", hull.inf(), hull.sup()), outside.count());
        println!("{pieces:6}   {hull:<30}   {widest:16.4}   {outside:15}");
    }
}

/// Encloses the height (m) of the point `rim` during each of `pieces` equal parts of the motion.
fn heights(wheel: &IRigidMotion, rim: IVec3, pieces: u32) -> Vec<Interval> {
    let at = |k: u32| f64::from(k) / f64::from(pieces);
    (0..pieces).map(|k| wheel.position(Interval::new(at(k), at(k + 1)), rim).0[1]).collect()
}
