//! The pages: which rows, which exact answers and which bounds.

use super::Reached;

/// How runs of several scenes become one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// The largest value; that of the only run, where there is one.
    Largest,
    /// The sum.
    Sum,
    /// The number of runs with a value above 0.
    Count,
}

impl Take {
    /// Combines runs; those that did not complete count only if none did.
    pub fn apply(self, all: &[Reached]) -> Reached {
        let values: Vec<f64> = all.iter().filter_map(Reached::value).collect();
        let Some(&first) = values.first() else { return all.first().copied().unwrap_or(Reached::Skipped) };
        Reached::Value(match self {
            Self::Largest => values.iter().copied().fold(first, f64::max),
            Self::Sum => values.iter().sum(),
            Self::Count => values.iter().filter(|value| **value > 0.0).count() as f64,
        })
    }
}

impl Reached {
    fn value(&self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(*value),
            _ => None,
        }
    }
}

/// A column of a matrix: one number per method and time step, its exact answer, and the bound of its error.
#[derive(Debug, Clone)]
pub struct Measure {
    /// The heading.
    pub title: &'static str,
    /// The scene, also with `-half` appended; empty for all but [`Measure::but`].
    pub scene: &'static str,
    /// A scene that is left out.
    pub but: &'static str,
    /// The column of the rows.
    pub column: &'static str,
    /// How scenes become one value.
    pub take: Take,
    /// The exact answer.
    pub exact: f64,
    /// Maximum difference from it.
    pub bound: f64,
    /// Whether the value must be at least the exact answer less the bound, and may be larger.
    pub is_lower: bool,
    /// Differences below this are drawn at it.
    pub floor: f64,
    /// Factor from the unit of the rows to that of the page.
    pub scale: f64,
    /// Name of the file, and the name of the vertical axis, of a plot.
    pub plot: Option<(&'static str, &'static str)>,
}

impl Measure {
    /// The value of one scene, which should be 0 to `bound`.
    pub fn one(title: &'static str, scene: &'static str, column: &'static str, bound: f64) -> Self {
        Self {
            title,
            scene,
            but: "",
            column,
            take: Take::Largest,
            exact: 0.0,
            bound,
            is_lower: false,
            floor: 1e-3 * bound,
            scale: 1.0,
            plot: None,
        }
    }

    /// Whether a scene belongs to it.
    pub fn is_about(&self, scene: &str) -> bool {
        let same = |of: &str| {
            let end = scene.strip_suffix("-half");
            scene == of || end == Some(of)
        };
        if self.scene.is_empty() { self.but.is_empty() || !same(self.but) } else { same(self.scene) }
    }

    /// The difference of a value from the exact answer.
    pub fn error(&self, value: f64) -> f64 {
        if self.is_lower { (self.exact - value).max(0.0) } else { (value - self.exact).abs() }
    }

    /// Whether a value is within the bound.
    pub fn holds(&self, value: f64) -> bool {
        self.error(value) <= self.bound
    }

    /// As [`Measure::one`] without a bound: a cost.
    pub fn cost(title: &'static str, scene: &'static str, column: &'static str, scale: f64) -> Self {
        Self { scale, ..Self::one(title, scene, column, f64::INFINITY) }
    }

    /// Whether it is a cost, which has no bound; a run that has none shows a dash.
    pub fn is_cost(&self) -> bool {
        self.bound == f64::INFINITY
    }

    /// The heading with exact answer and bound.
    pub fn heading(&self) -> String {
        let [exact, bound] = [self.exact, self.bound].map(|value| super::short(self.scale * value));
        if self.is_cost() {
            return self.title.to_owned();
        }
        match (self.is_lower, self.exact, self.bound) {
            (true, ..) => format!("{}, {exact}", self.title),
            (_, 0.0, 0.0) => format!("{}, 0", self.title),
            (_, 0.0, _) => format!("{}, ≤ {bound}", self.title),
            _ => format!("{}, {exact} ± {bound}", self.title),
        }
    }
}

