//! The Delassus matrix W of a problem, in blocks of 3 × 3.

use faer::Mat;
use rigor_math::fused;

use crate::{Mat3, Vec3};

/// Number of block rows up to which the full matrix is made.
const LARGEST: usize = 6000;

/// A symmetric matrix of 3 × 3 blocks of which most are zero, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Delassus {
    /// Where the blocks of each block row begin; one more than there are rows.
    starts: Vec<usize>,
    columns: Vec<usize>,
    blocks: Vec<Mat3>,
    diagonal: Vec<Mat3>,
}

impl Delassus {
    /// The matrix of `n` block rows with these blocks (row, column, block); blocks at one place are added.
    ///
    /// # Panics
    /// If a row or column is not below `n`.
    pub fn new(n: usize, mut blocks: Vec<(usize, usize, Mat3)>) -> Self {
        blocks.sort_by_key(|&(i, j, _)| (i, j));
        let mut matrix = Self {
            starts: vec![0],
            columns: Vec::new(),
            blocks: Vec::new(),
            diagonal: vec![Mat3::zeros(); n],
        };
        let mut last = None;
        for (i, j, block) in blocks {
            assert!(i < n && j < n, "block ({i}, {j}) of a matrix of {n} block rows");
            if last == Some((i, j)) {
                *matrix.blocks.last_mut().expect("the block before") += block;
            } else {
                while matrix.starts.len() <= i {
                    matrix.starts.push(matrix.columns.len());
                }
                matrix.columns.push(j);
                matrix.blocks.push(block);
            }
            last = Some((i, j));
        }
        matrix.starts.resize(n + 1, matrix.columns.len());
        for i in 0..n {
            let diagonal = matrix.row(i).find(|&(j, _)| j == i).map(|(_, block)| *block);
            matrix.diagonal[i] = diagonal.unwrap_or_else(Mat3::zeros);
        }
        matrix
    }

    /// Number of block rows.
    pub fn len(&self) -> usize {
        self.diagonal.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.diagonal.is_empty()
    }

    /// The blocks (column, block) of a block row, columns ascending.
    #[inline]
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, &Mat3)> {
        let range = self.starts[i]..self.starts[i + 1];
        self.columns[range.clone()].iter().copied().zip(&self.blocks[range])
    }

    /// W_ii.
    pub fn diagonal(&self, i: usize) -> &Mat3 {
        &self.diagonal[i]
    }

    /// Row `i` of W r.
    #[inline]
    pub fn row_product(&self, i: usize, r: &[Vec3]) -> Vec3 {
        self.row(i).fold(Vec3::zeros(), |sum, (j, block)| fused::mul_add(block, &r[j], &sum))
    }

    /// W r + q.
    pub fn affine(&self, r: &[Vec3], q: &[Vec3]) -> Vec<Vec3> {
        q.iter().enumerate().map(|(i, q)| q + self.row_product(i, r)).collect()
    }

    /// Mean of the diagonal, or 1 if that is 0.
    pub fn scale(&self) -> f64 {
        let trace: f64 = self.diagonal.iter().map(Mat3::trace).sum();
        let mean = trace / (3 * self.len().max(1)) as f64;
        if mean > 0.0 { mean } else { 1.0 }
    }

    /// The largest eigenvalue is at most this: the largest row sum of absolute values.
    pub fn bound(&self) -> f64 {
        let of_row = |i: usize| {
            let sums = self.row(i).fold(Vec3::zeros(), |sum, (_, block)| sum + block.abs().column_sum());
            sums.max()
        };
        (0..self.len()).map(of_row).fold(0.0, f64::max)
    }

    /// Whether solvers factorize it: up to 6000 block rows, whose full matrix takes 2.6 GB.
    pub fn is_small(&self) -> bool {
        self.len() <= LARGEST
    }

    /// The matrix with all its zeros.
    pub fn dense(&self) -> Mat<f64> {
        let mut dense = Mat::zeros(3 * self.len(), 3 * self.len());
        for i in 0..self.len() {
            for (j, block) in self.row(i) {
                for a in 0..3 {
                    for b in 0..3 {
                        dense[(3 * i + a, 3 * j + b)] = block[(a, b)];
                    }
                }
            }
        }
        dense
    }

    /// The matrix with `f` applied to each block (row, column, block).
    pub fn map(&self, f: impl Fn(usize, usize, &Mat3) -> Mat3) -> Self {
        let mut mapped = self.clone();
        for i in 0..self.len() {
            for k in self.starts[i]..self.starts[i + 1] {
                mapped.blocks[k] = f(i, self.columns[k], &self.blocks[k]);
                if self.columns[k] == i {
                    mapped.diagonal[i] = mapped.blocks[k];
                }
            }
        }
        mapped
    }

    /// (W + Wᵀ)/2, and the largest |W − Wᵀ| over the largest |W|.
    pub fn symmetrised(&self) -> (Self, f64) {
        let mut blocks = Vec::with_capacity(2 * self.blocks.len());
        let mut difference = Vec::with_capacity(2 * self.blocks.len());
        for i in 0..self.len() {
            for (j, block) in self.row(i) {
                blocks.extend([(i, j, 0.5 * block), (j, i, 0.5 * block.transpose())]);
                difference.extend([(i, j, *block), (j, i, -block.transpose())]);
            }
        }
        let largest = |matrix: &Self| matrix.blocks.iter().map(nalgebra::Matrix::amax).fold(0.0, f64::max);
        let off = largest(&Self::new(self.len(), difference));
        let most = largest(self);
        (Self::new(self.len(), blocks), if most > 0.0 { off / most } else { 0.0 })
    }
}
