//! The examples and figures of \[Mueller2020\].

use crate::measure::Measure;
use crate::paper::{Paper, PaperFigure};
use crate::study::{Study, Trend, Trial};

pub(crate) const PAPER: Paper = Paper {
    name: "mueller2020",
    key: "Mueller2020",
    title: "Detailed Rigid Body Simulation with Extended Position Based Dynamics",
    method: "xpbd",
    judge_every: 0.1,
    figures: &FIGURES,
};

/// A run of `case` with `xpbd`, with the changes `set`.
const fn run(label: &'static str, case: &'static str, set: &'static [&'static str]) -> Trial {
    Trial::new(label, "xpbd", case, set)
}

/// A row of table 1, with the substeps of the case; the paper's time is in milliseconds.
const fn example(label: &'static str, case: &'static str, milliseconds: f64) -> Trial {
    run(label, case, &[]).paper(1e-3 * milliseconds)
}

const TABLE_1: Study = Study {
    title: "Time per frame of 1/60 s, one iteration per substep",
    theirs: "one core of an i7 at 3.6 GHz, in its own scenes",
    measure: Measure::StepTime,
    claim: Trend::AtMost(2.0 / 60.0),
    across: "",
    trials: &[
        example("3 boxes, 20 substeps", "mueller2020/boxes-3", 0.34),
        example("7 boxes, 20 substeps", "mueller2020/boxes-7", 0.44),
        example("pendulum of 3 bars on hinges, 40", "mueller2020/pendulum-hinges", 0.07),
        example("pendulum of 3 bars on balls, 40", "mueller2020/pendulum-balls", 0.09),
        example("pendulum of 8 bars on balls, 40", "mueller2020/pendulum-long", 0.2),
        example("chain of 100 bodies of 1280 triangles, 20", "mueller2020/chain-100", 2.3),
        example("9 rolling balls of 320 triangles, 10", "mueller2020/rolling-balls", 15.0),
        example("coin, 20", "mueller2020/15-coin", 0.3),
        example("car, 20", "mueller2020/16-car", 18.0),
        example("robot, 20", "mueller2020/robot", 0.4),
        example("rope of 100 capsules, 20", "mueller2020/rope-100", 3.5),
    ],
};

/// The case of figure 6.
const GRAM: &str = "mueller2020/06-mass-ratio";
const MASS_RATIO: Study = Study {
    title: "Rest position of the kilogram below the gram, 100 substeps",
    theirs: "pictures only. Exact: α g (m₁ + 2 m₂); one sweep leaves g h² m₂/m₁ = 0.28 mm",
    measure: Measure::FoundOf("motion.displacement_y", "heavy"),
    claim: Trend::NearExact(1e-3),
    across: "",
    trials: &[
        run("compliance 0.01 m/N", GRAM, &[]).exact(-0.2001),
        run("compliance 0.001 m/N", GRAM, &["joint.upper.compliance=0.001", "joint.lower.compliance=0.001"])
            .exact(-0.02001),
        run("compliance 0", GRAM, &["joint.upper.compliance=0", "joint.lower.compliance=0"]).exact(0.0),
    ],
};

/// The arm's drives hold its weight: a drive of compliance α yields by the angle α τ, τ the torque of the weight of all links
/// beyond it about its axis, at the angles at which they come to rest. The second drive bears the largest torque, 13.158 N m.
/// One sweep per substep leaves a residual; fifty leave none.
const ARM: Study = Study {
    title: "Largest angle by which a drive of the arm yields to its weight after 8 s, 50 iterations",
    theirs: "not given",
    measure: Measure::Found("constraint.joint_drive_angle"),
    claim: Trend::NearExact(2e-5),
    across: "",
    trials: &[run(
        "20 substeps × 50 iterations",
        "mueller2020/robot",
        &["method.xpbd.iterations=50", "time.duration=8"],
    )
    .exact(0.013158)],
};

