//! Errors and warnings about scene files, as text for people and as JSON for programs.

mod excerpt;
mod paint;

use std::io::IsTerminal;

use rigor_file::{Finding, SourcePosition};
use serde_json::{Value, json};

use self::paint::{Colour, Paint};

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The scene cannot be loaded.
    Error,
    /// The scene can be loaded, but probably contains a mistake.
    Warning,
}

impl Severity {
    fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// Formats a finding with its message, the lines of the file that it is about, and advice.
///
/// The text is coloured if standard output and standard error are terminals and `NO_COLOR` is not set.
pub fn render(finding: &Finding, severity: Severity) -> String {
    let is_terminal = std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
    let is_coloured = is_terminal && std::env::var_os("NO_COLOR").is_none();
    text(finding, severity, &Paint { is_coloured })
}

fn text(finding: &Finding, severity: Severity, paint: &Paint) -> String {
    let (mark, colour) = match severity {
        Severity::Error => ('×', Colour::Red),
        Severity::Warning => ('⚠', Colour::Yellow),
    };
    let placed = finding.place.as_ref().zip(finding.text.as_deref());
    let shown = placed.filter(|(place, text)| is_readable(text, place));
    // Without source lines the message must include the place. The help stands below in any case.
    let message = match shown {
        Some(_) => finding.message.clone(),
        None => Finding { help: None, ..finding.clone() }.to_string(),
    };
    let first = format!("  {} ", paint.with(colour, &mark.to_string()));
    let others = format!("  {} ", paint.with(colour, "│"));
    let mut lines = wrapped(&message, "  × ".chars().count(), &first, &others);
    if let Some((place, text)) = shown {
        lines.extend(excerpt::lines(finding, place, text, paint));
    }
    if let Some(help) = &finding.help {
        let title = "  help: ";
        lines.extend(wrapped(help, title.len(), &paint.with(Colour::Cyan, title), &" ".repeat(title.len())));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// `text` in lines of at most [`WIDTH`] characters where words allow it, with an indentation of `indent` characters.
fn wrapped(text: &str, indent: usize, first: &str, others: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            let len = line.chars().count() + 1 + word.chars().count();
            if !line.is_empty() && indent + len > WIDTH {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    let prefix = |i: usize| if i == 0 { first } else { others };
    lines.iter().enumerate().map(|(i, line)| format!("{}{line}", prefix(i))).collect()
}

/// Column at which prose is wrapped.
const WIDTH: usize = 100;

/// Maximum length of a line that is shown (bytes).
const MAX_LINE: usize = 400;

/// The finding as JSON: severity, file, line and column (from 1), key, message and help; null where absent.
pub fn to_json(finding: &Finding, severity: Severity) -> Value {
    json!({
        "severity": severity.word(),
        "file": finding.file.display().to_string(),
        "line": finding.place.map(|place| place.line),
        "column": finding.place.map(|place| place.column),
        "key": (!finding.key.is_empty()).then_some(&finding.key),
        "message": finding.message,
        "help": finding.help,
    })
}

/// Whether the line at `place` and its neighbours are short enough to show.
///
/// A mesh in JSON may be one line of megabytes.
fn is_readable(text: &str, place: &SourcePosition) -> bool {
    let around = text.lines().skip(place.line.saturating_sub(2)).take(3);
    around.map(str::len).max().is_some_and(|longest| longest <= MAX_LINE)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn finding(text: &str, part: &str) -> Finding {
        let start = text.find(part).unwrap();
        Finding::at("box.toml", &Arc::from(text), start..start + part.len(), "expected a positive number")
            .with_key("time.dt")
            .with_help("a step lasts longer than 0 s")
    }

    #[test]
    fn the_line_the_key_and_the_help_are_shown() {
        let text = render(&finding("format = 1\n[time]\ndt = -1\n", "-1"), Severity::Error);
        for part in ["box.toml:3:6", "dt = -1", "time.dt", "positive number", "longer than 0 s"] {
            assert!(text.contains(part), "{part}:\n{text}");
        }
    }

    #[test]
    fn a_line_of_megabytes_is_named_but_not_shown() {
        let long = format!("{{\"dt\": -1, \"mesh\": [{}]}}", "0, ".repeat(100_000));
        let text = render(&finding(&long, "-1"), Severity::Error);
        assert!(text.len() < 1000);
        assert!(text.contains("box.toml:1:8") && text.contains("time.dt"), "{text}");
    }

    #[test]
    fn a_table_of_many_lines_is_shown_by_its_first() {
        let long = format!("[time]\n{}", "dt = -1\n".repeat(1000));
        let text = render(&finding(&long, &long), Severity::Warning);
        assert!(text.lines().count() < 15, "{text}");
    }

    #[test]
    fn the_place_is_marked_between_its_neighbours() {
        let found = finding("format = 1\n[time]\n\tä = 0; dt = -1\nsteps = 2\nend = 3\n", "dt = -1");
        let long = Finding { help: Some("word ".repeat(30).trim_end().to_owned()), ..found };
        let expected = "  × expected a positive number
   ╭─[box.toml:3:9]
 2 │ [time]
 3 │     ä = 0; dt = -1
   ·            ───┬───
   ·               ╰── time.dt
 4 │ steps = 2
   ╰────
  help: word word word word word word word word word word word word word word word word word word
        word word word word word word word word word word word word
";
        assert_eq!(text(&long, Severity::Error, &Paint { is_coloured: false }), expected);
        let coloured = text(&long, Severity::Error, &Paint { is_coloured: true });
        assert!(coloured.starts_with("  \u{1b}[31m×\u{1b}[0m expected"), "{coloured:?}");
    }

    #[test]
    fn json_has_the_place_from_one() {
        let value = to_json(&finding("dt = -1", "-1"), Severity::Warning);
        assert_eq!((&value["line"], &value["column"]), (&json!(1), &json!(6)));
        assert_eq!((&value["severity"], &value["key"]), (&json!("warning"), &json!("time.dt")));
    }
}
