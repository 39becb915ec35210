//! Box3D in this process, by the crate `box3d-rust`, a translation of the engine to Rust.
//!
//! | module | content |
//! | --- | --- |
//! | `convert` | vectors, rotations and matrices of the engine, in single precision |
//! | `tuning` | the two sets of settings |
//! | `shape` | parts of a body → shapes of the engine |
//! | `joint` | joints → joints of the engine |
//! | `world` | an engine world: construction, steps, and reading back |
//! | `contact` | impulses of its solver → contacts |

mod contact;
mod convert;
mod joint;
mod shape;
mod tuning;
mod world;

use crate::process::PROTOCOL;
use crate::process::capabilities::{
    Capabilities, Decomposition, JointType, OpenSurface, Precision, RoundType, Surface,
};
use crate::process::coefficient::Rule;
use crate::process::message::{AdvanceReply, Goal, Hello, Load, Loaded, Numbers, Refusal, SentContact};
use crate::process::resident::InProcessEngine;
use world::World;

/// The name of the method.
pub const NAME: &str = "box3d";

/// Box3D, before or after a world was made.
#[derive(Default)]
pub struct Box3d {
    world: Option<World>,
}

impl InProcessEngine for Box3d {
    fn hello(&self) -> Hello {
        Hello {
            protocol: PROTOCOL,
            engine: NAME.to_owned(),
            version: box3d_rust::VERSION.to_owned(),
            capabilities: capabilities(),
        }
    }

    fn load(&mut self, scene: &Load) -> Result<Loaded, Refusal> {
        let world = World::build(scene)?;
        let used = world.used();
        self.world = Some(world);
        Ok(used)
    }

    fn advance(&mut self, n: u64, goals: &[Goal], contacts: bool) -> Result<AdvanceReply, Refusal> {
        let Some(world) = &mut self.world else {
            return Err(refuse("there is no world", Vec::new()));
        };
        let (mut rows, mut touching, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..n {
            world.step(goals);
            rows.extend(world.rows());
            let found = if contacts { world.contacts() } else { Vec::new() };
            counts.push(found.len() / CONTACT);
            touching.extend(found);
        }
        Ok(AdvanceReply {
            // The caller's clock measures calls.
            cpu: vec![0.0; counts.len()],
            memory: None,
            process: None,
            bodies: Numbers::Plain(rows),
            contacts: Numbers::Plain(touching),
            contact_counts: counts,
        })
    }
}

/// The numbers of a contact.
const CONTACT: usize = size_of::<SentContact>() / size_of::<f64>();

fn refuse(why: &str, bodies: Vec<usize>) -> Refusal {
    Refusal { error: why.to_owned(), bodies }
}

fn capabilities() -> Capabilities {
    use JointType::{Ball, Distance, Fixed, Hinge, Slider};
    Capabilities {
        static_concave: Surface::Exact,
        dynamic_concave: Surface::Convex,
        decomposition: Decomposition::Vhacd,
        convex_edges: Some(shape::MAX_EDGES),
        round: vec![RoundType::Ball, RoundType::Capsule],
        static_open: OpenSurface::Exact,
        restitution: Some(Rule::Maximum),
        friction: Rule::GeometricMean,
        static_friction: false,
        kinematic: true,
        fixed_axes: true,
        loads: true,
        joints: vec![Fixed, Ball, Hinge, Slider, Distance],
        pair_filter: true,
        contact_forces: true,
        gyroscopic: true,
        precision: Precision::Single,
        deterministic: true,
        threads: 1,
    }
}