const ITERATIONS: &[&str] = &["method.xpbd.substeps=1", "method.xpbd.iterations=100"];

const ENERGY: Study = Study {
    title: "Energy of a pendulum of three bars: maximum change in 5 s, relative to energy.scale",
    theirs: "curves only; many iterations lose the energy, many substeps conserve it",
    measure: Measure::Found("energy.drift"),
    claim: Trend::Falling,
    across: "",
    trials: &[
        run("1 substep × 100 iterations, hinges", "mueller2020/pendulum-hinges", ITERATIONS).line("hinges"),
        run("40 substeps × 1 iteration, hinges", "mueller2020/pendulum-hinges", &[]).line("hinges"),
        run("1 substep × 100 iterations, balls", "mueller2020/pendulum-balls", ITERATIONS).line("balls"),
        run("40 substeps × 1 iteration, balls", "mueller2020/pendulum-balls", &[]).line("balls"),
    ],
};

/// A run of the chain, hanging along x. Its beads do not collide: with one substep they pass through each
/// other.
macro_rules! hung {
    ($label:literal, $substeps:literal, $iterations:literal) => {
        run(
            $label,
            "mueller2020/chain-100",
            &[
                "gravity=[9.81,0,0]",
                "body.bead.group=chain",
                concat!("method.xpbd.substeps=", $substeps),
                concat!("method.xpbd.iterations=", $iterations),
            ],
        )
    };
}

const ELONGATION: Study = Study {
    title: "Maximum elongation of a hanging chain of 100 bodies within 3 s, relative to its length",
    theirs: "pictures only; an additional substep reduces the stretch more than an additional iteration",
    measure: Measure::Elongation,
    claim: Trend::FirstBelow,
    across: "substeps × iterations",
    trials: &[
        hung!("1 × 1", 1, 1).line("substeps").at(1.0),
        hung!("5 × 1", 5, 1).line("substeps").at(5.0),
        hung!("10 × 1", 10, 1).line("substeps").at(10.0),
        hung!("20 × 1", 20, 1).line("substeps").at(20.0),
        hung!("40 × 1", 40, 1).line("substeps").at(40.0),
        hung!("1 × 1", 1, 1).line("iterations").at(1.0),
        hung!("1 × 5", 1, 5).line("iterations").at(5.0),
        hung!("1 × 10", 1, 10).line("iterations").at(10.0),
        hung!("1 × 20", 1, 20).line("iterations").at(20.0),
        hung!("1 × 40", 1, 40).line("iterations").at(40.0),
    ],
};

const REPORT: Study = Study {
    title: "Frames of 1/60 s per second, in the two scenes of a reimplementation",
    theirs: "an unnamed CPU; a laptop RTX 3070 reached 43 / 30 (boxes) and 35 / 24 (pendulum)",
    measure: Measure::FrameRate,
    claim: Trend::Told,
    across: "",
    trials: &[
        run("boxes, 5 substeps", "xpbd/boxes", &["method.xpbd.substeps=5"]).paper(80.0),
        run("boxes, 10 substeps", "xpbd/boxes", &["method.xpbd.substeps=10"]).paper(60.0),
        run("pendulum, 5 substeps", "xpbd/three-link-pendulum", &["method.xpbd.substeps=5"]).paper(60.0),
        run("pendulum, 10 substeps", "xpbd/three-link-pendulum", &["method.xpbd.substeps=10"]).paper(48.0),
    ],
};

const REPORT_JOINTS: Study = Study {
    title: "Maximum distance between joined points in that pendulum",
    theirs: "reference unavailable",
    measure: Measure::Found("constraint.joint_position"),
    claim: Trend::AtMost(2e-2),
    across: "",
    trials: &[
        run("5 substeps", "xpbd/three-link-pendulum", &["method.xpbd.substeps=5"]),
        run("10 substeps", "xpbd/three-link-pendulum", &["method.xpbd.substeps=10"]),
    ],
};

