//! A study on several machines: command lines for each part, and a job array for Slurm.

use std::fmt::Write;
use std::path::Path;

use crate::driver::Shard;

impl std::str::FromStr for Shard {
    type Err = ShardError;

    /// Reads `3/40`: the third of forty parts.
    fn from_str(text: &str) -> Result<Self, ShardError> {
        let wrong = || ShardError { text: text.to_owned() };
        let (index, of) = text.split_once('/').ok_or_else(wrong)?;
        let (index, of): (usize, usize) =
            (index.parse().map_err(|_| wrong())?, of.parse().map_err(|_| wrong())?);
        if (1..=of).contains(&index) { Ok(Self { index: index - 1, of }) } else { Err(wrong()) }
    }
}

/// A text that names no part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a part: write 3/40 for the third of forty")]
pub struct ShardError {
    /// The text.
    pub text: String,
}

/// What the parts of a study have in common.
#[derive(Debug, Clone)]
pub struct Parts<'a> {
    /// The program.
    pub program: &'a Path,
    /// The plan.
    pub plan: &'a Path,
    /// The folder of the study.
    pub root: &'a Path,
    /// Number of parts.
    pub of: usize,
}

impl Parts<'_> {
    /// Returns one command line per part, for `xargs`, GNU parallel or HyperQueue.
    pub fn commands(&self) -> String {
        (1..=self.of).fold(String::new(), |mut text, index| {
            let _ = writeln!(text, "{}", self.command(&index.to_string()));
            text
        })
    }

    fn command(&self, index: &str) -> String {
        let path = |path: &Path| quoted(&path.to_string_lossy());
        format!(
            "{} study {} --out {} --shard {index}/{} --jobs 1 --quiet --no-report",
            path(self.program),
            path(self.plan),
            path(self.root),
            self.of
        )
    }

    /// Returns the script of a Slurm job array with one task per part; `options` are lines such as `--time=1:00:00`.
    pub fn slurm(&self, name: &str, options: &[String]) -> String {
        let mut text = String::from("#!/bin/sh\n");
        let log = self.root.join("slurm-%A_%a.log");
        let own = [
            format!("--job-name={}", name.replace(char::is_whitespace, "-")),
            format!("--array=1-{}", self.of),
            "--cpus-per-task=1".to_owned(),
            format!("--output={}", log.display()),
        ];
        for option in own.iter().chain(options) {
            let _ = writeln!(text, "#SBATCH {option}");
        }
        let _ = writeln!(text, "exec {}", self.command("\"$SLURM_ARRAY_TASK_ID\""));
        text
    }
}

/// `text`, in quotes if a shell would otherwise change it.
pub fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./,=:+@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_from_one() {
        assert_eq!("3/40".parse(), Ok(Shard { index: 2, of: 40 }));
        for text in ["0/4", "5/4", "3", "a/b", "1/0"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_job_array_runs_one_part_per_task() {
        let parts = Parts {
            program: Path::new("rigor"),
            plan: Path::new("my plan.toml"),
            root: Path::new("out"),
            of: 3,
        };
        let script = parts.slurm("slopes", &["--time=10".to_owned()]);
        assert!(
            script.starts_with("#!/bin/sh\n#SBATCH --job-name=slopes\n#SBATCH --array=1-3\n"),
            "{script}"
        );
        assert!(script.contains("#SBATCH --time=10\n"));
        assert!(script.ends_with(
            "exec rigor study 'my plan.toml' --out out --shard \"$SLURM_ARRAY_TASK_ID\"/3 --jobs 1 --quiet --no-report\n"
        ));
        assert_eq!(parts.commands().lines().count(), 3);
    }

    #[test]
    fn a_shell_reads_quoted_arguments_as_they_were() {
        assert_eq!(quoted("time.dt=1e-3"), "time.dt=1e-3");
        assert_eq!(quoted("my scene.toml"), "'my scene.toml'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
