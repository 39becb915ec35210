//! The figures of \[Ferguson2021\].

use rigor_scene::Bound::{self, AtLeast, AtMost};

use crate::across::{Agreement, MethodTable};
use crate::paper::{Claim, Paper, PaperFigure};

pub(crate) const PAPER: Paper = Paper {
    name: "ferguson2021",
    key: "Ferguson2021",
    title: "Intersection-free Rigid Body Dynamics",
    method: "ipc",
    judge_every: 0.01,
    figures: &FIGURES,
};

/// A figure with our own scenes and the paper's fixtures.
const fn figure(
    id: &'static str,
    title: &'static str,
    claim: &'static str,
    cases: &'static [&'static str],
    fixtures: &'static [&'static str],
) -> PaperFigure {
    PaperFigure { fixtures, ..PaperFigure::new(id, title, claim, cases) }
}

/// The figure with expectations for its fixtures.
const fn claiming(figure: PaperFigure, claims: &'static [Claim]) -> PaperFigure {
    PaperFigure { claims, ..figure }
}

/// A bound on `figure` of `body` in the fixture whose path ends with `fixture`.
const fn claim(
    fixture: &'static str,
    figure: &'static str,
    body: &'static str,
    bound: Bound,
    because: &'static str,
) -> Claim {
    Claim { fixture, figure, body, bound, because }
}

/// A friction that is 0.5 exactly.
const CRITICAL_FRICTION: MethodTable = MethodTable {
    plan: include_str!("../plans/critical-friction.toml"),
    claim: Agreement::Critical { label: "ipc", near: 0.5, tolerance: 0.01 },
};
const SIZE_AND_STEP: MethodTable = MethodTable {
    plan: include_str!("../plans/size-and-step.toml"),
    claim: Agreement::Zero { label: "ipc", of: "intersection.frames" },
};
const REFINEMENT: MethodTable =
    MethodTable { plan: include_str!("../plans/refinement.toml"), claim: Agreement::Told };
/// Engines beside ours, as in §6 of the paper; the claims of the figures are about ours.
const ENGINES_FRICTION: MethodTable =
    MethodTable { plan: include_str!("../plans/engines-friction.toml"), claim: Agreement::Told };
const ENGINES_UNIT: MethodTable =
    MethodTable { plan: include_str!("../plans/engines-unit.toml"), claim: Agreement::Told };
const ENGINES_DEGENERATE: MethodTable =
    MethodTable { plan: include_str!("../plans/engines-degenerate.toml"), claim: Agreement::Told };
const THREADS: MethodTable = MethodTable {
    plan: include_str!("../plans/threads.toml"),
    claim: Agreement::Faster { time: "cost.seconds_per_step", same: "energy.end" },
};

const STAYS: &str = "The box stays on the table.";
const FALLS: &str = "The box slides over the edge of the table and falls.";
const LOWEST_STANDS: &str =
    "The lowest storey stands: its cards are 1.2 m high, and would lie on the floor otherwise.";
const STANDS: &str = "It stands: the joints between its stones, 0.2 m wide at the start, close while the crown of 65 m comes down by 1.8 m \
     (25 stones) or 7.0 m (101 stones); an arch that collapses falls by tens of metres.";

/// A figure without our own scenes.
const fn lacking(
    id: &'static str,
    title: &'static str,
    claim: &'static str,
    fixtures: &'static [&'static str],
    lacking: &'static str,
) -> PaperFigure {
    PaperFigure { fixtures, ..PaperFigure::lacking(id, title, claim, lacking) }
}

