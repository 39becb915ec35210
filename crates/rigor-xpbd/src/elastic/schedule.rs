//! Reordering of bonds, with the same result, so that neighbours in the order are independent.
//!
//! Two bonds that share no movable particle commute, to the bit. Any order gives the same result if bonds
//! that do share one keep their order. Here bonds are grouped by four that share none: these can be solved
//! side by side, and the processor does not wait for the square root of one before it starts the next.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rigor_scene::{Bond, Scene};

use crate::elastic::bond::LANES;

/// Number of groups that a bond should wait after a bond that it depends on.
const LATENCY: usize = 3;

/// The bonds that depend on each bond, and the number of bonds on which it depends.
struct Dependencies {
    followers: Vec<Vec<u32>>,
    missing: Vec<u32>,
}

impl Dependencies {
    fn of(scene: &Scene, bonds: &[&Bond]) -> Self {
        let mut last: Vec<Option<u32>> = vec![None; scene.particles.len()];
        let mut followers = vec![Vec::new(); bonds.len()];
        let mut missing = vec![0; bonds.len()];
        for (i, bond) in bonds.iter().enumerate() {
            for id in bond.particles.iter().filter(|id| !scene.particles[id.0].is_pinned()) {
                if let Some(before) = last[id.0].replace(i as u32) {
                    followers[before as usize].push(i as u32);
                    missing[i] += 1;
                }
            }
        }
        Self { followers, missing }
    }
}

/// Groups indices of `bonds`, such that solving group by group gives the same result as solving in the given
/// order. A group has [`LANES`] bonds that share no movable particle, or fewer if no more can be found.
///
/// Each group takes the first bonds that have been ready for a few groups, then, if there are too few, bonds
/// that have just become ready.
pub(crate) fn groups(scene: &Scene, bonds: &[&Bond]) -> Vec<Vec<usize>> {
    let Dependencies { followers, mut missing } = Dependencies::of(scene, bonds);
    let mut ripe: BinaryHeap<Reverse<usize>> =
        (0..bonds.len()).filter(|&i| missing[i] == 0).map(Reverse).collect();
    let mut fresh: VecDeque<(usize, usize)> = VecDeque::new();
    let mut groups = Vec::with_capacity(bonds.len() / LANES + 1);
    while !(ripe.is_empty() && fresh.is_empty()) {
        while let Some((_, i)) = fresh.pop_front_if(|(since, _)| *since + LATENCY <= groups.len()) {
            ripe.push(Reverse(i));
        }
        let next = || ripe.pop().map(|Reverse(i)| i).or_else(|| fresh.pop_front().map(|(_, i)| i));
        let group: Vec<usize> = std::iter::from_fn(next).take(LANES).collect();
        for &follower in group.iter().flat_map(|&i| &followers[i]) {
            missing[follower as usize] -= 1;
            if missing[follower as usize] == 0 {
                fresh.push_back((groups.len(), follower as usize));
            }
        }
        groups.push(group);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::colour::tests::scene;

    fn groups_of(scene: &Scene) -> Vec<Vec<usize>> {
        groups(scene, &scene.bonds.iter().collect::<Vec<_>>())
    }

    #[test]
    fn bonds_that_share_a_particle_keep_their_order_and_come_in_different_groups() {
        let pairs: Vec<[usize; 2]> =
            (0..300).map(|i| [i * 7 % 40, (i * 7 + 1 + i % 9) % 40]).filter(|[a, b]| a != b).collect();
        let groups = groups_of(&scene(40, &pairs));
        let mut place = vec![None; pairs.len()];
        for (at, group) in groups.iter().enumerate() {
            for &i in group {
                assert_eq!(place[i].replace(at), None, "bond {i} comes twice");
            }
        }
        for i in 0..pairs.len() {
            for j in (0..i).filter(|&j| pairs[i].iter().any(|p| pairs[j].contains(p))) {
                assert!(place[j].unwrap() < place[i].unwrap(), "{j} before {i}");
            }
        }
    }

    #[test]
    fn a_chain_stays_as_it_is_and_strands_go_side_by_side() {
        let chain: Vec<[usize; 2]> = (0..20).map(|i| [i, i + 1]).collect();
        assert_eq!(groups_of(&scene(21, &chain)), (0..20).map(|i| vec![i]).collect::<Vec<_>>());
        let strands: Vec<[usize; 2]> =
            (0..80).map(|i| [i / 10 * 11 + i % 10, i / 10 * 11 + i % 10 + 1]).collect();
        assert!(groups_of(&scene(88, &strands)).iter().all(|group| group.len() == LANES));
    }
}
