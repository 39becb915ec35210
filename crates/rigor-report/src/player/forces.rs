//! Forces of a run, for the player.

use rigor_math::Vec3;
use rigor_scene::{BodyForce, ContactReport};

use super::pack::{Pack, Span};

/// Packs the total contact force on each body in each frame, by body: the lowest x, y, z and their extents (N) as `f32`, then the
/// tracks. `None` if there is no force.
pub fn packed(frames: &[Vec<Vec3>]) -> Option<String> {
    let bodies = frames.first().map_or(0, Vec::len);
    if frames.iter().flatten().all(|force| force.norm_squared() == 0.0) {
        return None;
    }
    let of = |body: usize, axis: usize| frames.iter().map(move |forces| forces[body][axis]);
    let spans: Vec<[Span; 3]> =
        (0..bodies).map(|body| std::array::from_fn(|axis| Span::of(of(body, axis)))).collect();
    let mut pack = Pack::default();
    for three in &spans {
        pack.f32(three.iter().map(|span| span.low).chain(three.iter().map(|span| span.extent)));
    }
    for (body, three) in spans.iter().enumerate() {
        for (axis, span) in three.iter().enumerate() {
            pack.track(of(body, axis).map(|force| span.step(force)));
        }
    }
    Some(pack.text())
}

/// The force on a body; that which is not finite is none.
pub fn total(force: &BodyForce) -> Vec3 {
    let sum = force.contact + force.friction;
    if sum.iter().all(|c| c.is_finite()) { sum } else { Vec3::zeros() }
}

/// Packs the contacts of each frame: their numbers as `u32`, then of each contact its point (m), its normal, and the normal and
/// the friction force (N) on body a, as `f32`. `None` if they take more than `bytes`, or there is none.
pub fn contacts(frames: &[Vec<ContactReport>], bytes: usize) -> Option<String> {
    let n: usize = frames.iter().map(Vec::len).sum();
    if n == 0 || n * CONTACT > bytes {
        return None;
    }
    let mut pack = Pack::default();
    pack.u32(frames.iter().map(|contacts| u32::try_from(contacts.len()).unwrap_or(u32::MAX)));
    for contact in frames.iter().flatten() {
        let push = contact.normal_world * contact.normal_force;
        for vector in [contact.point_world, contact.normal_world, push, contact.friction_force_world] {
            pack.f32(vector.iter().map(|c| if c.is_finite() { *c as f32 } else { 0.0 }));
        }
    }
    Some(pack.text())
}

/// Bytes of a contact.
const CONTACT: usize = 48;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_force_takes_no_room() {
        assert_eq!(packed(&[vec![Vec3::zeros()], vec![Vec3::zeros()]]), None);
        assert!(packed(&[vec![Vec3::zeros()], vec![Vec3::x()]]).is_some());
        assert_eq!(contacts(&[vec![], vec![]], 1000), None);
    }
}
