//! Plots the energy of two bouncing balls and writes it as a page, by default to the folder for temporary files.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::PathBuf;

use rigor_report::STYLE;
use rigor_report::plot::{Layout, Line, Plot, TIME};

fn main() -> Result<(), Box<dyn Error>> {
    let path =
        std::env::args_os().nth(1).map_or_else(|| std::env::temp_dir().join("plot.html"), PathBuf::from);
    let line = |class: &str, restitution: f64| Line {
        class: class.into(),
        name: format!("e = {restitution}"),
        points: bounce(restitution),
    };
    let plot = Plot {
        title: "Energy of a ball of 1 kg".into(),
        across: TIME,
        unit: "J",
        layout: Layout::Decades,
        lines: vec![line("c0", 0.8), line("c1", 0.5)],
    };
    let svg = plot.svg().ok_or("there is nothing to plot")?.into_string();
    std::fs::write(&path, format!("<style>{STYLE}</style><h1>{}</h1>{svg}", plot.title))?;
    println!("{}: a plot of {} points, {} bytes", path.display(), plot.lines[0].points.len(), svg.len());
    Ok(())
}

/// Time (s) and energy (J) of a ball of 1 kg that falls 1 m and bounces for 4 s.
fn bounce(restitution: f64) -> Vec<(f64, f64)> {
    let (dt, mut height, mut velocity) = (1e-3, 1.0, 0.0);
    let step = |k: u32| {
        velocity -= dt * 9.81;
        if height < 0.0 && velocity < 0.0 {
            velocity *= -restitution;
        }
        height += dt * velocity;
        (dt * f64::from(k), 9.81 * height.max(0.0) + 0.5 * velocity * velocity)
    };
    (0..4000).map(step).collect()
}
