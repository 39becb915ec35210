//! The problem of all impulses at once: joints are eliminated, contacts and bounds are solved.
//!
//! With the velocities v without impulses, equations J v⁺ + D λ = c and blocks u = Hᵀ v⁺, the impulses λ of the equations are A⁻¹ (c − J v −
//! J M⁻¹ H r) with A = J M⁻¹ Jᵀ + D. What is left is a friction problem with W = Hᵀ M⁻¹ H − Gᵀ A⁻¹ G, G = J M⁻¹ H, and q = Hᵀ v + Gᵀ A⁻¹ (c −
//! J v) − c of the blocks. Bodies that no row connects are solved apart.

use rayon::prelude::*;
use rigor_joint::{Axis, Ends, Equality, Equations, Mobility, Velocity, response, within_limits};
use rigor_math::disjoint_sets::DisjointSets;
use rigor_math::{Mat3, Vec3};
use rigor_nonsmooth::solver::Goal;
use rigor_nonsmooth::{Delassus, Problem};

use crate::config::Config;
use crate::row::Block;

/// What pushes in a substep.
#[derive(Debug, Clone, Default)]
pub(crate) struct Impulses {
    /// λ of each equation (N s or N m s).
    pub equalities: Vec<f64>,
    /// r of each block (N s).
    pub blocks: Vec<Vec3>,
    /// The change of the velocities of each body.
    pub kicks: Vec<Velocity>,
    /// Largest residual of an island, over its tolerance, with the first body of it.
    pub residual: f64,
    /// Where that is.
    pub worst: Option<usize>,
    /// Iterations of all solvers.
    pub iterations: u64,
}

/// Bodies at velocities without impulses, and the rows between them.
pub(crate) struct Mechanics<'a> {
    pub mobilities: &'a [Mobility],
    pub free: &'a [Velocity],
    pub equalities: &'a [Equality],
    pub blocks: &'a [Block],
}

/// The rows of bodies that are connected.
#[derive(Debug, Default)]
struct Island {
    equalities: Vec<usize>,
    blocks: Vec<usize>,
}

/// The impulses of an island.
struct Solved {
    equalities: Vec<f64>,
    blocks: Vec<Vec3>,
    residual: f64,
    iterations: u64,
}

