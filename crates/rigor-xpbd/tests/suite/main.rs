//! Tests of the methods `xpbd` and `pbd`: one program, because each links all crates below.

mod attachments;
mod bonds;
mod contact;
mod cradle;
mod crossing;
mod crumpled;
mod element;
mod joints;
mod marble_impact;
mod marble_pile;
mod material;
mod motion;
mod open_surface;
mod particle_contact;
mod rolling;
mod scenes;
mod sheet;
mod solvers;
mod spin;
mod strands;
mod surface_contact;
mod told;
mod within_a_step;
