//! The equations of joints, factorized.
//!
//! With the velocities v without impulses, J v⁺ + D λ = c has the impulses λ = A⁻¹ (c − J v − J M⁻¹ H r), A = J M⁻¹ Jᵀ + D, where others push with H r.

use rigor_nonsmooth::Cholesky;

use crate::axis::{Mobility, Velocity, response};
use crate::row::Equality;

/// Part of a diagonal of A that is added so that equations which repeat others have a solution.
const REPEATED: f64 = 1e-12;

/// Sum of the parts of an equation, relative to what equations ask for, from which they contradict each other: with the part above, their
/// impulses are as large as its inverse, and all that is left of velocities is rounding. And the part that is added then.
const CONTRADICTS: f64 = 1e8;
const CONTRADICTED: f64 = 1e-8;

/// Times that equations whose impulses have a limit are sorted into those at it and those below.
const SORTINGS: usize = 8;

/// Solves equations of which some have a limit to their impulses, given what `solve` finds with the impulses of some rows given: the solution, and
/// from it λ and u⁺ of every row.
pub fn within_limits<T>(
    rows: &[&Equality],
    mut solve: impl FnMut(&[Option<f64>]) -> T,
    of: impl Fn(&T) -> (&[f64], &[f64]),
) -> T {
    let mut held: Vec<Option<f64>> = vec![None; rows.len()];
    let mut solved = solve(&held);
    for _ in 0..SORTINGS {
        let mut is_changed = false;
        let (lambdas, velocities) = of(&solved);
        for (i, row) in rows.iter().enumerate() {
            let lambda = lambdas[i];
            let next = match held[i] {
                None if lambda > row.most => Some(row.most),
                None if lambda < row.least => Some(row.least),
                // Beyond what was asked, an effort at its limit is too much.
                Some(at) if at == row.most && velocities[i] + row.softness * at > row.target => None,
                Some(at) if at == row.least && velocities[i] + row.softness * at < row.target => None,
                same => same,
            };
            is_changed |= next != held[i];
            held[i] = next;
        }
        if !is_changed {
            break;
        }
        solved = solve(&held);
    }
    solved
}

/// Returns entries in the order of rows and columns, those of one place summed in the order in which they are given.
fn summed(mut entries: Vec<(usize, usize, f64)>) -> Vec<(usize, usize, f64)> {
    entries.sort_by_key(|entry| (entry.0, entry.1));
    entries.dedup_by(|next, kept| {
        let is_same = (next.0, next.1) == (kept.0, kept.1);
        if is_same {
            kept.2 += next.2;
        }
        is_same
    });
    entries
}

/// Some equations, with A factorized.
pub struct Equations {
    factor: Option<Cholesky>,
    /// Of each row, its bodies with what a unit impulse does to them.
    pub responses: Vec<Vec<(usize, Velocity)>>,
    /// λ without other impulses (N s or N m s).
    pub lambda: Vec<f64>,
}

impl Equations {
    /// Factorizes the `active` ones of these rows, for bodies with these mobilities and `free` velocities.
    pub fn new(
        mobilities: &[Mobility],
        rows: &[&Equality],
        active: &[usize],
        free: impl Fn(usize) -> Velocity + Copy,
    ) -> Self {
        let m = active.len();
        let responses: Vec<Vec<(usize, Velocity)>> = active
            .iter()
            .map(|&i| {
                let Equality { ends, axis, .. } = rows[i];
                ends.bodies()
                    .map(|(body, sign, end)| (body, response(&mobilities[body], axis, sign, end)))
                    .collect()
            })
            .collect();
        if m == 0 {
            return Self { factor: None, responses, lambda: Vec::new() };
        }
        let mut of_body: Vec<(usize, usize)> = Vec::new();
        for (k, bodies) in responses.iter().enumerate() {
            of_body.extend(bodies.iter().map(|(body, _)| (*body, k)));
        }
        of_body.sort_unstable();
        // Every row has its place on the diagonal.
        let mut entries: Vec<(usize, usize, f64)> = (0..m).map(|k| (k, k, 0.0)).collect();
        for group in of_body.chunk_by(|x, y| x.0 == y.0) {
            let body = group[0].0;
            for &(_, k) in group {
                let row = rows[active[k]];
                let Some((_, sign, end)) = row.ends.bodies().find(|end| end.0 == body) else { continue };
                for &(_, l) in group {
                    let Some((_, by)) = responses[l].iter().find(|one| one.0 == body) else { continue };
                    let value =
                        sign * (row.axis.linear.dot(&by.linear) + row.axis.turns[end].dot(&by.angular));
                    entries.push((k, l, value));
                }
            }
        }
        let mut entries = summed(entries);
        let on_diagonal = |entry: &&mut (usize, usize, f64)| entry.0 == entry.1;
        let mean = entries.iter_mut().filter(on_diagonal).map(|entry| entry.2).sum::<f64>() / m as f64;
        let mut right = Vec::with_capacity(m);
        // What is added to the diagonal for equations that repeat others.
        let mut small = Vec::with_capacity(m);
        for (entry, &i) in entries.iter_mut().filter(on_diagonal).zip(active) {
            let row = rows[i];
            entry.2 += row.softness + REPEATED * (entry.2 + mean);
            small.push(REPEATED * (entry.2 + mean));
            right.push(row.target - row.ends.velocity(&row.axis, free));
        }
        let factor = Cholesky::of_entries(m, &entries);
        let mut equations = Self { factor, responses, lambda: vec![0.0; m] };
        equations.lambda = equations.solve(right.clone());
        if equations.contradict(&entries, &right) {
            let diagonal = entries.iter_mut().filter(|entry| entry.0 == entry.1);
            diagonal.zip(&small).for_each(|(entry, small)| entry.2 += small * (CONTRADICTED / REPEATED));
            equations.factor = Cholesky::of_entries(m, &entries);
            equations.lambda = equations.solve(right);
            return equations;
        }
        // What the small part on the diagonal took away.
        let mut product = vec![0.0; m];
        entries.iter().for_each(|&(k, l, value)| product[k] += value * equations.lambda[l]);
        let rest = (0..m).map(|k| right[k] - product[k] + small[k] * equations.lambda[k]).collect();
        let more = equations.solve(rest);
        equations.lambda.iter_mut().zip(more).for_each(|(lambda, more)| *lambda += more);
        equations
    }

    /// Returns whether what the impulses do in an equation cancels to a tiny part of it.
    fn contradict(&self, entries: &[(usize, usize, f64)], right: &[f64]) -> bool {
        let mut parts = vec![0.0; right.len()];
        entries.iter().for_each(|&(k, l, value)| parts[k] += (value * self.lambda[l]).abs());
        let asked = right.iter().fold(0.0_f64, |most, asked| most.max(asked.abs()));
        parts.iter().any(|parts| *parts > CONTRADICTS * asked)
    }

    /// Returns A⁻¹ of a vector; zeros where A is not positive definite.
    pub fn solve(&self, mut right: Vec<f64>) -> Vec<f64> {
        match &self.factor {
            Some(factor) => {
                factor.solve(&mut right);
                right
            }
            None => vec![0.0; right.len()],
        }
    }
}
