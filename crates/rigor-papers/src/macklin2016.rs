//! The figures and the table of \[Macklin2016\].

use crate::measure::Measure;
use crate::paper::{Paper, PaperFigure};
use crate::study::{Study, Trend, Trial};

pub(crate) const PAPER: Paper = Paper {
    name: "macklin2016",
    key: "Macklin2016",
    title: "XPBD: Position-Based Simulation of Compliant Constrained Dynamics",
    method: "xpbd",
    judge_every: 0.1,
    figures: &FIGURES,
};

const SPRING: &str = "soft/oscillator";

const IMPLICIT_EULER: Study = Study {
    title: "Oscillator: maximum distance from implicit Euler, one sweep",
    theirs: "curves only: XPBD matches those of a converged Newton solve",
    measure: Measure::FromImplicitEuler,
    claim: Trend::AtMost(1e-11),
    across: "",
    trials: &[
        Trial::new("Δt = 8 ms", "xpbd", SPRING, &["method.xpbd.substeps=1", "time.dt=0.008"]),
        Trial::new("Δt = 4 ms", "xpbd", SPRING, &["method.xpbd.substeps=1", "time.dt=0.004"]),
        Trial::new("Δt = 1 ms", "xpbd", SPRING, &["method.xpbd.substeps=1", "time.dt=0.001"]),
    ],
};

const ANALYTIC: Study = Study {
    title: "Oscillator: maximum distance from the analytic curve in 0.5 s",
    theirs: "curves only: x₀ = 1.5 m, α = 0.001 m/N, m = 1 kg",
    measure: Measure::FromAnalytic,
    claim: Trend::Falling,
    across: "substeps of 1 ms",
    trials: &[
        Trial::new("1 substep of 1 ms", "xpbd", SPRING, &["method.xpbd.substeps=1"]).at(1.0),
        Trial::new("4", "xpbd", SPRING, &["method.xpbd.substeps=4"]).at(4.0),
        Trial::new("16", "xpbd", SPRING, &["method.xpbd.substeps=16"]).at(16.0),
        Trial::new("64", "xpbd", SPRING, &["method.xpbd.substeps=64"]).at(64.0),
    ],
};

/// A run of the sagging cloth with a method, a number of iterations and a time step.
macro_rules! sag {
    ($method:literal, $iterations:literal, $at:literal, $dt:literal, $step:literal) => {
        Trial::new(
            concat!($method, ", ", $iterations, " iterations, Δt = ", $step),
            $method,
            "macklin2016/sagging-cloth",
            &[concat!("method.", $method, ".iterations=", $iterations), concat!("time.dt=", $dt)],
        )
        .line($method)
        .at($at)
    };
}

const STIFF: Study = Study {
    title: "Sag of a soft cloth by XPBD",
    theirs: "pictures only",
    measure: Measure::Sag,
    claim: Trend::Alike(1.02),
    across: "iterations",
    trials: &[
        sag!("xpbd", 20, 20.0, 0.016666666666666666, "1/60 s"),
        sag!("xpbd", 40, 40.0, 0.016666666666666666, "1/60 s"),
        sag!("xpbd", 80, 80.0, 0.016666666666666666, "1/60 s"),
        sag!("xpbd", 160, 160.0, 0.016666666666666666, "1/60 s"),
        sag!("xpbd", 40, 40.0, 0.008333333333333333, "1/120 s"),
        sag!("xpbd", 160, 160.0, 0.008333333333333333, "1/120 s"),
    ],
};

const STRETCHY: Study = Study {
    title: "Sag of the same cloth by PBD",
    theirs: "pictures only",
    measure: Measure::Sag,
    claim: Trend::Differing(1.1),
    across: "iterations",
    trials: &[
        sag!("pbd", 20, 20.0, 0.016666666666666666, "1/60 s"),
        sag!("pbd", 40, 40.0, 0.016666666666666666, "1/60 s"),
        sag!("pbd", 80, 80.0, 0.016666666666666666, "1/60 s"),
        sag!("pbd", 160, 160.0, 0.016666666666666666, "1/60 s"),
        sag!("pbd", 40, 40.0, 0.008333333333333333, "1/120 s"),
        sag!("pbd", 160, 160.0, 0.008333333333333333, "1/120 s"),
    ],
};

