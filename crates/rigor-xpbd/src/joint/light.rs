//! Light links between heavy bodies: joints that sweeps do not bring together.
//!
//! A link of mass m between two bodies of mass M moves with whichever joint was solved last. A sweep over both joints leaves the part
//! M/(M + m) of their error, however many substeps there are, so that for m ≪ M the joints part, and bounds and drives push bodies
//! that are not where their joints hold them. A chain of light links between heavy bodies is no better. Joints that are solved
//! at once have no such error.

use std::collections::BTreeSet;

use rigor_scene::{BodyId, Scene};

/// A link is light beside a body of more than this many times its mass.
const LIGHT: f64 = 10.0;

/// Returns the light links of `scene`: those of chains of links, each lighter than a tenth of a body H at one end and of another body at
/// the other end that is no such link. H is dynamic: what is prescribed moves as it does, wherever its joints are.
pub(crate) fn light_links(scene: &Scene) -> Vec<BodyId> {
    let bodies = &scene.bodies;
    let mass = |i: usize| if bodies[i].is_dynamic() { bodies[i].mass } else { f64::INFINITY };
    // The world is one more body.
    let world = bodies.len();
    let heft = |i: usize| if i == world { f64::INFINITY } else { mass(i) };
    let mut neighbours = vec![BTreeSet::new(); world + 1];
    for joint in scene.joints.iter().filter(|joint| !joint.kind.is_loose()) {
        let (a, b) = (joint.body_a.0, joint.body_b.map_or(world, |b| b.0));
        neighbours[a].insert(b);
        neighbours[b].insert(a);
    }
    let mut is_light = vec![false; world];
    for heavy in (0..world).filter(|&i| mass(i).is_finite()) {
        let beside = |i: usize| LIGHT * heft(i) < mass(heavy);
        let mut seen = BTreeSet::new();
        for &first in neighbours[heavy].iter().filter(|&&i| beside(i)) {
            if seen.contains(&first) {
                continue;
            }
            let (mut chain, mut queue, mut ends_heavy) = (BTreeSet::from([first]), vec![first], false);
            while let Some(link) = queue.pop() {
                for &next in neighbours[link].iter().filter(|&&next| next != heavy) {
                    if beside(next) {
                        if chain.insert(next) {
                            queue.push(next);
                        }
                    } else {
                        ends_heavy |= LIGHT * heft(link) < heft(next);
                    }
                }
            }
            if ends_heavy {
                chain.iter().for_each(|&link| is_light[link] = true);
            }
            seen.extend(chain);
        }
    }
    scene.body_ids().filter(|id| is_light[id.0]).collect()
}
