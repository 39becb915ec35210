//! Which primitives name each index, in one flat list.

/// Rows of ascending indices: row k lists the primitives that name k.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incidence {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Incidence {
    /// For each of `n_rows` indices, the `primitives` that name it.
    ///
    /// ```
    /// use rigor_geometry::topology::Incidence;
    /// let incidence = Incidence::of(3, &[[0, 2], [2, 1]]);
    /// assert_eq!(incidence.row(2), [0, 1]);
    /// ```
    ///
    /// # Panics
    /// If a primitive names an index of `n_rows` or more.
    pub fn of<const N: usize>(n_rows: usize, primitives: &[[u32; N]]) -> Self {
        let mut starts = vec![0; n_rows + 1];
        for &k in primitives.iter().flatten() {
            starts[k as usize + 1] += 1;
        }
        for k in 0..n_rows {
            starts[k + 1] += starts[k];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[n_rows] as usize];
        for (p, primitive) in primitives.iter().enumerate() {
            for &k in primitive {
                items[next[k as usize] as usize] = p as u32;
                next[k as usize] += 1;
            }
        }
        Self { starts, items }
    }

    /// The primitives that name `row`, ascending.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}