const REPORT_CONTACTS: Study = Study {
    title: "Maximum penetration depth among those boxes",
    theirs: "reference unavailable",
    measure: Measure::Found("penetration.deepest"),
    claim: Trend::AtMost(2e-2),
    across: "",
    trials: &[
        run("5 substeps", "xpbd/boxes", &["method.xpbd.substeps=5"]),
        run("10 substeps", "xpbd/boxes", &["method.xpbd.substeps=10"]),
    ],
};

/// A run of one of these scenes on a device, in sweeps of contacts one after another, as printed.
#[cfg(feature = "gpu")]
macro_rules! on {
    ($device:literal, $scene:literal, $case:literal, $substeps:literal) => {
        run(
            concat!($scene, " on the ", $device, ", ", $substeps, " substeps"),
            $case,
            &[
                concat!("method.xpbd.device=\"", $device, "\""),
                "method.xpbd.contacts=\"sequential\"",
                concat!("method.xpbd.substeps=", $substeps),
            ],
        )
    };
}

#[cfg(feature = "gpu")]
const DEVICE_RATES: Study = Study {
    title: "Frames of 1/60 s per second, in these two scenes on a graphics processor",
    theirs: "a laptop RTX 3070",
    measure: Measure::FrameRate,
    claim: Trend::Told,
    across: "",
    trials: &[
        on!("gpu", "boxes", "xpbd/boxes", 5).paper(43.0),
        on!("gpu", "boxes", "xpbd/boxes", 10).paper(30.0),
        on!("gpu", "pendulum", "xpbd/three-link-pendulum", 5).paper(35.0),
        on!("gpu", "pendulum", "xpbd/three-link-pendulum", 10).paper(24.0),
    ],
};

#[cfg(feature = "gpu")]
const DEVICE_JOINTS: Study = Study {
    title: "Maximum distance between joined points in the pendulum on both devices",
    theirs: "reference unavailable",
    measure: Measure::Found("constraint.joint_position"),
    claim: Trend::AtMost(2e-2),
    across: "",
    trials: &[
        on!("cpu", "pendulum", "xpbd/three-link-pendulum", 5),
        on!("gpu", "pendulum", "xpbd/three-link-pendulum", 5),
        on!("cpu", "pendulum", "xpbd/three-link-pendulum", 10),
        on!("gpu", "pendulum", "xpbd/three-link-pendulum", 10),
    ],
};

#[cfg(feature = "gpu")]
const DEVICE_CONTACTS: Study = Study {
    title: "Maximum penetration depth among the boxes on both devices",
    theirs: "reference unavailable",
    measure: Measure::Found("penetration.deepest"),
    claim: Trend::Told,
    across: "",
    trials: &[
        on!("cpu", "boxes", "xpbd/boxes", 5),
        on!("gpu", "boxes", "xpbd/boxes", 5),
        on!("cpu", "boxes", "xpbd/boxes", 10),
        on!("gpu", "boxes", "xpbd/boxes", 10),
    ],
};

const DEVICE_TITLE: &str = "The two scenes of the reimplementation on a graphics processor";
const DEVICE_CLAIM: &str = "Not in the paper: the report also ran on a graphics processor, which was slower than its \
                            processor. Joints must hold there too.";

#[cfg(feature = "gpu")]
const DEVICE: PaperFigure =
    PaperFigure::new("device", DEVICE_TITLE, DEVICE_CLAIM, &["xpbd/boxes", "xpbd/three-link-pendulum"])
        .studied(&[DEVICE_RATES, DEVICE_JOINTS, DEVICE_CONTACTS]);

#[cfg(not(feature = "gpu"))]
const DEVICE: PaperFigure = PaperFigure::lacking(
    "device",
    DEVICE_TITLE,
    DEVICE_CLAIM,
    "this program was built without `--features gpu`",
);