impl Mechanics<'_> {
    /// Solves for the impulses, from those of the blocks at the `start`.
    pub fn solve(&self, start: &[Vec3], config: &Config, goal: &Goal) -> Impulses {
        let islands = self.islands();
        let solve = |island: &Island| self.solve_island(island, start, config, goal);
        let solved: Vec<Solved> = if islands.len() > 1 {
            islands.par_iter().map(solve).collect()
        } else {
            islands.iter().map(solve).collect()
        };
        let mut found = Impulses {
            equalities: vec![0.0; self.equalities.len()],
            blocks: vec![Vec3::zeros(); self.blocks.len()],
            kicks: vec![Velocity::default(); self.mobilities.len()],
            ..Impulses::default()
        };
        for (island, solved) in islands.iter().zip(solved) {
            for (&i, lambda) in island.equalities.iter().zip(solved.equalities) {
                found.equalities[i] = lambda;
                let Equality { ends, axis, .. } = &self.equalities[i];
                self.push(ends, axis, lambda, &mut found.kicks);
            }
            for (&i, r) in island.blocks.iter().zip(solved.blocks) {
                found.blocks[i] = r;
                let Block { ends, axes, .. } = &self.blocks[i];
                (0..3).for_each(|k| self.push(ends, &axes[k], r[k], &mut found.kicks));
            }
            found.iterations += solved.iterations;
            if solved.residual > found.residual {
                found.residual = solved.residual;
                let block = island.blocks.first().map(|&i| self.blocks[i].ends.a);
                found.worst = block.or_else(|| island.equalities.first().map(|&i| self.equalities[i].ends.a));
            }
        }
        found
    }

    fn push(&self, ends: &Ends, axis: &Axis, impulse: f64, kicks: &mut [Velocity]) {
        if impulse == 0.0 {
            return;
        }
        for (body, sign, end) in ends.bodies() {
            let by = response(&self.mobilities[body], axis, sign * impulse, end);
            kicks[body].linear += by.linear;
            kicks[body].angular += by.angular;
        }
    }

    /// Groups rows whose bodies they connect, in the order of their first body.
    fn islands(&self) -> Vec<Island> {
        let is_moved = |body: usize| !self.mobilities[body].is_none();
        let mut sets = DisjointSets::new(self.mobilities.len());
        let moved = |ends: &Ends| ends.bodies().map(|end| end.0).filter(|&body| is_moved(body));
        let all = || {
            let of_equalities = self.equalities.iter().map(|row| row.ends);
            of_equalities.chain(self.blocks.iter().map(|block| block.ends))
        };
        for ends in all() {
            let mut bodies = moved(&ends);
            if let (Some(a), Some(b)) = (bodies.next(), bodies.next()) {
                sets.join(a, b);
            }
        }
        let mut place = vec![usize::MAX; self.mobilities.len()];
        let mut islands: Vec<Island> = Vec::new();
        let mut island_of = |ends: &Ends, islands: &mut Vec<Island>| {
            let first = sets.first(moved(ends).next()?);
            if place[first] == usize::MAX {
                place[first] = islands.len();
                islands.push(Island::default());
            }
            Some(place[first])
        };
        for (i, row) in self.equalities.iter().enumerate() {
            if let Some(island) = island_of(&row.ends, &mut islands) {
                islands[island].equalities.push(i);
            }
        }
        for (i, block) in self.blocks.iter().enumerate() {
            if let Some(island) = island_of(&block.ends, &mut islands) {
                islands[island].blocks.push(i);
            }
        }
        islands
    }

    fn solve_island(&self, island: &Island, start: &[Vec3], config: &Config, goal: &Goal) -> Solved {
        let rows: Vec<&Equality> = island.equalities.iter().map(|&i| &self.equalities[i]).collect();
        let blocks: Vec<&Block> = island.blocks.iter().map(|&i| &self.blocks[i]).collect();
        let start: Vec<Vec3> = island.blocks.iter().map(|&i| start[i]).collect();
        let solve = |held: &[Option<f64>]| self.solve_rows(&rows, held, &blocks, &start, config, goal);
        within_limits(&rows, solve, |(solved, velocities)| (&solved.equalities, velocities)).0
    }

    /// Solves with the impulses of some rows given. Returns the impulses and the velocities of the rows after them.
    fn solve_rows(
        &self,
        rows: &[&Equality],
        held: &[Option<f64>],
        blocks: &[&Block],
        start: &[Vec3],
        config: &Config,
        goal: &Goal,
    ) -> (Solved, Vec<f64>) {
        // Rows that are held at a limit push on the velocities without impulses.
        let mut given: Vec<(usize, Velocity)> = Vec::new();
        for (row, held) in rows.iter().zip(held) {
            let Some(impulse) = held else { continue };
            for (body, sign, end) in row.ends.bodies() {
                given.push((body, response(&self.mobilities[body], &row.axis, sign * impulse, end)));
            }
        }
        let free = |body: usize| {
            let mut velocity = self.free[body];
            for (_, by) in given.iter().filter(|given| given.0 == body) {
                velocity.linear += by.linear;
                velocity.angular += by.angular;
            }
            velocity
        };
        let active: Vec<usize> = (0..rows.len()).filter(|&i| held[i].is_none()).collect();
        let m = active.len();
        let equations = Equations::new(self.mobilities, rows, &active, free);
        let coupling: Vec<Vec<[f64; 3]>> = blocks.iter().map(|block| coupling(&equations, block)).collect();
        let solved: Vec<Vec<[f64; 3]>> = coupling.iter().map(|g| solve_columns(&equations, g)).collect();

        let w = self.delassus(blocks, &coupling, &solved);
        let q: Vec<Vec3> = (0..blocks.len())
            .map(|i| {
                let mut q = blocks[i].velocity(free);
                q -= blocks[i].target;
                for (g, lambda) in coupling[i].iter().zip(&equations.lambda) {
                    q += Vec3::from(*g) * *lambda;
                }
                q
            })
            .collect();
        let (r, residual, iterations) = contact(&w, &q, blocks, start, config, goal);

        let mut lambda = equations.lambda.clone();
        for (columns, r) in solved.iter().zip(&r) {
            for (lambda, column) in lambda.iter_mut().zip(columns) {
                *lambda -= Vec3::from(*column).dot(r);
            }
        }
        let mut equalities: Vec<f64> = held.iter().map(|held| held.unwrap_or(0.0)).collect();
        (0..m).for_each(|k| equalities[active[k]] = lambda[k]);
        let velocities = if held.iter().any(Option::is_some) {
            self.velocities_after(rows, &equalities, blocks, &r)
        } else {
            rows.iter().map(|row| row.target).collect()
        };
        (Solved { equalities, blocks: r, residual, iterations }, velocities)
    }

    fn velocities_after(
        &self,
        rows: &[&Equality],
        equalities: &[f64],
        blocks: &[&Block],
        r: &[Vec3],
    ) -> Vec<f64> {
        let mut kicks = vec![Velocity::default(); self.mobilities.len()];
        for (row, lambda) in rows.iter().zip(equalities) {
            self.push(&row.ends, &row.axis, *lambda, &mut kicks);
        }
        for (block, r) in blocks.iter().zip(r) {
            (0..3).for_each(|k| self.push(&block.ends, &block.axes[k], r[k], &mut kicks));
        }
        let after = |body: usize| Velocity {
            linear: self.free[body].linear + kicks[body].linear,
            angular: self.free[body].angular + kicks[body].angular,
        };
        rows.iter().map(|row| row.ends.velocity(&row.axis, after)).collect()
    }

    /// W of the blocks, without the joints' part where nothing couples to them.
    fn delassus(
        &self,
        blocks: &[&Block],
        coupling: &[Vec<[f64; 3]>],
        solved: &[Vec<[f64; 3]>],
    ) -> Vec<(usize, usize, Mat3)> {
        let mut of_body: Vec<(usize, usize, f64, usize)> = Vec::new();
        for (i, block) in blocks.iter().enumerate() {
            of_body.extend(block.ends.bodies().map(|(body, sign, end)| (body, i, sign, end)));
        }
        of_body.sort_by_key(|&(body, i, ..)| (body, i));
        let mut entries = Vec::new();
        for group in of_body.chunk_by(|x, y| x.0 == y.0) {
            let mobility = &self.mobilities[group[0].0];
            if mobility.is_none() {
                continue;
            }
            let columns: Vec<[Velocity; 3]> = group
                .iter()
                .map(|&(_, j, sign, end)| {
                    [0, 1, 2].map(|k| response(mobility, &blocks[j].axes[k], sign, end))
                })
                .collect();
            for &(_, i, sign, end) in group {
                for (column, &(_, j, ..)) in columns.iter().zip(group) {
                    let block = Mat3::from_fn(|k, l| {
                        let axis = &blocks[i].axes[k];
                        sign * (axis.linear.dot(&column[l].linear) + axis.turns[end].dot(&column[l].angular))
                    });
                    entries.push((i, j, block));
                }
            }
        }
        let touches = |i: &usize| coupling[*i].iter().any(|g| *g != [0.0; 3]);
        let coupled: Vec<usize> = (0..blocks.len()).filter(touches).collect();
        for &i in &coupled {
            for &j in &coupled {
                let mut block = Mat3::zeros();
                for (g, y) in coupling[i].iter().zip(&solved[j]) {
                    block -= Vec3::from(*g) * Vec3::from(*y).transpose();
                }
                entries.push((i, j, block));
            }
        }
        for (i, block) in blocks.iter().enumerate() {
            if block.softness > 0.0 {
                entries.push((i, i, Mat3::from_diagonal(&Vec3::new(block.softness, 0.0, 0.0))));
            }
        }
        entries
    }
}

