//! Bodies divided into groups without terms between them: f is a sum over groups.

use rigor_math::disjoint_sets::DisjointSets;

/// A division of bodies into groups.
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups {
    /// The bodies of each group in ascending order; groups in the order of their first bodies.
    pub all: Vec<Vec<usize>>,
    /// Group of each body, and its place among the bodies of that group; `NONE` for bodies of no group.
    at: Vec<[u32; 2]>,
}

const NONE: [u32; 2] = [u32::MAX; 2];
/// A body that was found, before its group has a number.
const FOUND: [u32; 2] = [0; 2];

impl Groups {
    /// Finds the groups, among `n` bodies, of the `seeds`: all bodies to which a chain of ties leads from one of
    /// them. `ties_of` calls the given function with each body to which a body is tied; ties with bodies that do not
    /// move are not among them. The time taken is that of the bodies found, besides a mark for each of `n`.
    pub fn new(
        n: usize,
        seeds: impl Iterator<Item = usize>,
        ties_of: impl Fn(usize, &mut dyn FnMut(usize)),
    ) -> Self {
        let mut groups = Self { all: Vec::new(), at: vec![NONE; n] };
        for seed in seeds {
            if groups.at[seed] != NONE {
                continue;
            }
            groups.at[seed] = FOUND;
            let (mut bodies, mut next) = (vec![seed], 0);
            while next < bodies.len() {
                let body = bodies[next];
                next += 1;
                ties_of(body, &mut |other| {
                    if groups.at[other] == NONE {
                        groups.at[other] = FOUND;
                        bodies.push(other);
                    }
                });
            }
            bodies.sort_unstable();
            groups.all.push(bodies);
        }
        groups.all.sort_unstable_by_key(|bodies| bodies[0]);
        groups.number();
        groups
    }

    /// Creates these groups, in the order of their first bodies and none of them empty, of `n` bodies.
    pub fn of(all: Vec<Vec<usize>>, n: usize) -> Self {
        let mut groups = Self { all, at: vec![NONE; n] };
        groups.number();
        groups
    }

    /// Notes the group and place of each body.
    fn number(&mut self) {
        for (group, bodies) in (0..).zip(&self.all) {
            for (place, body) in (0..).zip(bodies) {
                self.at[*body] = [group, place];
            }
        }
    }

    /// Keeps the groups for which `of` their bodies holds.
    pub fn retain(&mut self, mut of: impl FnMut(&[usize]) -> bool) {
        let at = &mut self.at;
        self.all.retain(|bodies| {
            let is_kept = of(bodies);
            if !is_kept {
                bodies.iter().for_each(|&body| at[body] = NONE);
            }
            is_kept
        });
        self.number();
    }

    /// Returns the group of a body.
    pub fn of_body(&self, body: usize) -> Option<usize> {
        self.at.get(body).filter(|at| **at != NONE).map(|at| at[0] as usize)
    }

    /// Returns the place of a body among those of its group.
    pub fn place(&self, body: usize) -> Option<usize> {
        self.at.get(body).filter(|at| **at != NONE).map(|at| at[1] as usize)
    }

    /// Returns whether a body is in any group.
    pub fn has(&self, body: usize) -> bool {
        self.of_body(body).is_some()
    }

    /// Returns the bodies of all groups, group by group.
    pub fn bodies(&self) -> impl Iterator<Item = &usize> {
        self.all.iter().flatten()
    }

    /// Returns the group of a pair of bodies, of which at most one may be in none; `None` if both are.
    pub fn of_pair(&self, [a, b]: [usize; 2]) -> Option<usize> {
        self.of_body(a).or_else(|| self.of_body(b))
    }

    /// Returns whether two bodies are in two different groups.
    pub fn parts(&self, [a, b]: [usize; 2]) -> bool {
        matches!((self.of_body(a), self.of_body(b)), (Some(a), Some(b)) if a != b)
    }

    /// Returns the same groups, with those joined between which there is one of these `ties`.
    pub fn joined(&self, ties: impl Iterator<Item = [usize; 2]>) -> Self {
        let mut joined = DisjointSets::new(self.all.len());
        for [a, b] in ties {
            if let (Some(a), Some(b)) = (self.of_body(a), self.of_body(b)) {
                joined.join(a, b);
            }
        }
        let mut into = vec![0; self.all.len()];
        let mut all: Vec<Vec<usize>> = Vec::with_capacity(self.all.len());
        for (group, bodies) in self.all.iter().enumerate() {
            let first = joined.first(group);
            if first == group {
                into[group] = all.len();
                all.push(bodies.clone());
            } else {
                all[into[first]].extend(bodies);
            }
        }
        all.iter_mut().filter(|bodies| !bodies.is_sorted()).for_each(|bodies| bodies.sort_unstable());
        Self::of(all, self.at.len())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the groups, of those bodies that are members, of the `seeds`.
    pub(crate) fn tied(is_member: &[bool], seeds: &[usize], ties: &[[usize; 2]]) -> Groups {
        let ties_of = |body: usize, found: &mut dyn FnMut(usize)| {
            for [a, b] in ties.iter().filter(|tie| tie.iter().all(|&body| is_member[body])) {
                match body {
                    _ if body == *a => found(*b),
                    _ if body == *b => found(*a),
                    _ => {}
                }
            }
        };
        Groups::new(is_member.len(), seeds.iter().copied(), ties_of)
    }

    #[test]
    fn chains_of_ties_make_groups_and_bodies_that_stay_end_them() {
        let is_member = [true, false, true, true, true, true];
        let groups = tied(&is_member, &[5, 0, 2], &[[5, 3], [0, 1], [1, 2], [3, 4]]);
        assert_eq!(groups.all, [vec![0], vec![2], vec![3, 4, 5]]);
        assert_eq!((groups.of_body(1), groups.of_body(5), groups.place(4)), (None, Some(2), Some(1)));
        assert!(groups.parts([0, 2]) && !groups.parts([3, 5]) && !groups.parts([0, 1]));
        assert_eq!(groups.of_pair([1, 2]), Some(1));
        let joined = groups.joined([[4, 0]].into_iter());
        assert_eq!(joined.all, [vec![0, 3, 4, 5], vec![2]]);
        assert_eq!(groups.joined([[2, 4], [0, 2]].into_iter()).all, [[0, 2, 3, 4, 5]]);
    }

    #[test]
    fn one_body_wakes_its_group() {
        let groups = tied(&[true; 4], &[3], &[[0, 1], [1, 3]]);
        assert_eq!(groups.all, [[0, 1, 3]]);
        assert_eq!(groups.of_body(2), None);
    }

    #[test]
    fn groups_that_are_not_kept_leave_their_bodies_in_none() {
        let mut groups = tied(&[true; 4], &[0, 1, 3], &[[0, 2]]);
        groups.retain(|bodies| bodies != [1]);
        assert_eq!(groups.all, [vec![0, 2], vec![3]]);
        assert_eq!([0, 1, 2, 3].map(|body| groups.of_body(body)), [Some(0), None, Some(0), Some(1)]);
    }
}
