//! Friction problems with contact.

use std::borrow::Cow;

use crate::cholesky::Cholesky;
use crate::cone::Cone;
use crate::delassus::Delassus;
use crate::{Law, Mat3, Vec3};

/// Largest |W − Wᵀ| over the largest |W| that counts as rounding of the program that wrote W.
const ASYMMETRY: f64 = 1e-2;

/// Largest number of a problem.
const LARGEST: f64 = 1e100;

/// Negative eigenvalue of W over a bound of its largest that counts as rounding.
const INDEFINITE: f64 = 1e-7;

/// Number of block rows up to which the whole of W is tested for negative eigenvalues.
const DENSE: usize = 1000;

/// A discrete friction problem with contact: find impulses r and relative velocities u with
///
/// u = W r + q, r ∈ K, û ∈ K*, û · r = 0, with û = u + μ ‖u_T‖ e_N (De Saxcé's form of Coulomb's law).
///
/// K is the product of the [cones](Cone) of the blocks of three rows; component 0 of a contact is normal. Units: r in N s, u and q in
/// m/s, W in 1/kg. Planar problems have a third row that nothing couples: u_2 = w r_2 and r_2 = 0.
///
/// Source: \[Acary2018\], \[DeSaxce1998\].
///
/// ```
/// use rigor_nonsmooth::{Cone, Delassus, Mat3, Problem, Vec3};
/// // 2 kg slide at 1 m/s onto a floor with μ = 0.5 and fall at 3 m/s: the floor stops both.
/// let w = Delassus::new(1, vec![(0, 0, 0.5 * Mat3::identity())]);
/// let problem = Problem::new(w, vec![Vec3::new(-3.0, 1.0, 0.0)], vec![Cone::Friction(0.5)])?;
/// assert!(problem.residual(&[Vec3::new(6.0, -2.0, 0.0)]) < 1e-15);
/// # Ok::<(), rigor_nonsmooth::ProblemError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    delassus: Delassus,
    q: Vec<Vec3>,
    cones: Vec<Cone>,
    asymmetry: f64,
    is_planar: bool,
}

/// The reason why numbers are no problem.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// The parts have different sizes.
    #[error(
        "W has {rows} blocks of three rows, q {q}, and there are {cones} coefficients of friction: all must be as many"
    )]
    Sizes {
        /// Block rows of W.
        rows: usize,
        /// Blocks of q.
        q: usize,
        /// Cones.
        cones: usize,
    },
    /// A number is not finite.
    #[error("{what} of block {block} is {value}: all numbers must be finite")]
    NotFinite {
        /// W, q or μ.
        what: &'static str,
        /// The block row.
        block: usize,
        /// The number.
        value: f64,
    },
    /// A number is so large that squares overflow.
    #[error("{what} of block {block} is {value:e}: at most {LARGEST:e} can be solved; take other units")]
    TooLarge {
        /// W, q or μ.
        what: &'static str,
        /// The block row.
        block: usize,
        /// The number.
        value: f64,
    },
    /// A coefficient of friction is negative.
    #[error("μ of contact {contact} is {mu}: it must be at least 0")]
    Friction {
        /// The contact.
        contact: usize,
        /// Its coefficient.
        mu: f64,
    },
    /// W is not symmetric.
    #[error(
        "W is not symmetric: W − Wᵀ reaches {asymmetry:e} of the largest |W|, and at most {ASYMMETRY:e} counts as rounding"
    )]
    Asymmetric {
        /// Largest |W − Wᵀ| over the largest |W|.
        asymmetry: f64,
    },
    /// W has a negative eigenvalue.
    #[error("W has a negative eigenvalue beyond rounding ({where_found}): no mechanism has such a W")]
    Indefinite {
        /// Where it shows.
        where_found: String,
    },
}

