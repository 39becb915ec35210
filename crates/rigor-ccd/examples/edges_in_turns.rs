//! Times queries of two edges on straight lines: `crates/rigor-python/measure/ccd.py` starts it, to compare with the same from Python.
//!
//! The file has the twelve coordinates of each query at the start, then those at the end, as `f64` in little-endian order. All queries are
//! answered once for each line of the input, on one thread, and a line of the output says what CPU time that took (s) and how many impacts
//! there are. Without a file, a thousand queries of its own are answered once.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::io::stdin;
use std::time::SystemTime;

use rigor_ccd::{Ccd, Impact, Kind, LinearMethod, LinearQuery};
use rigor_math::Vec3;

/// Numbers of a query at one end.
const NUMBERS: usize = 12;

/// CPU time of this thread (s), where the system tells it by a file; else the time of day.
fn seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat");
    let nanoseconds = told.ok().and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    let of_day = || SystemTime::UNIX_EPOCH.elapsed().map_or(0.0, |time| time.as_secs_f64());
    nanoseconds.map_or_else(of_day, |n| 1e-9 * n)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1);
    let numbers = match &path {
        Some(path) => {
            std::fs::read(path)?.as_chunks::<8>().0.iter().map(|one| f64::from_le_bytes(*one)).collect()
        }
        // A sequence of Weyl: evenly spread in the unit cube.
        None => {
            (0..2 * 1000 * NUMBERS).map(|i| (i as f64 * 0.618_033_988_749_895).fract()).collect::<Vec<f64>>()
        }
    };
    let (start, end) = numbers.split_at(numbers.len() / 2);
    let four = |all: &[f64], i: usize| {
        let own = &all[NUMBERS * i..NUMBERS * (i + 1)];
        std::array::from_fn(|k| Vec3::new(own[3 * k], own[3 * k + 1], own[3 * k + 2]))
    };
    let method = LinearMethod::ALL[0];
    let ask = |i: usize| {
        let query = LinearQuery::new(Kind::EdgeEdge, four(start, i), four(end, i), 0.0);
        method.impact(&query, 1.0)
    };
    let answer_all = || -> Result<(), Box<dyn Error>> {
        let began = seconds();
        let answers: Result<Vec<Impact>, _> = (0..start.len() / NUMBERS).map(ask).collect();
        let hits = answers?.iter().filter(|impact| matches!(impact, Impact::At { .. })).count();
        println!("{} {hits}", seconds() - began);
        Ok(())
    };
    if path.is_none() {
        return answer_all();
    }
    for line in stdin().lines() {
        line?;
        answer_all()?;
    }
    Ok(())
}
