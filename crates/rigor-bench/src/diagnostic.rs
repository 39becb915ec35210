//! Errors and warnings about scene files, as text for people and as JSON for programs.

use std::fmt;
use std::io::IsTerminal;
use std::sync::Arc;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use rigor_file::{Finding, SourcePosition};
use serde_json::{Value, json};

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
    let theme = if is_coloured { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_width(WIDTH);
    let mut text = String::new();
    match handler.render_report(&mut text, &Report::new(finding, severity)) {
        Ok(()) => text,
        Err(_) => format!("{}: {finding}\n", severity.word()),
    }
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

/// A finding in the form that miette renders.
#[derive(Debug)]
struct Report<'a> {
    finding: &'a Finding,
    severity: Severity,
    source: Option<(NamedSource<Arc<str>>, LabeledSpan)>,
}

impl<'a> Report<'a> {
    fn new(finding: &'a Finding, severity: Severity) -> Self {
        let placed = finding.place.zip(finding.text.as_ref());
        let source = placed.filter(|(place, text)| is_readable(text, place)).map(|(place, text)| {
            let source = NamedSource::new(finding.file.display().to_string(), Arc::clone(text));
            let len = first_line(&text[place.offset..]).len().min(place.len);
            let label = (!finding.key.is_empty()).then(|| finding.key.clone());
            (source, LabeledSpan::new(label, place.offset, len))
        });
        Self { finding, severity, source }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

/// Whether the line at `place` and its neighbours are short enough to show.
///
/// A mesh in JSON may be one line of megabytes.
fn is_readable(text: &str, place: &SourcePosition) -> bool {
    let around = text.lines().skip(place.line.saturating_sub(2)).take(3);
    around.map(str::len).max().is_some_and(|longest| longest <= MAX_LINE)
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without source lines the message must include the place. miette prints the help separately.
        if self.source.is_none() {
            return write!(f, "{}", Finding { help: None, ..self.finding.clone() });
        }
        f.write_str(&self.finding.message)
    }
}

impl std::error::Error for Report<'_> {}

impl Diagnostic for Report<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        self.finding.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|(source, _)| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (_, label) = self.source.as_ref()?;
        Some(Box::new(std::iter::once(label.clone())))
    }
}

#[cfg(test)]
mod tests {
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
    fn json_has_the_place_from_one() {
        let value = to_json(&finding("dt = -1", "-1"), Severity::Warning);
        assert_eq!((&value["line"], &value["column"]), (&json!(1), &json!(6)));
        assert_eq!((&value["severity"], &value["key"]), (&json!("warning"), &json!("time.dt")));
    }
}
