//! Requests of scenes that methods ignore, and flawed steps, as data and as lines of text.

use std::fmt;

use rigor_scene::{Flaw, Notice, Scene, StepReport};
use serde::{Deserialize, Serialize};

/// A [`Notice`] in the form of `run.json` and of the program's JSON output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoticeRecord {
    /// The quantity that the method ignores or changes.
    pub quantity: String,
    /// The specified value, if it is a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Its unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The first item that specifies it; empty for the scene as a whole.
    pub example: String,
    /// Number of items that specify it.
    pub count: usize,
    /// The action of the method instead.
    pub instead: String,
    /// The notice in one line.
    pub text: String,
}

impl From<&Notice> for NoticeRecord {
    fn from(notice: &Notice) -> Self {
        Self {
            quantity: notice.quantity.to_owned(),
            value: notice.value.map(|asked| asked.value),
            unit: notice.value.map(|asked| asked.unit.to_owned()),
            example: notice.example.clone(),
            count: notice.count,
            instead: notice.instead.clone(),
            text: notice.to_string(),
        }
    }
}

/// The steps with flaws of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlawCount {
    /// Name of the flaw.
    pub name: String,
    /// Description of the flaw.
    pub what: String,
    /// Number of steps with the flaw.
    pub steps: u64,
    /// Number of steps in total.
    pub of: u64,
    /// The flaw with the largest amount; `None` in records from before amounts were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<WorstFlaw>,
}

/// The flaw with the largest amount among those of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorstFlaw {
    /// How much, in `unit`.
    pub amount: f64,
    /// The unit; "1" for counts and ratios.
    pub unit: String,
    /// What it concerns, such as `body "box"`; empty for the scene as a whole.
    #[serde(default)]
    pub subject: String,
    /// The step that ended with it.
    pub step: u64,
}

impl fmt::Display for FlawCount {
    /// Writes `what in 3 of 100 steps; worst 14.2 J: body "box" in step 17`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {} of {} steps", self.what, self.steps, self.of)?;
        self.worst.as_ref().map_or(Ok(()), |worst| write!(f, "; worst {worst}"))
    }
}

impl fmt::Display for WorstFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = if self.unit == "1" { String::new() } else { format!(" {}", self.unit) };
        let of = if self.subject.is_empty() { String::new() } else { format!("{} ", self.subject) };
        write!(f, "{}{unit}: {of}in step {}", significant(self.amount), self.step)
    }
}

