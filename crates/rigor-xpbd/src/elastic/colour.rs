//! Colours of bonds: bonds of one colour share no movable particle.

use rigor_scene::{Bond, BondKind, Scene};

use crate::order::palette::Palette;

/// Returns a colour for each of `bonds`. With `strands`, consecutive distance bonds along each strand
/// alternate between colours 0 and 1.
pub(crate) fn colours(scene: &Scene, bonds: &[&Bond], strands: bool) -> Vec<usize> {
    let mut palette = Palette::new(scene.particles.len());
    let mut colours = vec![None; bonds.len()];
    if strands {
        for (bond, colour) in alternating(scene, bonds) {
            if palette.is_free(moved(scene, bonds[bond]), colour) {
                palette.take(moved(scene, bonds[bond]), colour);
                colours[bond] = Some(colour);
            }
        }
    }
    let chosen = colours.into_iter().zip(bonds);
    chosen.map(|(colour, bond)| colour.unwrap_or_else(|| palette.pick(moved(scene, bond)))).collect()
}

/// Returns the particles that `bond` can move.
fn moved<'a>(scene: &'a Scene, bond: &'a Bond) -> impl Iterator<Item = usize> + Clone + 'a {
    bond.particles.iter().map(|id| id.0).filter(|&i| !scene.particles[i].is_pinned())
}

/// Returns the indices of the distance bonds along each strand, with 0, 1, 0, 1, …. A strand continues as
/// long as its particles have two distance bonds each.
fn alternating(scene: &Scene, bonds: &[&Bond]) -> Vec<(usize, usize)> {
    let is_distance = |bond: &Bond| matches!(bond.kind, BondKind::Distance { .. });
    let mut at: Vec<Vec<usize>> = vec![Vec::new(); scene.particles.len()];
    for (index, bond) in bonds.iter().enumerate().filter(|(_, bond)| is_distance(bond)) {
        bond.particles.iter().for_each(|id| at[id.0].push(index));
    }
    let mut done = vec![false; bonds.len()];
    let mut found = Vec::new();
    let ends = (0..at.len()).filter(|&i| at[i].len() == 1);
    let rest = (0..at.len()).filter(|&i| at[i].len() == 2);
    for start in ends.chain(rest) {
        follow(start, bonds, &at, &mut done, &mut found);
    }
    found
}

/// Follows a strand from the particle `start`.
fn follow(
    start: usize,
    bonds: &[&Bond],
    at: &[Vec<usize>],
    done: &mut [bool],
    found: &mut Vec<(usize, usize)>,
) {
    let (mut particle, mut parity) = (start, 0);
    while at[particle].len() <= 2 {
        let Some(&bond) = at[particle].iter().find(|&&bond| !done[bond]) else { return };
        done[bond] = true;
        found.push((bond, parity));
        parity = 1 - parity;
        let [a, b] = [bonds[bond].particles[0].0, bonds[bond].particles[1].0];
        particle = if a == particle { b } else { a };
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use rigor_math::Vec3;
    use rigor_scene::{Particle, ParticleId};

    /// Returns `n` particles with a distance bond of 1 m between each of the `pairs`.
    pub(crate) fn scene(n: usize, pairs: &[[usize; 2]]) -> Scene {
        let bond = |pair: &[usize; 2]| Bond {
            kind: BondKind::Distance { rest: 1.0 },
            particles: pair.map(ParticleId).to_vec(),
            compliance: 0.0,
        };
        Scene {
            particles: (0..n).map(|_| Particle::new(1.0, Vec3::zeros())).collect(),
            bonds: pairs.iter().map(bond).collect(),
            ..Scene::default()
        }
    }

    fn colours_of(scene: &Scene, strands: bool) -> Vec<usize> {
        colours(scene, &scene.bonds.iter().collect::<Vec<_>>(), strands)
    }

    #[test]
    fn neighbours_have_different_colours() {
        let pairs: Vec<[usize; 2]> =
            (0..200).map(|i| [i * 7 % 40, (i * 7 + 1 + i % 9) % 40]).filter(|[a, b]| a != b).collect();
        let scene = scene(40, &pairs);
        for strands in [false, true] {
            let colours = colours_of(&scene, strands);
            for i in 0..pairs.len() {
                for j in 0..i {
                    let touch = pairs[i].iter().any(|p| pairs[j].contains(p));
                    assert!(!touch || colours[i] != colours[j], "{:?} {:?}", pairs[i], pairs[j]);
                }
            }
        }
    }

    #[test]
    fn star_needs_a_colour_for_each_ray_and_none_if_its_centre_is_pinned() {
        let rays: Vec<[usize; 2]> = (1..=100).map(|i| [0, i]).collect();
        let mut star = scene(101, &rays);
        assert_eq!(colours_of(&star, false), (0..100).collect::<Vec<_>>());
        star.particles[0].mass = f64::INFINITY;
        assert_eq!(colours_of(&star, false), [0; 100]);
    }

    #[test]
    fn edges_of_a_strand_alternate_in_whatever_order_they_are_listed() {
        let strand = [[2, 3], [0, 1], [4, 5], [1, 2], [3, 4]];
        assert_eq!(colours_of(&scene(6, &strand), true), [0, 0, 0, 1, 1]);
        let ring = [[0, 1], [1, 2], [2, 0]];
        assert_eq!(colours_of(&scene(3, &ring), true), [0, 1, 2]);
    }
}
