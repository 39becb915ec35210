//! An engine in a process of its own, which answers requests in lines of JSON on its standard streams, or in this
//! process, which answers the same requests.
//!
//! `docs/peer-protocol.md` describes the protocol, version [`PROTOCOL`].
//!
//! | module | content |
//! | --- | --- |
//! | `ahead` | steps that an engine takes ahead of the run, so that one message carries several |
//! | [`config`] | the settings of a peer |
//! | [`capabilities`] | what an engine can do, as it states it |
//! | [`message`] | requests and replies |
//! | [`channel`] | the process, its streams and time limits |
//! | [`resident`] | an engine in this process |
//! | [`link`] | the way to an engine of either kind |
//! | [`fault`] | how an engine or its adapter can fail |
//! | [`coefficient`] | friction and restitution under the engine's own rule of combination |
//! | `joint` | joints for an engine |
//! | `load` | a scene in the author's frame, as a request |
//! | `read_back` | what the engine says that it uses, compared with the scene |
//! | `notice` | what the scene requests and the engine ignores or replaces |
//! | `stream` | threads that empty the output of a process |
//! | `support` | what the scene requests and the engine lacks |
//! | `replay` | the start and the length of a run, from which its world is made again |
//! | `world` | a loaded engine: the state goes in, the next state comes out |
//! | [`peer`] | the method |

mod ahead;
pub mod capabilities;
pub mod channel;
pub mod coefficient;
pub mod config;
pub mod fault;
mod joint;
pub mod link;
mod load;
pub mod message;
mod notice;
pub mod peer;
mod read_back;
mod replay;
pub mod resident;
mod stream;
mod support;
mod world;

pub use capabilities::Capabilities;
pub use channel::{Channel, Launch};
pub use config::Config;
pub use fault::Fault;
pub use link::Start;
pub use peer::Peer;

/// The version of the protocol that this program speaks.
pub const PROTOCOL: u32 = 2;
