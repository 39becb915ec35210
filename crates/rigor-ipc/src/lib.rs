//! Intersection-free rigid bodies by incremental potential contact.
//!
//! A step runs through this table from top to bottom; `docs/methods/ipc.md` has the equations.
//!
//! | module | contents | \[Ferguson2021\] |
//! | --- | --- | --- |
//! | [`config`], `scale` | settings; defaults derived from the scene | |
//! | [`step`] | one step: the method | §4.2 |
//! | `shapes`, `skin`, `corner` | per-mesh data, computed once; which edges and vertices count, and with what weight | |
//! | `pace`, `substeps`, `halving`, `energy` | which bodies a step is divided for, and how; energy that a minimization made | |
//! | `placement` | pose and coordinates of a body | §4.1 |
//! | `body`, `kinematic` | E of a free body and of a kinematic one | §4.1, §4.4 |
//! | `newton` | Newton iterations of each group of bodies, and when it ends | §4.2 |
//! | `groups`, `partition` | bodies divided into groups without terms between them; into sets that use one formula | |
//! | `direction`, `advance` | p of a group; how far each group goes along it | §4.2 |
//! | `objective`, `pair`, `ends` | f, ∇f, ∇²f; the terms of one pair of bodies | §4.1, §4.2 |
//! | [`abd`], `stretch`, `strains` | affine bodies \[Lan2022\]: the energy that keeps them nearly rigid; what they leave in the state | |
//! | `affine_pair`, `affine_joint` | the terms of a pair of them, and of their joints | |
//! | `barrier`, `stiffness` | b; κ | §3 |
//! | `contact`, `terms` | a pair of primitives and its barrier; which pairs count, and with what weight | §3 |
//! | `crossing`, `edge_mollifier` | pairs of edges: subtraction of their ends, fading as they become parallel | §3 |
//! | `friction`, `slip` | D; sliding velocity of surfaces | §3 |
//! | `rounds`, `lag` | friction that agrees with its normal forces | §3 |
//! | `flight`, `prediction`, `span` | all bodies over a step; where each would be without contact | §4.1 |
//! | `joined`, `joint_term`, `joint_terms`, `joint_forces` | bodies that joints hold together: where they fly; what joints add to f | |
//! | `positive`, `linear_solve` | repair of ∇²f; H p = −∇f | §4.2 |
//! | `candidate_cache`, `line_search` | candidates for contact along a step; how much of the step is free | §4.3 |
//! | `intersection` | refusal of bodies that intersect at the start | |
//! | `report`, `phase`, `path` | what a step reports | |
//! | `notice` | input of the scene that is not used as given | |
//! | `memory` | what the state keeps for the next step | |

#![deny(clippy::wildcard_enum_match_arm, reason = "a new kind must be thought of everywhere")]
// The example of the README is tested as well.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

pub mod abd;
mod advance;
mod affine_joint;
mod affine_pair;
mod angular_momentum;
mod barrier;
mod barriers;
mod body;
mod body_slots;
mod candidate_cache;
pub mod config;
mod contact;
mod contact_set;
mod corner;
mod crossing;
mod detour;
mod direction;
mod edge_mollifier;
mod ends;
mod energy;
mod flight;
mod flung;
mod friction;
mod groups;
mod halving;
mod impact;
mod intersection;
mod joined;
mod joint_forces;
mod joint_term;
mod joint_terms;
mod kinematic;
mod lag;
mod line_search;
mod linear_solve;
mod memory;
mod neighbours;
mod newton;
mod notice;
mod objective;
mod pace;
mod pair;
mod pair_map;
mod partition;
mod path;
mod phase;
mod placement;
mod positive;
mod prediction;
mod report;
mod rounds;
mod scale;
mod second_moment;
mod shapes;
mod skin;
mod slip;
mod span;
pub mod step;
mod stiffness;
mod strains;
mod stretch;
mod substep_reports;
mod substeps;
mod target;
mod terms;
mod widths;

pub use abd::Abd;
pub use config::{
    Bodies, BroadPhase, CcdMethod, Config, Coordinates, Ending, Integrator, Pairs, Restitution, StartWithin,
};
pub use step::Ipc;