/// Returns three significant digits of a number.
fn significant(value: f64) -> String {
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    if !rounded.is_finite() {
        // The largest numbers round up beyond what can be parsed.
        return format!("{value:.1e}");
    }
    let is_readable = value == 0.0 || (1e-3..1e6).contains(&value.abs());
    if is_readable { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// Returns the counts of two parts of a run, of `of` steps together, in the order of first occurrence.
pub(crate) fn added(before: &[FlawCount], later: &[FlawCount], of: u64) -> Vec<FlawCount> {
    let mut all: Vec<FlawCount> = before.to_vec();
    for flaw in later {
        match all.iter_mut().find(|known| known.name == flaw.name) {
            Some(known) => {
                known.steps += flaw.steps;
                let amount =
                    |worst: &Option<WorstFlaw>| worst.as_ref().map_or(f64::NAN, |worst| worst.amount);
                let (old, new) = (amount(&known.worst), amount(&flaw.worst));
                // Also an amount that is no number is kept only while there is no other.
                if new > old || old.is_nan() {
                    known.worst = flaw.worst.clone().or_else(|| known.worst.take());
                }
            }
            None => all.push(flaw.clone()),
        }
    }
    all.into_iter().map(|flaw| FlawCount { of, ..flaw }).collect()
}

/// A counter of flaws over steps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlawCounter {
    steps: u64,
    flawed: u64,
    kinds: Vec<Tally>,
}

/// The flaws of one kind: the worst, the step that ended with it, and the number of steps.
#[derive(Debug, Clone, PartialEq)]
struct Tally {
    worst: Flaw,
    step: u64,
    steps: u64,
}

impl FlawCounter {
    /// Counts the step that ended as step number `step`; several flaws of one kind count once.
    pub fn push(&mut self, step: u64, report: &StepReport) {
        self.steps += 1;
        self.flawed += u64::from(!report.flaws.is_empty());
        for (i, flaw) in report.flaws.iter().enumerate() {
            let is_first = report.flaws[..i].iter().all(|before| before.kind != flaw.kind);
            match self.kinds.iter_mut().find(|tally| tally.worst.kind == flaw.kind) {
                Some(tally) => {
                    tally.steps += u64::from(is_first);
                    // Also an amount that is no number is kept only while there is no other.
                    if flaw.amount > tally.worst.amount || tally.worst.amount.is_nan() {
                        (tally.worst, tally.step) = (flaw.clone(), step);
                    }
                }
                None => self.kinds.push(Tally { worst: flaw.clone(), step, steps: 1 }),
            }
        }
    }

    /// Number of steps.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Number of steps with at least one flaw.
    pub fn flawed_steps(&self) -> u64 {
        self.flawed
    }

    /// Counts per kind of flaw, in the order of first occurrence, with names of `scene`.
    pub fn counts(&self, scene: &Scene) -> Vec<FlawCount> {
        let count = |tally: &Tally| {
            let Flaw { kind, subject, amount } = &tally.worst;
            FlawCount {
                name: kind.name().to_owned(),
                what: kind.what().to_owned(),
                steps: tally.steps,
                of: self.steps,
                // JSON has only finite numbers.
                worst: (!amount.is_nan()).then(|| WorstFlaw {
                    amount: amount.clamp(f64::MIN, f64::MAX),
                    unit: kind.unit().to_owned(),
                    subject: subject.name(scene).unwrap_or_default(),
                    step: tally.step,
                }),
            }
        };
        self.kinds.iter().map(count).collect()
    }
}

#[cfg(test)]
mod tests {
    use rigor_scene::{BodyId, FlawKind, Subject};

    use super::*;
    use crate::{disk, registry};

    /// Returns the notices of `method` on the scene with this text.
    fn told(method: &str, text: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scene.toml");
        std::fs::write(&path, text).unwrap();
        let scene: Scene = disk::load_scene(path.to_str().unwrap(), &[]).unwrap().scene;
        let notices = registry::notices(method, &scene, scene.time.dt).unwrap().unwrap();
        notices.iter().map(ToString::to_string).collect()
    }

    const BODIES: &str = r#"
        [[body]]
        name = "floor"
        role = "static"
        friction = 0.5
        shape = [{ box = { size = [4, 1, 4] } }]
        [[body]]
        name = "ball"
        position = [0, 2, 0]
        friction = { static = 0.6, dynamic = 0.4 }
        restitution = 0.5
        shape = [{ icosphere = { radius = 0.5 } }]
        [[body]]
        name = "ring"
        position = [0, 5, 0]
        restitution = 0.2
        shape = [{ torus = { major_radius = 0.5, minor_radius = 0.1 } }]
    "#;

    #[test]
    fn each_method_tells_what_it_does_not_use_of_bodies() {
        let none: [&str; 0] = [];
        assert_eq!(told("xpbd", BODIES), none);
        assert_eq!(told("pbd", BODIES), none);
        let free = [
            "contact of body \"ball\" and 1 more: not simulated: bodies and particles pass through each other",
            "friction 0.6 of body \"ball\": not used: there is no contact",
            "restitution 0.5 of body \"ball\" and 1 more: not used: there is no contact",
        ];
        assert_eq!(told("free", BODIES), free);
        let static_friction =
            "static friction 0.6 of body \"ball\": ipc uses the dynamic coefficient for both, here 0.4";
        assert_eq!(told("ipc", BODIES), [static_friction]);
        let without_law = format!("{BODIES}\n[method.ipc]\nrestitution = \"none\"\n");
        let restitution = "restitution 0.5 of body \"ball\" and 1 more: not used: restitution is \"none\"";
        assert_eq!(told("ipc", &without_law), [restitution, static_friction]);
        let lags = format!("{BODIES}\n[method.ipc]\nfriction_iterations = 0\n");
        let without = "friction 0.5 of body \"floor\" and 1 more: not used: friction_iterations is 0";
        assert_eq!(told("ipc", &lags), [without]);
        let rapier = "static friction 0.6 of body \"ball\": the engine uses the dynamic coefficient for both, here 0.4";
        assert_eq!(told("rapier", BODIES), [rapier]);
        let pieces = format!("{BODIES}\n[method.rapier]\nconcave = \"decomposition\"\n");
        let replaced = "surface of body \"ring\": replaced by convex pieces: concave is decomposition";
        assert_eq!(told("rapier", &pieces), [rapier, replaced]);
    }

    #[test]
    fn nothing_is_told_where_nothing_is_ignored() {
        let plain =
            BODIES.replace("{ static = 0.6, dynamic = 0.4 }", "0.4").replace("restitution", "# restitution");
        for method in ["xpbd", "pbd", "ipc", "rapier"] {
            assert!(told(method, &plain).is_empty(), "{method}: {:?}", told(method, &plain));
        }
        let one_group = plain.replace("shape =", "group = \"all\"\nshape =");
        assert!(told("free", &one_group).is_empty(), "{:?}", told("free", &one_group));
    }

    #[test]
    fn particles_tell_what_pbd_and_free_do_not_use() {
        let soft = r#"
            [[body]]
            name = "floor"
            role = "static"
            shape = [{ box = { size = [4, 1, 4] } }]
            [[rope]]
            name = "rope"
            from = [0, 2, 0]
            to = [0, 1, 0]
            segments = 2
            mass = 0.5
            radius = 0.25
            stretch_compliance = 1e-3
            [[attachment]]
            particles = "rope.first"
            body = "floor"
            compliance = 1e-2
            [[soft]]
            name = "cube"
            size = [1, 1, 1]
            cells = [1, 1, 1]
            position = [3, 3, 3]
            radius = 0.8
        "#;
        assert!(told("xpbd", soft).is_empty());
        let instead = "not used: pbd gives every bond and attachment the stiffness 1";
        let pbd = [
            format!(
                "compliance 0.001 m/N of bond 0 (distance: particle 0 of \"rope\", particle 1 of \"rope\") and 1 more: {instead}"
            ),
            format!(
                "material of bond 2 (tetrahedron: particle 0 of \"cube\", particle 4 of \"cube\", particle 2 of \"cube\", particle 1 of \"cube\") and 4 more: {instead}"
            ),
            format!("compliance 0.01 m/N of the attachment of particle 0 of \"rope\": {instead}"),
        ];
        assert_eq!(told("pbd", soft), pbd);
        let marbles = r#"particle = [{ mass = 1, radius = 0.1 }, { mass = 1, position = [0, 5, 0] }]"#;
        let free =
            "contact of particle 0 and 1 more: not simulated: bodies and particles pass through each other";
        assert_eq!(told("free", marbles), [free]);
    }

    #[test]
    fn a_step_counts_once_for_each_kind_of_flaw_and_the_worst_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scene.toml");
        std::fs::write(&path, BODIES).unwrap();
        let scene = disk::load_scene(path.to_str().unwrap(), &[]).unwrap().scene;
        let made = |body, amount| Flaw::new(FlawKind::EnergyMade, Subject::Body(BodyId(body)), amount);
        let fast = Flaw::new(FlawKind::TooFast, Subject::Pair(BodyId(0), BodyId(1)), 3.0);
        let own = FlawKind::Other { name: "late".into(), what: "it was late".into(), unit: "s".into() };
        let late = |amount| Flaw::new(own.clone(), Subject::Scene, amount);
        let mut counter = FlawCounter::default();
        let steps = [
            vec![],
            vec![made(1, 0.5), fast, made(2, 14.23456)],
            vec![made(0, 1.0), late(f64::INFINITY)],
            vec![late(f64::NAN)],
        ];
        for (i, flaws) in steps.into_iter().enumerate() {
            counter.push(10 + i as u64, &StepReport { flaws, ..StepReport::default() });
        }
        let lines: Vec<String> = counter.counts(&scene).iter().map(ToString::to_string).collect();
        let expected = [
            format!(
                "{} in 2 of 4 steps; worst 14.2 J: body \"ring\" in step 11",
                FlawKind::EnergyMade.what()
            ),
            format!(
                "{} in 1 of 4 steps; worst 3: bodies \"floor\" and \"ball\" in step 11",
                FlawKind::TooFast.what()
            ),
            "it was late in 2 of 4 steps; worst 1.8e308 s: in step 12".to_owned(),
        ];
        assert_eq!(lines, expected);
        assert_eq!(counter.flawed_steps(), 3);
        let json = serde_json::to_string(&counter.counts(&scene)).unwrap();
        assert_eq!(serde_json::from_str::<Vec<FlawCount>>(&json).unwrap(), counter.counts(&scene));
    }

    #[test]
    fn flaws_of_records_without_amounts_are_read() {
        let old = r#"{ "name": "too_fast", "what": "it was fast", "steps": 3, "of": 5 }"#;
        let count: FlawCount = serde_json::from_str(old).unwrap();
        assert_eq!(count.to_string(), "it was fast in 3 of 5 steps");
    }
}
