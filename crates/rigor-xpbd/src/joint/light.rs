//! Light links between heavy bodies: joints that sweeps do not bring together.
//!
//! A link of mass m between two bodies of mass M moves with whichever joint was solved last. A sweep over both joints leaves the part
//! M/(M + m) of their error, however many substeps there are, so that for m ≪ M the joints part, and bounds and drives push bodies
//! that are not where their joints hold them. Joints that are solved at once have no such error.

use rigor_scene::{BodyId, Scene};

/// A link is light if two of the bodies that it is joined to have more than this many times its mass each.
const LIGHT: f64 = 10.0;

/// Returns the light links of `scene`; what does not move is heavy.
pub(crate) fn light_links(scene: &Scene) -> Vec<BodyId> {
    let mass =
        |id: BodyId| if scene.bodies[id.0].is_dynamic() { scene.bodies[id.0].mass } else { f64::INFINITY };
    let mut n_heavy = vec![0_u32; scene.bodies.len()];
    for joint in &scene.joints {
        let (a, b) = (joint.body_a, joint.body_b);
        let mass_b = b.map_or(f64::INFINITY, mass);
        n_heavy[a.0] += u32::from(mass_b > LIGHT * mass(a));
        if let Some(b) = b {
            n_heavy[b.0] += u32::from(mass(a) > LIGHT * mass_b);
        }
    }
    scene.body_ids().filter(|id| n_heavy[id.0] >= 2 && scene.bodies[id.0].is_dynamic()).collect()
}
