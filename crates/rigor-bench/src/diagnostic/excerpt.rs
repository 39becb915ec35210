//! The line of a file that a finding is about, with its neighbours and a mark below.
//!
//! ```text
//!     ╭─[one-cube.toml:23:1]
//!  22 │ rotation_deg = [20, 0, 35]
//!  23 │ velocty = [1.0, 0, 0]
//!     · ───┬───
//!     ·    ╰── body[1].velocty
//!     ╰────
//! ```

use rigor_file::{Finding, SourcePosition};

use super::paint::{Colour, Paint};

/// A tab is shown as this many spaces.
const TAB: &str = "    ";

/// Returns the lines of the excerpt at `place` of `text`, which is the content of the file.
pub fn lines(finding: &Finding, place: &SourcePosition, text: &str, paint: &Paint) -> Vec<String> {
    let first = place.line.saturating_sub(1).max(1);
    let width = (place.line + 1).to_string().len();
    let gutter = |number: &str| paint.with(Colour::Dim, &format!(" {number:>width$}"));
    let name = format!("{}:{}:{}", finding.file.display(), place.line, place.column);
    let mut lines = vec![format!("{} ╭─[{}]", gutter(""), paint.with(Colour::Cyan, &name))];
    let numbered = text.lines().enumerate().map(|(i, line)| (i + 1, line));
    for (number, line) in numbered.skip(first - 1).take_while(|(number, _)| *number <= place.line + 1) {
        lines.push(format!("{} │ {}", gutter(&number.to_string()), shown(line)).trim_end().to_owned());
        if number == place.line {
            let marks = marks(&finding.key, place, text);
            lines.extend(marks.iter().map(|(space, mark)| {
                format!("{} · {}{}", gutter(""), " ".repeat(*space), paint.with(Colour::Magenta, mark))
            }));
        }
    }
    lines.push(format!("{} ╰────", gutter("")));
    lines
}

/// The mark below the place, and the key below its middle: number of spaces in front, and text.
fn marks(key: &str, place: &SourcePosition, text: &str) -> Vec<(usize, String)> {
    let (before, after) = text.split_at_checked(place.offset).unwrap_or((text, ""));
    let space = columns(before.rsplit('\n').next().unwrap_or(""));
    let rest = after.lines().next().unwrap_or("");
    let marked = rest.get(..place.len.min(rest.len())).unwrap_or(rest);
    let length = columns(marked).max(1);
    if key.is_empty() {
        return vec![(space, "─".repeat(length))];
    }
    let middle = length / 2;
    let line = format!("{}┬{}", "─".repeat(middle), "─".repeat(length - middle - 1));
    vec![(space, line), (space + middle, format!("╰── {key}"))]
}

fn shown(line: &str) -> String {
    line.replace('\t', TAB)
}

/// Number of columns of a text on a terminal, where no character is wide.
fn columns(text: &str) -> usize {
    shown(text).chars().count()
}