/// A plot of a cost against the number of bodies.
#[derive(Debug, Clone)]
pub struct Growth {
    /// Name of the file, and the name of the vertical axis.
    pub plot: (&'static str, &'static str),
    /// The cost of each number of bodies.
    pub costs: Vec<(f64, Measure)>,
    /// A cost that is marked, in the unit of the plot, and what it is.
    pub mark: (f64, &'static str),
}

/// A page: a table of rows, and what is read from it.
#[derive(Debug, Clone)]
pub struct Page {
    /// Name of the file of its rows.
    pub name: &'static str,
    /// The columns of its matrix.
    pub measures: Vec<Measure>,
    /// The columns of a second matrix; there is none without them.
    pub costs: Vec<Measure>,
    /// The plot of a cost against the number of bodies.
    pub growth: Option<Growth>,
    /// What the CPU time of its plots is of.
    pub run: &'static str,
}

impl Page {
    /// A page of a study with one matrix.
    pub fn new(name: &'static str, measures: Vec<Measure>) -> Self {
        Self { name, measures, costs: Vec::new(), growth: None, run: "a run" }
    }

    /// The columns of its rows.
    pub fn columns(&self) -> Vec<&'static str> {
        let mut all = vec!["scene", "method", "dt [s]", "outcome", "steps"];
        let measured = self.measures.iter().chain(&self.costs).map(|measure| measure.column);
        for column in measured.chain([CPU]) {
            if !all.contains(&column) {
                all.push(column);
            }
        }
        all
    }
}

/// CPU time of a step.
pub(super) const CPU: &str = "cost.cpu_per_step [s]";
/// CPU time of all tosses.
pub(super) const CPU_OF_ALL: &str = "cpu [s]";
/// Mean error of the tosses over the scale of their case.
pub(super) const ERROR: &str = "error [1]";

const FRAMES: &str = "intersection.frames [1]";
const DEEPEST: &str = "penetration.deepest [m]";
const CROSSINGS: &str = "tunnelling.centre_crossings [1]";
const BOUNCE: &str = "motion.bounce [m]";
const TURN: &str = "motion.rotation_max [rad]";
const ALONG: &str = "motion.velocity_x:ball [m/s]";
const MOVED: &str = "motion.displacement_max [m]";
const DRIFT: &str = "energy.drift [1]";
const SPIN: &str = "momentum.angular_relative [1]";
const JOINT: &str = "constraint.joint_position [m]";
const HELD: &str = "expectations_held";
const GAINED: &str = "energy.rise_relative [1]";
const MEMORY: &str = "cost.engine_memory [B]";

/// Returns all pages with a matrix and a plot.
pub fn pages() -> Vec<Page> {
    vec![
        contact(),
        degenerate(),
        impact(),
        joints(),
        rotation(),
        friction(),
        scale(),
        stacks(),
        piles(),
        tosses(),
    ]
}

/// As [`Measure::one`], in millimetres.
fn millimetres(title: &'static str, scene: &'static str, column: &'static str, bound: f64) -> Measure {
    Measure { scale: 1e3, ..Measure::one(title, scene, column, bound) }
}

/// As [`Measure::one`], in percent.
fn percent(title: &'static str, scene: &'static str, column: &'static str, bound: f64) -> Measure {
    Measure { scale: 1e2, ..Measure::one(title, scene, column, bound) }
}

fn contact() -> Page {
    const HEAVY: &str = "unit-tests/large-mass-ratio";
    let all = |title, column, take| Measure { take, ..Measure::one(title, "", column, 0.0) };
    let measures = vec![
        all("scenes with intersections", FRAMES, Take::Count),
        Measure {
            but: HEAVY,
            floor: 1e-6,
            plot: Some(("contact", "deepest penetration (mm)")),
            ..millimetres("deepest, mm", "", DEEPEST, 1e-3)
        },
        millimetres("with the mass ratio, mm", HEAVY, DEEPEST, 1e-3),
        all("through", CROSSINGS, Take::Sum),
    ];
    Page::new("contact", measures)
}

