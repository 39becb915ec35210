//! Contact solvers: positions, then velocities.

mod agreement;
mod block;
mod cascade;
mod impact;
mod pair_sweep;
mod precedence;
mod rebound;
mod sequential;
mod squeeze;
mod strike;
pub(crate) mod velocity;
pub(crate) mod warm_start;

pub(crate) use pair_sweep::PairSweep;
pub(crate) use precedence::{Direction, Precedence};
pub(crate) use rebound::Rebounds;
pub(crate) use squeeze::Squeeze;
