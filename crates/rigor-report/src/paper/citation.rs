//! Program, versions and hashes: what a paper tells so that others can make its figures again.

use crate::paper::grid::escaped;

/// What is cited.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Citation {
    /// The command that made the figures.
    pub command: String,
    /// When.
    pub date: String,
    /// Names and versions of the program and others.
    pub versions: Vec<(String, String)>,
    /// Names and values of the machine.
    pub machine: Vec<(String, String)>,
    /// The runs.
    pub runs: Vec<Run>,
}

/// A run that is cited.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    /// Scene, method and what distinguishes its settings.
    pub name: String,
    /// Δt (s).
    pub dt: f64,
    /// Hash of scene, method and settings.
    pub identity: String,
    /// Hash of the scene.
    pub scene: String,
    /// Hash of the last state.
    pub state: String,
    /// The commit of the program that made it.
    pub commit: String,
}

impl Citation {
    /// The block as text.
    pub fn text(&self) -> String {
        let facts = |title: &str, facts: &[(String, String)]| {
            let lines: String = facts.iter().map(|(name, value)| format!("  {name}: {value}\n")).collect();
            if lines.is_empty() { lines } else { format!("{title}\n{lines}") }
        };
        let run = |run: &Run| {
            let Run { name, dt, identity, scene, state, commit } = run;
            format!(
                "  {name}, dt {dt} s\n    identity {identity}\n    scene    {scene}\n    state    {state}\n    commit   {commit}\n"
            )
        };
        let runs: String = self.runs.iter().map(run).collect();
        let (versions, machine) = (facts("Versions", &self.versions), facts("Machine", &self.machine));
        format!("{}\n{}\n{versions}{machine}Runs (hashes are BLAKE3)\n{runs}", self.command, self.date)
    }

    /// An entry for BibTeX, with the program's version and the commit.
    pub fn bibtex(&self) -> String {
        let version =
            |name: &str| self.versions.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value);
        let (program, commit) = (escaped(version("rigor")), escaped(version("commit")));
        let year: String = self.date.chars().take(4).collect();
        format!(
            "@misc{{rigor,\n  author = {{{{The Rigor authors}}}},\n  title = {{Rigor: methods for rigid-body contact, compared}},\n  \
             year = {{{year}}},\n  note = {{Version {program}, commit {commit}}}\n}}\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_tells_versions_and_hashes() {
        let citation = Citation {
            date: "2026-03-01 12:00 UTC".into(),
            versions: vec![("rigor".into(), "0.1.0".into()), ("commit".into(), "abc_d".into())],
            runs: vec![Run { name: "a with ipc".into(), identity: "f00".into(), ..Run::default() }],
            ..Citation::default()
        };
        assert!(citation.text().contains("commit: abc_d") && citation.text().contains("identity f00"));
        let entry = citation.bibtex();
        assert!(entry.contains("year = {2026}") && entry.contains("abc\\_d"), "{entry}");
    }
}