const FIGURES: [PaperFigure; 18] = [
    PaperFigure::new(
        "table1",
        "Examples and their times",
        "All examples run in real time or close to it, with one iteration per substep.",
        &[
            "mueller2020/boxes-3",
            "mueller2020/boxes-7",
            "mueller2020/pendulum-hinges",
            "mueller2020/pendulum-balls",
            "mueller2020/pendulum-long",
            "mueller2020/chain-100",
            "mueller2020/rolling-balls",
            "mueller2020/robot",
            "mueller2020/rope-100",
        ],
    )
    .studied(&[TABLE_1, ARM]),
    PaperFigure::lacking(
        "1-3",
        "Scenes and sketches",
        "A teaser, and sketches of the quantities of a constraint.",
        "they show nothing measurable that later figures do not",
    ),
    PaperFigure::new(
        "4",
        "Springs",
        "Springs of finite stiffness rest at their exact lengths.",
        &["joints/springs"],
    ),
    PaperFigure::new(
        "5",
        "Torque of a hinge",
        "A driven hinge exerts the torque given by its compliance and angle.",
        &["joints/hinge-drive"],
    ),
    PaperFigure::new(
        "6",
        "Mass ratio 1 : 1000",
        "Springs from soft to rigid rest at their exact lengths, although a gram carries a kilogram.",
        &[GRAM],
    )
    .studied(&[MASS_RATIO]),
    PaperFigure::lacking(
        "7",
        "Examples",
        "Pictures of some examples.",
        "the measurable examples are under table1",
    ),
    PaperFigure::new(
        "8-9",
        "Energy of pendula",
        "A pendulum conserves its energy with many substeps and loses it with many iterations.",
        &["mueller2020/pendulum-hinges", "mueller2020/pendulum-balls", "mueller2020/pendulum-long"],
    )
    .studied(&[ENERGY]),
    PaperFigure::new(
        "10-11",
        "Elongation of a chain",
        "A hanging chain of 100 bodies stretches less with more substeps or iterations; substeps help more.",
        &["mueller2020/chain-100"],
    )
    .studied(&[ELONGATION]),
    PaperFigure::new(
        "12",
        "Marbles",
        "With e = 1 an impact travels through a row of marbles, and the last one flies off.",
        &["newtons-cradle", "soft/marbles"],
    ),
    PaperFigure::new(
        "13",
        "Overlap at the start",
        "Bodies that overlap at the start separate without popping.",
        &["mueller2020/13-overlap"],
    ),
    PaperFigure::new(
        "14",
        "Track",
        "A ball rolls along a curved mesh, with the normal recomputed at every solve.",
        &["mueller2020/14-track"],
    ),
    PaperFigure::new(
        "15",
        "Coin",
        "A spinning coin falls over and rolls ever faster until it lies flat.",
        &["mueller2020/15-coin"],
    ),
    PaperFigure::new(
        "16",
        "Car",
        "A car of mass ratio 1 : 760 drives on springs over bumps.",
        &["mueller2020/16-car"],
    ),
    PaperFigure::new(
        "17",
        "Inverse kinematics",
        "An arm follows a target to which its hand is tied.",
        &["mueller2020/17-inverse-kinematics"],
    ),
    PaperFigure::new(
        "18",
        "Twist of a rope",
        "The twist of a rope's end spreads along it.",
        &["mueller2020/18-rope-twist"],
    ),
    PaperFigure::lacking(
        "19",
        "Soft bodies and cloth",
        "Rigid bodies and particles act on each other in one solver.",
        "its scenes and numbers are not available; `soft/box-on-rope` and `soft/box-on-block` are scenes of this kind",
    ),
    PaperFigure::new(
        "report",
        "Two scenes of a reimplementation",
        "Not in the paper: a report on a reimplementation gives frames per second for a pile of \
         boxes and a pendulum. Contacts and joints must hold.",
        &["xpbd/boxes", "xpbd/three-link-pendulum"],
    )
    .studied(&[REPORT, REPORT_JOINTS, REPORT_CONTACTS]),
    DEVICE,
];
