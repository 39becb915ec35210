//! The examples of \[Mueller2007\].

use crate::measure::Measure;
use crate::paper::{Paper, PaperFigure};
use crate::study::{Study, Trend, Trial};

pub(crate) const PAPER: Paper = Paper {
    name: "mueller2007",
    key: "Mueller2007",
    title: "Position Based Dynamics",
    method: "pbd",
    judge_every: 0.1,
    figures: &FIGURES,
};

const SPEED: Study = Study {
    title: "Frames of 1/60 s per second, 10 iterations",
    theirs: "the machine of its examples, of 2006",
    measure: Measure::FrameRate,
    claim: Trend::AtLeast(30.0),
    across: "",
    trials: &[
        Trial::new(
            "cloth of 1364 vertices; self-collision of particles",
            "pbd",
            "mueller2007/cloth-1364",
            &[],
        )
        .paper(30.0),
        Trial::new("cloth of 4264 vertices; without tearing", "pbd", "mueller2007/cloth-4264", &[])
            .paper(47.0),
        Trial::new("six bodies and three cloths (> 380)", "pbd", "mueller2007/bodies-and-cloths", &[])
            .paper(380.0),
    ],
};

/// A run of the spring: one step with this number of iterations, with or without correction of the stiffness.
macro_rules! left {
    ($iterations:literal, $line:literal, $corrected:literal) => {
        Trial::new(
            concat!("n = ", $iterations),
            "pbd",
            "mueller2007/spring",
            &[
                concat!("method.pbd.iterations=", $iterations),
                concat!("method.pbd.correct_stiffness=", $corrected),
            ],
        )
        .line($line)
        .at($iterations as f64)
    };
}

const CORRECTED: Study = Study {
    title: "Part of a spring's error left after a step, k = 0.9, k′ = 1 − (1 − k)^(1/n)",
    theirs: "no numbers. Exact: 1 − k for every n",
    measure: Measure::Residual,
    claim: Trend::NearExact(1e-12),
    across: "iterations",
    trials: &[
        left!(1, "corrected", true).exact(0.1),
        left!(2, "corrected", true).exact(0.1),
        left!(5, "corrected", true).exact(0.1),
        left!(10, "corrected", true).exact(0.1),
        left!(20, "corrected", true).exact(0.1),
    ],
};

const UNCORRECTED: Study = Study {
    title: "The same with the uncorrected k in every iteration",
    theirs: "no numbers. Exact: (1 − k)ⁿ",
    measure: Measure::Residual,
    claim: Trend::NearExact(1e-12),
    across: "iterations",
    trials: &[
        left!(1, "k itself", false).exact(0.1),
        left!(2, "k itself", false).exact(0.01),
        left!(5, "k itself", false).exact(1e-5),
        left!(10, "k itself", false).exact(1e-10),
    ],
};

const STONE: &str = "mueller2007/free-fall";

const EXACT: Study = Study {
    title: "Stone in free fall: maximum distance from the parabola, with exact integrators",
    theirs: "0 for Verlet, as stated in its notes",
    measure: Measure::FromFall,
    claim: Trend::AtMost(1e-12),
    across: "",
    trials: &[
        Trial::new("Verlet", "pbd", STONE, &["method.pbd.integrator=verlet"]),
        Trial::new("velocity Verlet", "pbd", STONE, &["method.pbd.integrator=velocity_verlet"]),
    ],
};

const FIRST_ORDER: Study = Study {
    title: "The same with symplectic Euler, whose error is ½ g h t",
    theirs: "no numbers. Exact: ½ g h t at 1 s",
    measure: Measure::FromFall,
    claim: Trend::NearExact(1e-9),
    across: "",
    trials: &[
        Trial::new("Δt = 10 ms", "pbd", STONE, &["method.pbd.integrator=symplectic_euler"]).exact(0.04905),
        Trial::new("Δt = 5 ms", "pbd", STONE, &["method.pbd.integrator=symplectic_euler", "time.dt=0.005"])
            .exact(0.024525),
    ],
};

const MOMENTUM: Study = Study {
    title: "Linear momentum created by springs, relative to that which the scene can give",
    theirs: "0: gradients sum to zero",
    measure: Measure::Found("momentum.linear_relative"),
    claim: Trend::AtMost(1e-11),
    across: "",
    trials: &[
        Trial::new("20 iterations", "pbd", "mueller2007/flying-cloth", &["method.pbd.iterations=20"]),
        Trial::new(
            "5 iterations, k = 0.3",
            "pbd",
            "mueller2007/flying-cloth",
            &["method.pbd.iterations=5", "method.pbd.stiffness=0.3"],
        ),
    ],
};

const FIGURES: [PaperFigure; 7] = [
    PaperFigure::new(
        "speed",
        "Speed of the examples",
        "A cloth with self-collision, a large cloth, and six bodies with three cloths run in real time.",
        &["mueller2007/cloth-1364", "mueller2007/cloth-4264", "mueller2007/bodies-and-cloths"],
    )
    .studied(&[SPEED]),
    PaperFigure::new(
        "stiffness",
        "Stiffness and iterations",
        "With the corrected stiffness, the error left after n iterations does not depend on n.",
        &["mueller2007/spring"],
    )
    .studied(&[CORRECTED, UNCORRECTED]),
    PaperFigure::new(
        "momentum",
        "Momentum",
        "Internal constraints conserve momentum.",
        &["mueller2007/flying-cloth"],
    )
    .studied(&[MOMENTUM]),
    PaperFigure::new("verlet", "Verlet", "Verlet is exact under constant acceleration.", &[STONE])
        .studied(&[EXACT, FIRST_ORDER]),
    PaperFigure::lacking(
        "tearing",
        "Torn cloth",
        "A cloth of 4264 vertices tears where it is pulled too hard, at 47 frames per second.",
        "no cloth tears here; the same cloth without tearing is under speed",
    ),
    PaperFigure::lacking(
        "balloons",
        "Inflated characters",
        "Cloth closed around a volume under pressure.",
        "no constraint here acts on the volume inside a closed cloth",
    ),
    PaperFigure::lacking(
        "actors",
        "Clothes on actors",
        "Attached clothes of animated characters.",
        "the characters are not available; `soft/box-on-rope` has attachments",
    ),
];