const FIGURES: [PaperFigure; 23] = [
    figure(
        "1",
        "Expanding lock box",
        "Turning the key draws in all locking pins, one mechanism moving the other by contact alone; the box then drops free.",
        &["ferguson2021/01-lock-box"],
        &["fixtures/3D/mechanisms/expanding-lock-box.json"],
    ),
    figure(
        "2a",
        "Piston",
        "A turning crank drives a piston back and forth in its cylinder by tight conforming contact, without joints.",
        &["ferguson2021/02-piston"],
        &["fixtures/3D/mechanisms/507-movements/092-piston.json"],
    ),
    figure(
        "2b",
        "Intermittent motion",
        "A steadily turning wheel moves another one intermittently, with pauses in between.",
        &["ferguson2021/02-geneva-wheel"],
        &[],
    ),
    figure(
        "2c",
        "Bicycle chain",
        "A sprocket drives a chain of rollers, pins and plates.",
        &["ferguson2021/02-bike-chain"],
        &["fixtures/3D/mechanisms/507-movements/227-bike-chain.json"],
    ),
    lacking(
        "3",
        "Interpolated rotation vectors",
        "Interpolating poses by rotation vectors gives different curves from screw motions.",
        &[],
        "it shows a curve, not a simulation; `rigor ccd` tests collision detection along such curves",
    ),
    claiming(
        figure(
            "4",
            "Bolt",
            "Without friction a bolt turns itself down its thread in a fixed nut.",
            &["ferguson2021/04-bolt"],
            &["fixtures/3D/mechanisms/bolt.json"],
        ),
        &[claim(
            "bolt.json",
            "motion.rotation_max",
            "screw-big-1",
            AtLeast(1.0),
            "It turns down the thread.",
        )],
    ),
    figure(
        "5",
        "Punching press",
        "A force lifts the punch through pinned parts; it tilts more with loose joints than with tight ones.",
        &["ferguson2021/05-punching-press-tight", "ferguson2021/05-punching-press-loose"],
        &[
            "fixtures/3D/mechanisms/507-movements/140-punching-press.json",
            "fixtures/3D/mechanisms/507-movements/140-punching-press-loose.json",
        ],
    ),
    figure(
        "6a",
        "Chain net",
        "A net of links without thickness catches a very heavy ball.",
        &["ferguson2021/06-chain-net-4x4", "ferguson2021/06-chain-net"],
        &["fixtures/3D/codimensional/edges/chain-net-16x16-ball.json"],
    ),
    figure(
        "6b",
        "Spheres of points and of planes",
        "A sphere of points and a sphere of flat slices roll against each other, lock, rock back and forth, and come to rest.",
        &["ferguson2021/06-codimensional-spheres"],
        &["fixtures/3D/codimensional/points/sphere-pc-sphere-planes.json"],
    ),
    claiming(
        figure(
            "7",
            "Rolling coin",
            "A coin (μ = 0.2) falls over and keeps rolling on its rim, with steps of 10⁻⁴ s.",
            &["ferguson2021/07-coin"],
            &["fixtures/3D/friction/spolling-coin.json"],
        ),
        &[claim(
            "spolling-coin.json",
            "motion.drop",
            "cylinder-0",
            AtLeast(0.01),
            "It comes down to the table, half its thickness.",
        )],
    ),
    figure(
        "8",
        "Wrecking ball",
        "A ball on a chain strikes a stack of 560 boxes.",
        &["ferguson2021/08-wrecking-ball"],
        &["fixtures/3D/chain/wrecking-ball.json"],
    ),
    figure(
        "9",
        "Anchor",
        "A heavy anchor on a chain of 21 links falls a little and is wound up on a shaft.",
        &["ferguson2021/09-anchor"],
        &[],
    ),
    claiming(
        figure(
            "10",
            "Card house",
            "A house of cards without thickness stands; two blocks bring down its upper storeys, but not the lowest.",
            &["ferguson2021/10-card-house", "ferguson2021/10-card-house-blocks"],
            &["fixtures/3D/friction/card-house/card-house-3-levels-falling-blocks.json"],
        ),
        &[
            claim("falling-blocks.json", "motion.displacement_y", "plane-1", AtLeast(-0.6), LOWEST_STANDS),
            claim("falling-blocks.json", "motion.displacement_y", "plane-2", AtLeast(-0.6), LOWEST_STANDS),
            claim("falling-blocks.json", "motion.displacement_y", "plane-3", AtLeast(-0.6), LOWEST_STANDS),
            claim("falling-blocks.json", "motion.displacement_y", "plane-4", AtLeast(-0.6), LOWEST_STANDS),
            claim("falling-blocks.json", "motion.displacement_y", "plane-5", AtLeast(-0.6), LOWEST_STANDS),
            claim("falling-blocks.json", "motion.displacement_y", "plane-6", AtLeast(-0.6), LOWEST_STANDS),
        ],
    ),
    claiming(
        figure(
            "11",
            "Arch",
            "An arch of 101 rigid stones stands by friction.",
            &["ferguson2021/11-arch-25", "ferguson2021/11-arch-101"],
            &[
                "fixtures/3D/friction/arch/arch-25-stones.json",
                "fixtures/3D/friction/arch/arch-101-stones.json",
            ],
        ),
        &[
            claim("arch-25-stones.json", "motion.drop", "", AtMost(2.5), STANDS),
            claim("arch-101-stones.json", "motion.drop", "", AtMost(8.5), STANDS),
        ],
    ),
    claiming(
        figure(
            "12",
            "Lewis",
            "Pressed apart by a tapered core and held by friction (μ = 0.3), wedges lift ten times the core's mass.",
            &["ferguson2021/12-lewis"],
            &["fixtures/3D/mechanisms/507-movements/493-Lewis.json"],
        ),
        &[claim(
            "493-Lewis.json",
            "motion.displacement_y",
            "block-5",
            AtLeast(1.8),
            "It rises with the core, by 2 m less the play.",
        )],
    ),
    claiming(
        figure(
            "13",
            "Turntable",
            "On a table that turns faster and faster, a box slides without friction, is thrown off early with μ = 0.1 and late \
             with μ = 0.5, and stays with μ = 1.",
            &[
                "ferguson2021/13-turntable-mu-0.0",
                "ferguson2021/13-turntable-mu-0.1",
                "ferguson2021/13-turntable-mu-0.5",
                "ferguson2021/13-turntable-mu-1.0",
            ],
            &[
                "fixtures/3D/friction/turntable/turntable-mu=0.0.json",
                "fixtures/3D/friction/turntable/turntable-mu=0.1.json",
                "fixtures/3D/friction/turntable/turntable-mu=0.5.json",
                "fixtures/3D/friction/turntable/turntable-mu=1.0.json",
            ],
        ),
        &[
            claim("mu=0.0.json", "motion.drop", "cube-1", AtMost(0.1), STAYS),
            claim("mu=0.1.json", "motion.drop", "cube-1", AtLeast(1.0), FALLS),
            claim("mu=0.5.json", "motion.drop", "cube-1", AtLeast(1.0), FALLS),
            claim("mu=1.0.json", "motion.drop", "cube-1", AtMost(0.1), STAYS),
        ],
    ),
    claiming(
        figure(
            "14",
            "Packing",
            "Parts that fall into the box of a printer keep 1 mm from each other throughout.",
            &["ferguson2021/14-packing"],
            &["fixtures/3D/minimum-separation/packing.json"],
        ),
        &[claim("packing.json", "distance.smallest", "", AtLeast(0.001), "All keep 1 mm apart.")],
    ),
    PaperFigure::new(
        "15",
        "Scalability",
        "Chains of dense links run faster on more cores, up to about sixteen.",
        &[],
    )
    .across(&[THREADS]),
    figure(
        "16",
        "Unit tests",
        "Single contacts of each kind, stacks and mass ratios: no intersection, and nothing explodes.",
        &[
            "unit-tests/5-cubes",
            "unit-tests/edge-edge",
            "unit-tests/edge-edge-parallel",
            "unit-tests/face-vertex",
            "unit-tests/large-mass-ratio",
            "unit-tests/tet-corner",
            "unit-tests/vertex-face",
            "unit-tests/vertex-vertex",
        ],
        &[
            "fixtures/3D/unit-tests/5-cubes.json",
            "fixtures/3D/unit-tests/edge-edge.json",
            "fixtures/3D/unit-tests/edge-edge-parallel.json",
            "fixtures/3D/unit-tests/face-vertex.json",
            "fixtures/3D/unit-tests/large-mass-ratio.json",
            "fixtures/3D/unit-tests/tet-corner.json",
            "fixtures/3D/unit-tests/vertex-face.json",
            "fixtures/3D/unit-tests/vertex-vertex.json",
        ],
    )
    .across(&[REFINEMENT, ENGINES_UNIT]),
    figure(
        "17",
        "Degenerate contact",
        "Tips, edges, cracks and holes without a unique contact normal: no intersection, and no failure.",
        &[
            "erleben/cliff-edges",
            "erleben/internal-edges",
            "erleben/sliding-spike",
            "erleben/sliding-wedge",
            "erleben/spike-and-wedge",
            "erleben/spike-in-crack",
            "erleben/spike-in-hole",
            "erleben/spikes",
            "erleben/wedge-in-crack",
            "erleben/wedges",
        ],
        &[
            "fixtures/3D/unit-tests/erleben/cliff-edges.json",
            "fixtures/3D/unit-tests/erleben/internal-edges.json",
            "fixtures/3D/unit-tests/erleben/sliding-spike.json",
            "fixtures/3D/unit-tests/erleben/sliding-wedge.json",
            "fixtures/3D/unit-tests/erleben/spike-and-wedge.json",
            "fixtures/3D/unit-tests/erleben/spike-in-crack.json",
            "fixtures/3D/unit-tests/erleben/spike-in-hole.json",
            "fixtures/3D/unit-tests/erleben/spikes.json",
            "fixtures/3D/unit-tests/erleben/wedge-in-crack.json",
            "fixtures/3D/unit-tests/erleben/wedges.json",
        ],
    )
    .across(&[SIZE_AND_STEP, ENGINES_DEGENERATE]),
    claiming(
        figure(
            "18",
            "Slope",
            "On a slope of tan θ = 0.5 a box slides with μ = 0.49 and holds with μ = 0.5.",
            &["ferguson2021/18-slope-mu-0.49", "ferguson2021/18-slope-mu-0.5"],
            &[
                "fixtures/3D/friction/incline-plane/slopeTest_highSchoolPhysics_mu=0.49.json",
                "fixtures/3D/friction/incline-plane/slopeTest_highSchoolPhysics_mu=0.5.json",
            ],
        ),
        &[
            claim("mu=0.49.json", "motion.displacement", "cube-0", AtLeast(1.0), "It slides."),
            claim(
                "mu=0.5.json",
                "motion.displacement_max",
                "cube-0",
                AtMost(0.1),
                "It holds, apart from the landing.",
            ),
        ],
    )
    .across(&[CRITICAL_FRICTION, ENGINES_FRICTION]),
    lacking(
        "19",
        "Against deformable bodies",
        "Stiff deformable bodies and rigid ones move much alike; rigid ones are cheaper where geometry is intricate.",
        &[],
        "no method here simulates deformable bodies without intersections",
    ),
    figure(
        "tunnels",
        "Tunnels of four walls",
        "Not in the paper but among its scenes: a cube flies along a tunnel hardly wider than itself. Without friction it must \
         keep its speed; the published program stops it.",
        &["ferguson2021/tunnel-four-walls"],
        &["fixtures/3D/unit-tests/tunnel/4-walls.json"],
    ),
];
