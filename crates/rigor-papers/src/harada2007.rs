//! The claims of \[Harada2007\], as far as our notes of the chapter state them.

use crate::measure::Measure;
use crate::paper::{Paper, PaperFigure};
use crate::study::{Study, Trend, Trial};

pub(crate) const PAPER: Paper = Paper {
    name: "harada2007",
    key: "Harada2007",
    title: "Real-Time Rigid Body Simulation on GPUs",
    method: "particles",
    judge_every: 0.1,
    figures: &FIGURES,
};

const BALL: &str = "harada2007/ball";
const TORI: &str = "harada2007/tori";

/// A run of a case with particles of this diameter.
macro_rules! diameter {
    ($case:expr, $spacing:literal) => {
        Trial::new(
            concat!("d = ", $spacing, " m"),
            "particles",
            $case,
            &[concat!("method.particles.spacing=", $spacing)],
        )
        .at($spacing)
    };
}

/// A run of the tori with about this number of particles each.
macro_rules! count {
    ($count:literal) => {
        Trial::new(
            concat!($count, " particles per torus"),
            "particles",
            TORI,
            &[concat!("method.particles.particles_per_body=", $count)],
        )
        .at($count as f64)
    };
}

const ACCURACY: Study = Study {
    title: "Largest distance of a resting ball from where its surface would bear it",
    theirs: "stated without numbers",
    measure: Measure::FoundOf("motion.displacement_max", "ball"),
    claim: Trend::Falling,
    across: "diameter of the particles (m)",
    trials: &[diameter!(BALL, 0.128), diameter!(BALL, 0.064), diameter!(BALL, 0.032), diameter!(BALL, 0.016)],
};

const COST: Study = Study {
    title: "Time per step of 10 ms, twenty-seven tori",
    theirs: "its graphics processor of 2007; our notes name no numbers",
    measure: Measure::StepTime,
    claim: Trend::Rising,
    across: "particles per torus",
    trials: &[count!(25), count!(50), count!(100), count!(200), count!(400), count!(800)],
};

/// A run of the tori with cells of this edge, over a diameter; the grid is built in every substep, as in the source.
macro_rules! edge {
    ($edge:literal) => {
        Trial::new(
            concat!("edge of ", $edge, " diameters"),
            "particles",
            TORI,
            &["method.particles.skin=0", "time.duration=0.5", concat!("method.particles.cell_edge=", $edge)],
        )
        .at($edge)
    };
}

const EDGE: Study = Study {
    title: "Time per step of 10 ms in the first half second, twenty-seven tori",
    theirs: "an edge of twice the radius is said to be best; our notes name no numbers",
    measure: Measure::StepTime,
    claim: Trend::SmallestAt(1.0),
    across: "edge of a cell over the diameter of a particle",
    trials: &[
        edge!(0.25),
        edge!(0.5),
        edge!(0.75),
        edge!(1.0),
        edge!(1.5),
        edge!(2.0),
        edge!(4.0),
        edge!(8.0),
    ],
};

const FIGURES: [PaperFigure; 7] = [
    PaperFigure::new("tori", "Falling tori", "Bodies that are not convex collide as particles.", &[TORI]),
    PaperFigure::new(
        "chess",
        "Falling chess pieces",
        "Shapes of any kind collide alike.",
        &["harada2007/chess"],
    ),
    PaperFigure::new(
        "accuracy",
        "Accuracy and the radius of particles",
        "Smaller particles are more accurate.",
        &[BALL],
    )
    .studied(&[ACCURACY]),
    PaperFigure::new("cost", "Cost and the number of particles", "Larger particles are faster.", &[TORI])
        .studied(&[COST]),
    PaperFigure::new(
        "grid",
        "Edge of the grid",
        "Cells with an edge of twice the radius are fastest.",
        &[TORI],
    )
    .studied(&[EDGE]),
    PaperFigure::lacking(
        "frames",
        "Frame rates",
        "Thousands of bodies move in real time on a graphics processor.",
        "our notes name no numbers",
    ),
    PaperFigure::new(
        "fluids",
        "Fluids and their coupling with bodies",
        "The same grid finds neighbours of smoothed particles, which carry bodies.",
        &["fluid/dam-break", "fluid/floating-box", "fluid/sinking-sphere"],
    ),
];