fn degenerate() -> Page {
    let all = |title, column, take| Measure { take, ..Measure::one(title, "", column, 0.0) };
    let measures = vec![
        all("scenes with intersections", FRAMES, Take::Count),
        all("frames with intersections", FRAMES, Take::Sum),
        Measure {
            floor: 1e-6,
            plot: Some(("degenerate", "deepest penetration (mm)")),
            ..millimetres("deepest, mm", "", DEEPEST, 1e-3)
        },
        all("through", CROSSINGS, Take::Sum),
    ];
    Page::new("degenerate", measures)
}

fn impact() -> Page {
    let near = |title, scene, column, exact: f64, part: f64| Measure {
        exact,
        ..Measure::one(title, scene, column, part * exact)
    };
    let measures = vec![
        Measure {
            plot: Some(("impact", "error of the height after a bounce (m)")),
            ..near("ball", "bouncing/ball", BOUNCE, 0.64, 0.03)
        },
        near("cube", "flat", BOUNCE, 0.125, 0.03),
        Measure::one("its rotation", "flat", TURN, 0.01),
        near("oblique", "oblique", BOUNCE, 0.18, 0.03),
        Measure {
            plot: Some(("impact-friction", "error of the speed after an oblique impact (m/s)")),
            ..near("its speed", "oblique", ALONG, 2.499, 0.01)
        },
    ];
    Page::new("impact", measures)
}

fn joints() -> Page {
    let (hinges, long) = ("mueller2020/pendulum-hinges", "mueller2020/pendulum-long");
    let measures = vec![
        percent("hinges: energy, %", hinges, DRIFT, 0.01),
        Measure { floor: 1e-9, ..millimetres("hinges: distance, mm", hinges, JOINT, 1e-3) },
        Measure {
            plot: Some(("joints", "drift of the energy of eight bars (%)")),
            ..percent("eight bars: energy, %", long, DRIFT, 0.01)
        },
        Measure {
            floor: 1e-9,
            plot: Some(("joints-distance", "largest distance of joints of eight bars (mm)")),
            ..millimetres("eight bars: distance, mm", long, JOINT, 1e-3)
        },
    ];
    Page::new("joints", measures)
}

fn rotation() -> Page {
    let (brick, plate) = ("free/dzhanibekov", "free/symmetric-top");
    let measures = vec![
        Measure::one("cube: energy", "spin", DRIFT, 0.01),
        Measure::one("cube: momentum", "spin", SPIN, 0.01),
        Measure {
            floor: 1e-9,
            plot: Some(("rotation", "drift of the energy of the brick")),
            ..Measure::one("brick: energy", brick, DRIFT, 0.01)
        },
        Measure {
            floor: 1e-12,
            plot: Some(("rotation-momentum", "drift of the angular momentum of the brick")),
            ..Measure::one("brick: momentum", brick, SPIN, 0.01)
        },
        Measure::one("plate: energy", plate, DRIFT, 0.01),
        Measure::one("plate: momentum", plate, SPIN, 0.01),
    ];
    Page::new("rotation", measures)
}

fn friction() -> Page {
    let measures = vec![
        Measure {
            exact: 0.1755,
            floor: 1e-4,
            plot: Some(("friction", "error of the displacement on the slope (m)")),
            ..Measure::one("slides", "friction/incline-mu-0.49", MOVED, 0.01)
        },
        Measure::one("holds", "friction/incline-mu-0.5", MOVED, 0.01),
        Measure { exact: 0.4077, ..Measure::one("stops", "friction/stopping-distance", MOVED, 0.011) },
    ];
    Page::new("friction", measures)
}

