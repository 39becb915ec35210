//! Lists the figures of a paper, by default \[Ferguson2021\], with their claims and the scenes that test
//! them.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use rigor_papers::catalogue;

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "ferguson2021".into());
    let known = || catalogue::papers().iter().map(|paper| paper.name.as_str()).collect::<Vec<_>>().join(", ");
    let paper = catalogue::find(&name).ok_or_else(|| format!("there is no paper {name}; try {}", known()))?;
    println!("{} [{}], method {}\n", paper.title, paper.key, paper.method);
    for figure in &paper.figures {
        println!("{:5} {}: {}", figure.id, figure.title, figure.claim);
        match (&figure.cases[..], &figure.studies[..]) {
            ([], []) => println!("      not reproduced: {}", figure.lacking),
            (cases, studies) => println!("      cases: {}; studies: {}", cases.join(", "), studies.len()),
        }
    }
    Ok(())
}