const FORCE: Study = Study {
    title: "Maximum error of the force at the top of 20 hanging particles, over their weight, steps 20 to 100",
    theirs: "its own chain, whose initial state is not given",
    measure: Measure::ForceError,
    claim: Trend::AtMostPaper,
    across: "iterations",
    trials: &[
        Trial::new("50 iterations", "xpbd", "macklin2016/chain", &["method.xpbd.iterations=50"])
            .at(50.0)
            .paper(0.06),
        Trial::new("100", "xpbd", "macklin2016/chain", &["method.xpbd.iterations=100"]).at(100.0).paper(0.02),
        Trial::new("1000", "xpbd", "macklin2016/chain", &["method.xpbd.iterations=1000"])
            .at(1000.0)
            .paper(0.005),
    ],
};

/// A run of the hanging chain with a number of iterations, at whose end the lowest particle is at this height (m).
macro_rules! hangs {
    ($iterations:literal, $at:literal, $height:literal) => {
        Trial::new(
            concat!($iterations, " iterations"),
            "xpbd",
            "macklin2016/chain",
            &[concat!("method.xpbd.iterations=", $iterations)],
        )
        .at($at)
        .exact($height)
    };
}

/// The chain at rest. Tensions T stretch it by Σ T α = 200 kg g α = 1.962·10⁻⁵ m in all; the last particle has half the
/// mass of the others. Each step lets all particles but the first fall by g Δt², and the sweeps, from the top down, must
/// restore the lengths. The exact heights are those at the fixed point of both, iterated along one line in a program that
/// shares no code with this one.
const LENGTH: Study = Study {
    title: "Height of the lowest of these particles at rest, 2 m below the first without stretch",
    theirs: "not given",
    measure: Measure::Found("motion.particle_lowest"),
    claim: Trend::NearExact(1e-8),
    across: "",
    trials: &[
        hangs!(50, 50.0, -2.008503732782),
        hangs!(100, 100.0, -2.003588814130),
        hangs!(1000, 1000.0, -2.000024414896),
    ],
};

/// A run of the large cloth with a method and a number of iterations; the paper's time is in milliseconds.
macro_rules! cloth {
    ($label:literal, $method:literal, $iterations:literal, $at:literal, $milliseconds:literal) => {
        Trial::new(
            concat!($label, ", ", $iterations, " iterations"),
            $method,
            "macklin2016/cloth-64",
            &[concat!("method.", $method, ".iterations=", $iterations)],
        )
        .line($label)
        .at($at)
        .paper(1e-3 * $milliseconds)
    };
}

const CLOTH: Study = Study {
    title: "Time per step of a cloth of 64 × 64 particles",
    theirs: "a parallel solver on the GPU that it names",
    measure: Measure::StepTime,
    claim: Trend::AtMostFirst(1.1),
    across: "iterations",
    trials: &[
        cloth!("PBD", "pbd", 20, 20.0, 0.95),
        cloth!("PBD", "pbd", 40, 40.0, 1.75),
        cloth!("PBD", "pbd", 80, 80.0, 3.25),
        cloth!("PBD", "pbd", 160, 160.0, 5.61),
        cloth!("XPBD", "xpbd", 20, 20.0, 0.97),
        cloth!("XPBD", "xpbd", 40, 40.0, 1.78),
        cloth!("XPBD", "xpbd", 80, 80.0, 3.34),
        cloth!("XPBD", "xpbd", 160, 160.0, 5.65),
    ],
};

