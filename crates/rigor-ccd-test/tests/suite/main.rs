//! Tests of the kit with correct and with wrong collision detection: one program, because each links all crates below.

mod conservative;
mod planted_faults;
mod witnesses;