impl Problem {
    /// The problem of these parts. W is made symmetric: [`asymmetry`](Self::asymmetry) says how far it was not.
    ///
    /// # Errors
    /// [`ProblemError`] for parts of different sizes, numbers that are not finite, μ < 0, and a W that is not symmetric or has a
    /// negative eigenvalue: of one block row, of two, or, up to 1000 of them, as a whole.
    pub fn new(delassus: Delassus, q: Vec<Vec3>, cones: Vec<Cone>) -> Result<Self, ProblemError> {
        if delassus.len() != q.len() || q.len() != cones.len() {
            return Err(ProblemError::Sizes { rows: delassus.len(), q: q.len(), cones: cones.len() });
        }
        for i in 0..q.len() {
            let finite = |what: &'static str, numbers: &[f64]| {
                let bad = numbers.iter().find(|x| x.abs() > LARGEST || x.is_nan());
                bad.map_or(Ok(()), |&value| {
                    Err(if value.is_finite() {
                        ProblemError::TooLarge { what, block: i, value }
                    } else {
                        ProblemError::NotFinite { what, block: i, value }
                    })
                })
            };
            delassus.row(i).try_for_each(|(_, block)| finite("W", block.as_slice()))?;
            finite("q", q[i].as_slice())?;
            finite("μ", &[cones[i].friction()])?;
            if cones[i].friction() < 0.0 {
                return Err(ProblemError::Friction { contact: i, mu: cones[i].friction() });
            }
        }
        let (delassus, asymmetry) = delassus.symmetrised();
        if asymmetry > ASYMMETRY {
            return Err(ProblemError::Asymmetric { asymmetry });
        }
        check_semidefinite(&delassus)?;
        Ok(Self { delassus, q, cones, asymmetry, is_planar: false })
    }

    /// The problem of a W that its author knows to be symmetric and positive semidefinite, as Hᵀ M⁻¹ H is: nothing is checked, in a time
    /// linear in the size.
    ///
    /// # Panics
    /// If the parts have different sizes.
    pub fn trusted(delassus: Delassus, q: Vec<Vec3>, cones: Vec<Cone>) -> Self {
        assert!(delassus.len() == q.len() && q.len() == cones.len(), "parts of different sizes");
        Self { delassus, q, cones, asymmetry: 0.0, is_planar: false }
    }

    /// The problem, marked as planar: its third rows are padding and are left out of files.
    #[must_use]
    pub fn planar(self) -> Self {
        Self { is_planar: true, ..self }
    }

    /// W.
    pub fn delassus(&self) -> &Delassus {
        &self.delassus
    }

    /// q: the relative velocities without impulses (m/s).
    pub fn q(&self) -> &[Vec3] {
        &self.q
    }

    /// The cone of each block.
    pub fn cones(&self) -> &[Cone] {
        &self.cones
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// Largest |W − Wᵀ| over the largest |W|, as the problem was given.
    pub fn asymmetry(&self) -> f64 {
        self.asymmetry
    }

    /// Whether third rows are padding.
    pub fn is_planar(&self) -> bool {
        self.is_planar
    }

    /// u = W r + q (m/s).
    pub fn velocities(&self, r: &[Vec3]) -> Vec<Vec3> {
        self.delassus.affine(r, &self.q)
    }

    /// ‖q‖ (m/s).
    pub fn q_norm(&self) -> f64 {
        self.q.iter().map(Vec3::norm_squared).sum::<f64>().sqrt()
    }

    /// The problem with W + R under the law of soft contacts, and the problem itself under any other.
    pub(crate) fn softened(&self, law: &Law) -> Cow<'_, Self> {
        let compliance = match law {
            Law::Regularised { compliance } => *compliance,
            Law::Coulomb | Law::Convex | Law::Pyramid { .. } => return Cow::Borrowed(self),
        };
        let delassus = self
            .delassus
            .map(|i, j, block| if i == j { block + Mat3::identity() * compliance } else { *block });
        Cow::Owned(Self { delassus, ..self.clone() })
    }
}

/// Refuses negative eigenvalues beyond rounding.
fn check_semidefinite(w: &Delassus) -> Result<(), ProblemError> {
    let margin = INDEFINITE * w.bound();
    for i in 0..w.len() {
        let least = w.diagonal(i).symmetric_eigenvalues().min();
        if least < -margin {
            return Err(ProblemError::Indefinite { where_found: format!("{least:e} in block {i}") });
        }
        for (j, block) in w.row(i).filter(|&(j, _)| j != i) {
            for (a, b) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))) {
                let (p, q, r) = (w.diagonal(i)[(a, a)], w.diagonal(j)[(b, b)], block[(a, b)]);
                if r * r > (p.max(0.0) + margin) * (q.max(0.0) + margin) {
                    let where_found = format!("rows {} and {}: {p:e} · {q:e} < {r:e}²", 3 * i + a, 3 * j + b);
                    return Err(ProblemError::Indefinite { where_found });
                }
            }
        }
    }
    if w.len() <= DENSE && margin > 0.0 {
        let mut dense = w.dense();
        (0..3 * w.len()).for_each(|k| dense[(k, k)] += margin);
        if Cholesky::new(dense).is_none() {
            let where_found = format!("W + {margin:e} · 1 is not positive definite");
            return Err(ProblemError::Indefinite { where_found });
        }
    }
    Ok(())
}
