//! Lists the cases with known answers, and the quantity measured in each.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use rigor_bench::accuracy::case;

fn main() -> Result<(), Box<dyn Error>> {
    let mut group = String::new();
    for case in case::all()? {
        if case.group != group {
            println!("\n{}", case.group);
            group.clone_from(&case.group);
        }
        println!(
            "  {:22} {}; unit {:?}, bound {:.0e}",
            case.name,
            case.truth.trim_end_matches('.'),
            case.reading.unit(),
            case.bound
        );
    }
    Ok(())
}
