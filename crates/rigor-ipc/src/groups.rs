//! Bodies divided into groups without terms between them: f is a sum over groups.

/// A division of bodies into groups.
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups {
    /// The bodies of each group in ascending order; groups in the order of their first bodies.
    pub all: Vec<Vec<usize>>,
    /// Group of each body, and its place among the bodies of that group; `None` for bodies of no group.
    at: Vec<Option<(usize, usize)>>,
}

impl Groups {
    /// Divides the bodies that are members: two of them are in the same group if a chain of `ties` between
    /// members leads from one to the other. Ties with other bodies, which do not move, tie nothing. Groups
    /// none of whose bodies `counts` are left out.
    pub fn new(
        is_member: &[bool],
        counts: impl Fn(usize) -> bool,
        ties: impl Iterator<Item = [usize; 2]>,
    ) -> Self {
        let mut first: Vec<usize> = (0..is_member.len()).collect();
        for [a, b] in ties.filter(|tie| tie.iter().all(|&body| is_member[body])) {
            let (a, b) = (root(&mut first, a), root(&mut first, b));
            first[a.max(b)] = a.min(b);
        }
        let members = || (0..is_member.len()).filter(|&body| is_member[body]);
        let mut is_kept = vec![false; is_member.len()];
        for body in members().filter(|&body| counts(body)) {
            is_kept[root(&mut first, body)] = true;
        }
        let mut groups = Self { all: Vec::new(), at: vec![None; is_member.len()] };
        for body in members() {
            let root = root(&mut first, body);
            if !is_kept[root] {
                continue;
            }
            let group = match groups.at[root] {
                Some((group, _)) => group,
                None => {
                    groups.all.push(Vec::new());
                    groups.all.len() - 1
                }
            };
            groups.at[body] = Some((group, groups.all[group].len()));
            groups.all[group].push(body);
        }
        groups
    }

    /// Keeps the groups for which `of` their bodies holds.
    pub fn retain(&mut self, mut of: impl FnMut(&[usize]) -> bool) {
        let all = std::mem::take(&mut self.all);
        for bodies in all {
            let is_kept = of(&bodies);
            let group = self.all.len();
            for (place, body) in bodies.iter().enumerate() {
                self.at[*body] = is_kept.then_some((group, place));
            }
            if is_kept {
                self.all.push(bodies);
            }
        }
    }

    /// Returns the group of a body.
    pub fn of(&self, body: usize) -> Option<usize> {
        self.at.get(body)?.map(|(group, _)| group)
    }

    /// Returns the place of a body among those of its group.
    pub fn place(&self, body: usize) -> Option<usize> {
        self.at.get(body)?.map(|(_, place)| place)
    }

    /// Returns the group of a pair of bodies, of which at most one may be in none; `None` if both are.
    pub fn of_pair(&self, [a, b]: [usize; 2]) -> Option<usize> {
        self.of(a).or_else(|| self.of(b))
    }

    /// Returns whether two bodies are in two different groups.
    pub fn parts(&self, [a, b]: [usize; 2]) -> bool {
        matches!((self.of(a), self.of(b)), (Some(a), Some(b)) if a != b)
    }

    /// Returns the same groups, with those joined between which there is one of these `ties`.
    pub fn joined(&self, ties: impl Iterator<Item = [usize; 2]>) -> Self {
        let is_member: Vec<bool> = self.at.iter().map(Option::is_some).collect();
        let own = self.all.iter().flat_map(|bodies| bodies.windows(2).map(|pair| [pair[0], pair[1]]));
        Self::new(&is_member, |_| true, own.chain(ties))
    }
}

/// Returns the smallest body of the tree of `body`, whose path it shortens.
fn root(first: &mut [usize], mut body: usize) -> usize {
    while first[body] != body {
        first[body] = first[first[body]];
        body = first[body];
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_of_ties_make_groups_and_bodies_that_stay_end_them() {
        let is_member = [true, false, true, true, true, true];
        let groups = Groups::new(&is_member, |_| true, [[5, 3], [0, 1], [1, 2], [3, 4]].into_iter());
        assert_eq!(groups.all, [vec![0], vec![2], vec![3, 4, 5]]);
        assert_eq!((groups.of(1), groups.of(5), groups.place(4)), (None, Some(2), Some(1)));
        assert!(groups.parts([0, 2]) && !groups.parts([3, 5]) && !groups.parts([0, 1]));
        assert_eq!(groups.of_pair([1, 2]), Some(1));
        let joined = groups.joined([[4, 0]].into_iter());
        assert_eq!(joined.all, [vec![0, 3, 4, 5], vec![2]]);
    }

    #[test]
    fn one_body_wakes_its_group() {
        let ties = [[0, 1], [1, 3]].into_iter();
        let groups = Groups::new(&[true; 4], |body| body == 3, ties);
        assert_eq!(groups.all, [[0, 1, 3]]);
        assert_eq!(groups.of(2), None);
    }

    #[test]
    fn groups_that_are_not_kept_leave_their_bodies_in_none() {
        let mut groups = Groups::new(&[true; 4], |_| true, [[0, 2]].into_iter());
        groups.retain(|bodies| bodies != [1]);
        assert_eq!(groups.all, [vec![0, 2], vec![3]]);
        assert_eq!([0, 1, 2, 3].map(|body| groups.of(body)), [Some(0), None, Some(0), Some(1)]);
    }
}
