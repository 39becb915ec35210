//! Bodies divided into sets.

/// A division of bodies into sets; each is named by its body of smallest index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Partition {
    /// The name of the set of each body.
    names: Vec<usize>,
}

impl Partition {
    /// Divides `n` bodies into the smallest sets that no tie leaves.
    pub fn of(n: usize, ties: impl Iterator<Item = [usize; 2]>) -> Self {
        let mut names: Vec<usize> = (0..n).collect();
        for pair in ties {
            let [a, b] = pair.map(|body| first(&mut names, body));
            names[a.max(b)] = a.min(b);
        }
        // Names are never larger than the bodies that have them.
        (0..n).for_each(|body| names[body] = names[names[body]]);
        Self { names }
    }

    /// Returns the sets with these names of their bodies; `None` if they name bodies that do not exist, or later ones.
    pub fn named(names: Vec<usize>) -> Option<Self> {
        names.iter().enumerate().all(|(body, name)| *name <= body).then_some(Self { names })
    }

    /// Returns ties that make these sets.
    pub fn ties(&self) -> impl Iterator<Item = [usize; 2]> {
        self.names.iter().enumerate().map(|(body, name)| [*name, body])
    }

    /// Returns the name of the set of each body.
    pub fn names(&self) -> &[usize] {
        &self.names
    }

    /// Returns for each body the sum, in some sense, of the values of all bodies of its set, in ascending order.
    pub fn fold<T: Copy>(&self, values: &[T], sum: impl Fn(T, T) -> T) -> Vec<T> {
        let mut sums = values.to_vec();
        for (body, &name) in self.names.iter().enumerate().filter(|(body, name)| body != *name) {
            sums[name] = sum(sums[name], values[body]);
        }
        self.names.iter().map(|&name| sums[name]).collect()
    }
}

/// Returns the name of the set of a body so far, and shortens the way to it.
fn first(names: &mut [usize], mut body: usize) -> usize {
    while names[body] != body {
        names[body] = names[names[body]];
        body = names[body];
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_join_sets_in_any_order() {
        for ties in [[[4, 2], [2, 5], [0, 3]], [[5, 4], [3, 0], [4, 2]]] {
            let sets = Partition::of(6, ties.into_iter());
            assert_eq!(sets.names(), [0, 1, 2, 0, 2, 2]);
            assert_eq!(Partition::of(6, sets.ties()), sets);
            assert_eq!(sets.fold(&[1, 2, 3, 4, 5, 6], |a, b| a + b), [5, 2, 14, 5, 14, 14]);
        }
    }

    #[test]
    fn names_of_later_bodies_are_refused() {
        assert!(Partition::named(vec![0, 2, 2]).is_none());
        assert!(Partition::named(vec![0, 0, 2]).is_some());
    }
}
