//! Engines in this process, which answer the same requests as those in processes of their own.

use super::message::{AdvanceReply, Goal, Hello, Load, Loaded, Refusal};

/// An engine in this process. It is given the requests of the protocol, without the text.
///
/// It is made new for every world, so that `load` is called at most once.
pub trait InProcessEngine: Send {
    /// Introduces itself.
    fn hello(&self) -> Hello;

    /// Builds a world and tells what it uses.
    ///
    /// # Errors
    /// [`Refusal`], if the engine cannot have this world.
    fn load(&mut self, scene: &Load) -> Result<Loaded, Refusal>;

    /// Takes `n` steps; `goals` are the kinematic bodies at the end of the last one.
    ///
    /// # Errors
    /// [`Refusal`], if there is no world or a step fails.
    fn advance(&mut self, n: u64, goals: &[Goal], contacts: bool) -> Result<AdvanceReply, Refusal>;
}