/// A run of the large cloth with a solver on a device.
#[cfg(feature = "gpu")]
macro_rules! on {
    ($device:literal, $solver:literal, $iterations:literal) => {
        Trial::new(
            concat!($solver, " on the ", $device, ", ", $iterations, " iterations"),
            "xpbd",
            "macklin2016/cloth-64",
            &[
                concat!("method.xpbd.device=\"", $device, "\""),
                concat!("method.xpbd.solver=\"", $solver, "\""),
                concat!("method.xpbd.iterations=", $iterations),
            ],
        )
        .line($solver)
    };
}

#[cfg(feature = "gpu")]
const SAME: Study = Study {
    title: "Sag of the cloth of 64 × 64 particles on both devices",
    theirs: "not given",
    measure: Measure::Sag,
    claim: Trend::Alike(1.0001),
    across: "",
    trials: &[
        on!("cpu", "coloured", 20),
        on!("gpu", "coloured", 20),
        on!("cpu", "jacobi", 20),
        on!("gpu", "jacobi", 20),
    ],
};

#[cfg(feature = "gpu")]
const DEVICE_TIME: Study = Study {
    title: "Time per step of this cloth on the device",
    theirs: "a parallel solver on the GPU that it names",
    measure: Measure::StepTime,
    claim: Trend::Told,
    across: "iterations",
    trials: &[
        on!("gpu", "coloured", 20).at(20.0).paper(0.97e-3),
        on!("gpu", "coloured", 40).at(40.0).paper(1.78e-3),
        on!("gpu", "coloured", 80).at(80.0).paper(3.34e-3),
        on!("gpu", "coloured", 160).at(160.0).paper(5.65e-3),
        on!("gpu", "jacobi", 20).at(20.0).paper(0.97e-3),
        on!("gpu", "jacobi", 40).at(40.0).paper(1.78e-3),
        on!("gpu", "jacobi", 80).at(80.0).paper(3.34e-3),
        on!("gpu", "jacobi", 160).at(160.0).paper(5.65e-3),
    ],
};

const SAME_CLAIM: &str =
    "Jacobi and coloured sweeps on a graphics processor give the cloth of the processor.";

#[cfg(feature = "gpu")]
const DEVICE: PaperFigure =
    PaperFigure::new("device", "The cloth on a graphics processor", SAME_CLAIM, &["macklin2016/cloth-64"])
        .studied(&[SAME, DEVICE_TIME]);

#[cfg(not(feature = "gpu"))]
const DEVICE: PaperFigure = PaperFigure::lacking(
    "device",
    "The cloth on a graphics processor",
    SAME_CLAIM,
    "this program was built without `--features gpu`",
);

const FIGURES: [PaperFigure; 7] = [
    PaperFigure::new(
        "oscillator",
        "Oscillator",
        "A spring under XPBD moves as under implicit Euler with a converged Newton solve, and converges to the \
         analytic curve as steps get shorter.",
        &[SPRING],
    )
    .studied(&[IMPLICIT_EULER, ANALYTIC]),
    PaperFigure::new(
        "stiffness",
        "Stiffness",
        "Under XPBD the sag of a cloth depends on neither iterations nor step; under PBD it depends on both.",
        &["macklin2016/sagging-cloth"],
    )
    .studied(&[STIFF, STRETCHY]),
    PaperFigure::new(
        "force",
        "Force in a chain",
        "The force computed from the multipliers is off by 6, 2 and 0.5 % after 50, 100 and 1000 iterations.",
        &["macklin2016/chain"],
    )
    .studied(&[FORCE, LENGTH]),
    PaperFigure::new(
        "cantilever",
        "Cantilever",
        "A beam of tetrahedra bends and springs back, its stiffness given by Young's modulus.",
        &["soft/cantilever"],
    ),
    PaperFigure::new(
        "table1",
        "Cost of compliance",
        "XPBD costs only a few per cent more than PBD.",
        &["macklin2016/cloth-64"],
    )
    .studied(&[CLOTH]),
    DEVICE,
    PaperFigure::lacking(
        "balloon",
        "Inflated and thin shapes",
        "Illustrations of the uses of compliance.",
        "their shapes are not available, and they give no numbers",
    ),
];