/// G of a block: the velocity of each of the equations per unit impulse of the block's rows; empty without equations.
fn coupling(equations: &Equations, block: &Block) -> Vec<[f64; 3]> {
    equations
        .responses
        .iter()
        .map(|bodies| {
            let mut g = [0.0; 3];
            for (body, sign, end) in block.ends.bodies() {
                for (_, by) in bodies.iter().filter(|one| one.0 == body) {
                    for (k, g) in g.iter_mut().enumerate() {
                        let axis = &block.axes[k];
                        *g += sign * (axis.linear.dot(&by.linear) + axis.turns[end].dot(&by.angular));
                    }
                }
            }
            g
        })
        .collect()
}

/// A⁻¹ G.
fn solve_columns(equations: &Equations, g: &[[f64; 3]]) -> Vec<[f64; 3]> {
    if g.iter().all(|g| *g == [0.0; 3]) {
        return g.to_vec();
    }
    let columns = [0, 1, 2].map(|k| equations.solve(g.iter().map(|g| g[k]).collect()));
    (0..g.len()).map(|i| [columns[0][i], columns[1][i], columns[2][i]]).collect()
}

/// Solves the friction problem of W and q. Returns the impulses, the residual over the tolerance, and the iterations.
///
/// Each block is measured in units in which its own inverse mass is 1, and all velocities in units of the largest: the residual then means the
/// same for a marble and a house.
fn contact(
    entries: &[(usize, usize, Mat3)],
    q: &[Vec3],
    blocks: &[&Block],
    start: &[Vec3],
    config: &Config,
    goal: &Goal,
) -> (Vec<Vec3>, f64, u64) {
    let n = blocks.len();
    if n == 0 {
        return (Vec::new(), 0.0, 0);
    }
    let mut own = vec![0.0; n];
    for (i, j, block) in entries {
        if i == j {
            own[*i] += if blocks[*i].is_bound() { block[(0, 0)] } else { block.trace() / 3.0 };
        }
    }
    // A contact that nothing can move has no say.
    let scale: Vec<f64> = own.iter().map(|w| if *w > 0.0 { 1.0 / w.sqrt() } else { 0.0 }).collect();
    let largest = (0..n).map(|i| q[i].norm() * scale[i]).fold(0.0, f64::max);
    if largest == 0.0 {
        return (vec![Vec3::zeros(); n], 0.0, 0);
    }
    let scaled = entries.iter().map(|(i, j, block)| (*i, *j, block * (scale[*i] * scale[*j]))).collect();
    let problem = Problem::trusted(
        Delassus::new(n, scaled),
        (0..n).map(|i| q[i] * (scale[i] / largest)).collect(),
        blocks.iter().map(|block| block.cone).collect(),
    );
    let start: Vec<Vec3> = (0..n)
        .map(|i| if scale[i] > 0.0 { start[i] / (scale[i] * largest) } else { Vec3::zeros() })
        .collect();
    let law = config.law(1.0);
    let found = config.solver(&law, n).solve(&problem, &law, &start, goal);
    // Newton steps end outside of the cone by as much as the tolerance leaves.
    let r = (0..n).map(|i| blocks[i].cone.project(&found.r[i]) * (scale[i] * largest)).collect();
    (r, found.residual / goal.tolerance, found.work.iterations)
}
