//! Tests of the program and its commands: one program, because each links all crates below.

mod accuracy;
mod certify;
mod figure;
mod foreign;
mod judge;
mod numbers;
mod problems;
mod prose;
mod records;
mod reproduce;
mod run;
mod scene;
mod stop;
mod study;
#[cfg(feature = "usd")]
mod usd;
mod view;
