//! Requests of scenes that methods ignore, and flawed steps, as data and as lines of text.

use std::fmt;

use rigor_scene::{Flaw, Notice, StepReport};
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

/// The number of steps with a certain flaw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlawCount {
    /// Name of the flaw.
    pub name: String,
    /// Description of the flaw.
    pub what: String,
    /// Number of steps with the flaw.
    pub steps: u64,
    /// Number of steps in total.
    pub of: u64,
}

impl fmt::Display for FlawCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {} of {} steps", self.what, self.steps, self.of)
    }
}

/// A counter of flaws over steps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FlawCounter {
    steps: u64,
    flawed: u64,
    counts: Vec<(Flaw, u64)>,
}

impl FlawCounter {
    /// Counts one more step; a flaw that its report contains several times counts once.
    pub fn push(&mut self, report: &StepReport) {
        self.steps += 1;
        self.flawed += u64::from(!report.flaws.is_empty());
        for (i, flaw) in report.flaws.iter().enumerate() {
            if report.flaws[..i].iter().any(|before| before.name == flaw.name) {
                continue;
            }
            match self.counts.iter_mut().find(|(known, _)| known.name == flaw.name) {
                Some((_, steps)) => *steps += 1,
                None => self.counts.push((*flaw, 1)),
            }
        }
    }

    /// Number of steps with at least one flaw.
    pub fn flawed_steps(&self) -> u64 {
        self.flawed
    }

    /// Counts per flaw, in the order of first occurrence.
    pub fn counts(&self) -> Vec<FlawCount> {
        let count = |(flaw, steps): &(Flaw, u64)| FlawCount {
            name: flaw.name.to_owned(),
            what: flaw.what.to_owned(),
            steps: *steps,
            of: self.steps,
        };
        self.counts.iter().map(count).collect()
    }
}

#[cfg(test)]
mod tests {
    use rigor_scene::Scene;

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
        let restitution =
            "restitution 0.5 of body \"ball\" and 1 more: not used: ipc has no coefficient of restitution";
        let ipc = [
            restitution,
            "static friction 0.6 of body \"ball\": ipc uses the dynamic coefficient for both, here 0.4",
        ];
        assert_eq!(told("ipc", BODIES), ipc);
        let lags = format!("{BODIES}\n[method.ipc]\nfriction_iterations = 0\n");
        let without =
            [restitution, "friction 0.5 of body \"floor\" and 1 more: not used: friction_iterations is 0"];
        assert_eq!(told("ipc", &lags), without);
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
    fn a_step_counts_once_for_each_of_its_flaws() {
        let (late, loose) =
            (Flaw { name: "late", what: "it was late" }, Flaw { name: "loose", what: "it was loose" });
        let mut counter = FlawCounter::default();
        for flaws in [vec![], vec![late], vec![late, loose, late], vec![]] {
            counter.push(&StepReport { flaws, ..StepReport::default() });
        }
        let lines: Vec<String> = counter.counts().iter().map(ToString::to_string).collect();
        assert_eq!(lines, ["it was late in 2 of 4 steps", "it was loose in 1 of 4 steps"]);
        assert_eq!(counter.flawed_steps(), 2);
    }
}
