//! Greedy colouring: constraints of one colour share no movable node and can be solved at the same time.

/// Greedy colouring: each constraint gets the smallest colour that no neighbour has.
///
/// Deterministic: the result depends only on the order of the constraints. Pinned particles and static
/// bodies, which no constraint moves, create no neighbours.
#[derive(Debug, Default)]
pub(crate) struct Palette {
    /// For each node, one bit per colour that touches it.
    taken: Vec<Vec<u64>>,
}

impl Palette {
    /// Creates an empty colouring of `n` nodes.
    pub fn new(n: usize) -> Self {
        Self { taken: vec![Vec::new(); n] }
    }

    /// Removes all constraints and resizes to `n` nodes.
    pub fn clear(&mut self, n: usize) {
        self.taken.iter_mut().for_each(Vec::clear);
        self.taken.resize(n, Vec::new());
    }

    /// Returns the smallest free colour of a constraint that moves `nodes`, and takes it.
    pub fn pick(&mut self, nodes: impl Iterator<Item = usize> + Clone) -> usize {
        for word in 0.. {
            let taken = nodes.clone().fold(0, |mask, node| mask | self.taken[node].get(word).unwrap_or(&0));
            if taken != u64::MAX {
                let colour = 64 * word + taken.trailing_ones() as usize;
                self.take(nodes, colour);
                return colour;
            }
        }
        unreachable!("a node with finitely many constraints has a free colour")
    }

    /// Marks `colour` as taken at `nodes`.
    pub fn take(&mut self, nodes: impl Iterator<Item = usize>, colour: usize) {
        for node in nodes {
            let words = &mut self.taken[node];
            if words.len() <= colour / 64 {
                words.resize(colour / 64 + 1, 0);
            }
            words[colour / 64] |= 1 << (colour % 64);
        }
    }

    /// Returns whether `colour` is free at all `nodes`.
    pub fn is_free(&self, mut nodes: impl Iterator<Item = usize>, colour: usize) -> bool {
        nodes.all(|node| self.taken[node].get(colour / 64).is_none_or(|word| word >> (colour % 64) & 1 == 0))
    }
}