fn scale() -> Page {
    let of = |title, scene| Measure { exact: 3.0, is_lower: true, ..Measure::one(title, scene, HELD, 0.0) };
    let measures = vec![
        of("0.01 m", "scale-0.01"),
        of("0.1 m", "scale-0.1"),
        of("1 m", "scale-1"),
        of("10 m", "scale-10"),
        of("100 m", "scale-100"),
        Measure {
            floor: 1e-6,
            plot: Some(("scale", "deepest penetration of cubes of 1 m (mm)")),
            ..millimetres("deepest at 1 m, mm", "scale-1", DEEPEST, 0.01)
        },
    ];
    Page::new("scale", measures)
}

fn stacks() -> Page {
    let (column, wall) = ("stacks/10", "stacks/wall");
    let measures = vec![
        Measure {
            floor: 1e-5,
            plot: Some(("stacks", "largest displacement of a cube of the column (mm)")),
            ..millimetres("column: moved, mm", column, MOVED, 0.01)
        },
        millimetres("column: deepest, mm", column, DEEPEST, 1e-3),
        millimetres("wall: moved, mm", wall, MOVED, 0.01),
        Measure { floor: 1e-6, ..millimetres("wall: deepest, mm", wall, DEEPEST, 1e-3) },
    ];
    Page::new("stacks", measures)
}

fn piles() -> Page {
    const PILES: [(f64, &str, &str); 5] = [
        (10.0, "10", "pile-10"),
        (30.0, "30", "pile-30"),
        (100.0, "100", "pile-100"),
        (300.0, "300", "pile-300"),
        (1000.0, "1000", "pile-1000"),
    ];
    let deepest = PILES.map(|(n, title, scene)| Measure {
        floor: 1e-6,
        plot: (n == 100.0).then_some(("piles", "deepest penetration of 100 boxes (mm)")),
        ..millimetres(title, scene, DEEPEST, 0.01)
    });
    let gained = Measure::one("energy gained", "", GAINED, 1e-3);
    let cpu = || PILES.map(|(n, title, scene)| (n, Measure::cost(title, scene, CPU, 1e3)));
    let memory = [("memory of 10, MB", "pile-10"), ("of 1000", "pile-1000")]
        .map(|(title, scene)| Measure::cost(title, scene, MEMORY, 1e-6));
    let growth = Growth {
        plot: ("piles-growth", "CPU time of a step (ms)"),
        costs: cpu().into(),
        mark: (10.0, "10 ms, the longer of both steps"),
    };
    Page {
        costs: cpu().into_iter().map(|(_, measure)| measure).chain(memory).collect(),
        growth: Some(growth),
        ..Page::new("piles", deepest.into_iter().chain([gained]).collect())
    }
}

fn tosses() -> Page {
    let measures = vec![
        Measure {
            plot: Some(("tosses", "mean error of the position (edges)")),
            ..Measure::one("position, edges", "toss", ERROR, 0.2)
        },
        Measure {
            plot: Some(("tosses-rotation", "mean error of the orientation (rad)")),
            ..Measure::one("orientation, rad", "toss-rotation", ERROR, 0.4)
        },
    ];
    Page { run: "24 tosses", ..Page::new("tosses", measures) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measure_knows_its_scenes_also_with_shorter_steps() {
        let measure = Measure::one("1 m", "scale-1", HELD, 0.0);
        assert!(measure.is_about("scale-1") && measure.is_about("scale-1-half"));
        assert!(!measure.is_about("scale-10") && !measure.is_about("scale-10-half"));
        let but = Measure { but: "a", ..Measure::one("all", "", HELD, 0.0) };
        assert!(but.is_about("b") && !but.is_about("a"));
    }

    #[test]
    fn scenes_are_counted_summed_or_the_worst_is_taken() {
        let all = [Reached::Value(2.0), Reached::Cut, Reached::Value(0.0), Reached::Value(3.0)];
        let value = |take: Take| take.apply(&all).value();
        assert_eq!([Take::Largest, Take::Sum, Take::Count].map(value), [Some(3.0), Some(5.0), Some(2.0)]);
        assert_eq!(Take::Sum.apply(&[Reached::Failed]), Reached::Failed);
    }
}
