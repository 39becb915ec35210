//! Tables on a terminal and off it: numbers and words are never broken.

use std::fmt;
use std::io::IsTerminal;

use clap::ValueEnum;
use rigor_study::results;
use serde_json::Value;
use terminal_size::{Width, terminal_size_of};
use unicode_width::UnicodeWidthStr;

/// Space between columns.
const GAP: usize = 2;
/// Maximum number of lines of a row; a table that needs more is stacked.
const MAX_LINES: usize = 4;

/// The form of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// Columns that fit the terminal; off a terminal columns without wrapping.
    #[default]
    Text,
    /// Comma-separated values.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// JSON.
    Json,
}

/// A table: a heading, and rows of as many cells. Columns of numbers stand to the right.
#[derive(Debug, Clone, Default)]
pub struct Table {
    heading: Vec<String>,
    rows: Vec<Vec<String>>,
    is_grouped: bool,
}

/// An empty table with this heading.
pub fn headed<S: Into<String>>(heading: impl IntoIterator<Item = S>) -> Table {
    Table { heading: heading.into_iter().map(Into::into).collect(), ..Table::default() }
}

/// An empty table without a heading.
pub fn plain() -> Table {
    Table::default()
}

impl Table {
    /// Adds a row.
    pub fn add_row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let one_line = |cell: S| read_back(&cell.into().replace('\n', " "));
        self.rows.push(cells.into_iter().map(one_line).collect());
    }

    /// Makes the first column a line above the rows that share its cell, where the terminal is too narrow for all columns.
    #[must_use]
    pub fn grouped(self) -> Self {
        Self { is_grouped: true, ..self }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Formats the table for a terminal of `width` columns, or, with `None`, for what is no terminal: one line per row.
    pub fn text(&self, width: Option<usize>) -> String {
        let Some(width) = width else { return self.lines(&self.natural(), None) };
        if let Some(k) =
            (0..self.n_columns()).find(|k| self.column(*k).all(str::is_empty)).filter(|_| !self.is_empty())
        {
            return self.without(k).text(Some(width));
        }
        let fits = |widths: &[usize]| total(widths) <= width;
        if fits(&self.natural()) {
            return self.lines(&self.natural(), Some(width));
        }
        if self.is_grouped {
            return self.in_groups(width);
        }
        match self.narrowed(width) {
            Some(widths) if self.most_lines(&widths) <= MAX_LINES => self.lines(&widths, Some(width)),
            _ => self.stacked(width),
        }
    }

    /// Formats heading and rows in a form for programs; `None` for [`Format::Text`], which is for people.
    pub fn written(&self, format: Format) -> Option<String> {
        let lines = || std::iter::once(&self.heading).filter(|cells| !cells.is_empty()).chain(&self.rows);
        match format {
            Format::Text => None,
            Format::Csv => Some(results::text(&self.heading, self.rows.iter().cloned())),
            Format::Tsv => {
                let line = |cells: &Vec<String>| {
                    cells.iter().map(|cell| cell.replace('\t', " ")).collect::<Vec<_>>().join("\t") + "\n"
                };
                Some(lines().map(line).collect())
            }
            Format::Json => {
                let key = |k: usize| self.title(k).to_owned();
                let row = |cells: &Vec<String>| -> Value {
                    cells.iter().enumerate().map(|(k, cell)| (key(k), Value::from(cell.as_str()))).collect()
                };
                let all: Vec<Value> = self.rows.iter().map(row).collect();
                Some(format!("{:#}\n", Value::from(all)))
            }
        }
    }

    /// The table without a column.
    fn without(&self, k: usize) -> Self {
        let rest = |cells: &[String]| -> Vec<String> {
            cells.iter().enumerate().filter(|(i, _)| *i != k).map(|(_, cell)| cell.clone()).collect()
        };
        Self { heading: rest(&self.heading), rows: self.rows.iter().map(|row| rest(row)).collect(), ..*self }
    }

    fn n_columns(&self) -> usize {
        self.rows.iter().map(Vec::len).chain([self.heading.len()]).max().unwrap_or(0)
    }

    /// The cells of a column, without its heading.
    fn column(&self, k: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(move |row| row.get(k).map(String::as_str))
    }

    fn title(&self, k: usize) -> &str {
        self.heading.get(k).map_or("", String::as_str)
    }

    /// The widths of columns without wrapping.
    fn natural(&self) -> Vec<usize> {
        let widest = |k: usize| self.column(k).chain([self.title(k)]).map(UnicodeWidthStr::width).max();
        (0..self.n_columns()).map(|k| widest(k).unwrap_or(0)).collect()
    }

    /// Whether a column has numbers only, which are not wrapped.
    fn is_numeric(&self, k: usize) -> bool {
        let is_number = |cell: &str| {
            let start = cell.trim_start_matches(['-', '−', '+', '.', '<', '≈']);
            cell == "–" || start.starts_with(|c: char| c.is_ascii_digit()) && !cell.contains(' ')
        };
        k > 0
            && self.column(k).all(|cell| cell.is_empty() || is_number(cell))
            && self.column(k).any(|cell| cell.contains(|c: char| c.is_ascii_digit()))
    }

    /// Widths that fit into `width` and break no word and no number; `None` if there are none.
    fn narrowed(&self, width: usize) -> Option<Vec<usize>> {
        let natural = self.natural();
        let least = |k: usize| {
            let cells =
                self.column(k).map(|cell| if self.is_numeric(k) { cell.width() } else { longest_word(cell) });
            cells.chain([longest_word(self.title(k))]).max().unwrap_or(0)
        };
        let mut widths: Vec<usize> = (0..natural.len()).map(least).collect();
        let mut free = width.checked_sub(total(&widths))?;
        while free > 0 {
            let missing = |k: &usize| natural[*k] - widths[*k];
            let Some(k) = (0..widths.len()).max_by_key(missing).filter(|k| missing(k) > 0) else { break };
            widths[k] += 1;
            free -= 1;
        }
        Some(widths)
    }

    /// The largest number of lines of a row.
    fn most_lines(&self, widths: &[usize]) -> usize {
        let cells =
            |row: &Vec<String>| row.iter().zip(widths).map(|(cell, width)| wrapped(cell, *width).len()).max();
        self.rows.iter().filter_map(cells).max().unwrap_or(1)
    }

    /// Columns of these widths, on a terminal with a line below the heading.
    fn lines(&self, widths: &[usize], terminal: Option<usize>) -> String {
        let mut text = String::new();
        if !self.heading.is_empty() {
            text += &self.row(&self.heading, widths);
            if terminal.is_some() {
                text += &"─".repeat(total(widths));
                text.push('\n');
            }
        }
        self.rows.iter().for_each(|row| text += &self.row(row, widths));
        text
    }

    fn row(&self, cells: &[String], widths: &[usize]) -> String {
        let columns: Vec<Vec<String>> =
            cells.iter().zip(widths).map(|(cell, width)| wrapped(cell, *width)).collect();
        let n_lines = columns.iter().map(Vec::len).max().unwrap_or(0);
        let mut text = String::new();
        for i in 0..n_lines {
            let mut line = String::new();
            for (k, (column, width)) in columns.iter().zip(widths).enumerate() {
                let part = column.get(i).map_or("", String::as_str);
                let pad = " ".repeat(width.saturating_sub(part.width()));
                line += &if self.is_numeric(k) { format!("{pad}{part}") } else { format!("{part}{pad}") };
                line += &" ".repeat(GAP);
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }

    /// The first column as a line above its rows, which are a table of the others.
    fn in_groups(&self, width: usize) -> String {
        const INDENT: usize = 2;
        let rest = |row: &[String]| row.get(1..).unwrap_or_default().to_vec();
        let inner = Self {
            heading: rest(&self.heading),
            rows: self.rows.iter().map(|row| rest(row)).collect(),
            is_grouped: false,
        };
        let narrow = width.saturating_sub(INDENT);
        let widths =
            Some(inner.natural()).filter(|widths| total(widths) <= narrow).or_else(|| inner.narrowed(narrow));
        let Some(widths) = widths.filter(|widths| inner.most_lines(widths) <= MAX_LINES) else {
            return self.stacked(width);
        };
        let indented =
            |text: String| text.lines().map(|line| format!("{:INDENT$}{line}\n", "")).collect::<String>();
        let mut text = indented(inner.row(&inner.heading, &widths));
        text += &"─".repeat(INDENT + total(&widths));
        text.push('\n');
        let mut group = None;
        for (row, cells) in self.rows.iter().zip(&inner.rows) {
            if group != row.first() {
                group = row.first();
                text += &wrapped(group.map_or("", String::as_str), width).join("\n");
                text.push('\n');
            }
            text += &indented(inner.row(cells, &widths));
        }
        text
    }

    /// Each row as its first cell and, below, `heading: cell` of the others.
    fn stacked(&self, width: usize) -> String {
        const INDENT: usize = 2;
        let mut text = String::new();
        for row in &self.rows {
            let mut cells = row.iter().enumerate();
            if let Some((_, first)) = cells.next() {
                text += &wrapped(first, width).join("\n");
                text.push('\n');
            }
            let mut line = String::new();
            for (k, cell) in cells.filter(|(_, cell)| !cell.is_empty()) {
                let title = self.title(k);
                let field = if title.is_empty() { cell.clone() } else { format!("{title}: {cell}") };
                if !line.is_empty() && 2 * INDENT + line.width() + 2 + field.width() <= width {
                    line += "; ";
                    line += &field;
                    continue;
                }
                text += &indented(&line, width, INDENT);
                line = field;
            }
            text += &indented(&line, width, INDENT);
        }
        text
    }
}

/// The text with numbers such as `2.1 × 10⁻¹¹` as `2.1e-11`, one word that programs read.
fn read_back(text: &str) -> String {
    const DIGITS: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let mut parts = text.split(" × 10");
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_exponent = |c: &char| *c == '⁻' || DIGITS.contains(*c);
        let exponent: String = part.chars().take_while(is_exponent).collect();
        let digit = |c: char| DIGITS.chars().position(|d| d == c).map_or("-".to_owned(), |n| n.to_string());
        written += if exponent.is_empty() { " × 10" } else { "e" };
        written.extend(exponent.chars().map(digit));
        written += &part[exponent.len()..];
    }
    written
}

impl fmt::Display for Table {
    /// Writes the table for standard output, without a line feed at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(terminal_width()).trim_end_matches('\n'))
    }
}

/// The number of columns of the terminal that standard output is; `None` where it is none.
pub fn terminal_width() -> Option<usize> {
    let out = std::io::stdout();
    let width = terminal_size_of(&out).map(|(Width(columns), _)| usize::from(columns));
    out.is_terminal().then(|| width.filter(|columns| *columns > 0).unwrap_or(80))
}

fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

fn longest_word(text: &str) -> usize {
    text.split(' ').map(UnicodeWidthStr::width).max().unwrap_or(0)
}

/// Lines of whole words; a word longer than `width` stays whole.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    if text.width() <= width {
        return vec![text.to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Wrapped lines, the first indented by `indent` and the others by twice as much; nothing for no text.
fn indented(text: &str, width: usize, indent: usize) -> String {
    let lines = wrapped(text, width.saturating_sub(2 * indent)).into_iter().filter(|line| !line.is_empty());
    let line = |(k, line): (usize, String)| {
        format!("{}{line}\n", " ".repeat(if k == 0 { indent } else { 2 * indent }))
    };
    lines.enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table as a comparison prints it.
    fn comparison() -> Table {
        let mut table = headed([
            "scene",
            "run",
            "outcome",
            "frames hit",
            "deepest, mm",
            "energy gain, %",
            "ms/step",
            "expected",
        ])
        .grouped();
        for scene in ["unit-tests/5-cubes", "erleben/wedge-in-crack"] {
            table.add_row([scene, "ipc", "completed", "0", "0", "1.3 × 10⁻¹²", "28", "3 hold"]);
            table.add_row([
                scene,
                "xpbd, Δt 0.01 s",
                "completed",
                "101",
                "0.503",
                "0.0211",
                "1.09",
                "2 hold, 1 FAIL",
            ]);
            let why = "stopped: box: its velocity is not finite";
            table.add_row([scene, "rapier", why, "7", "49.7", "-4.4430e-1", "0.33", "–"]);
        }
        table
    }

    const WIDTHS: [usize; 6] = [40, 60, 80, 100, 120, 200];

    #[test]
    fn numbers_and_words_are_whole_and_lines_fit_at_every_width() {
        let table = comparison();
        for width in WIDTHS {
            let text = table.text(Some(width));
            let words: Vec<&str> = text.split_whitespace().collect();
            for cell in table.rows.iter().flatten() {
                for word in cell.split(' ') {
                    let is_whole = |found: &&str| found.trim_end_matches(';') == word;
                    assert!(words.iter().any(is_whole), "{width}: {word} is broken:\n{text}");
                }
            }
            assert_eq!(text.matches("1.3e-12").count(), 2, "{width}: a number is broken:\n{text}");
            let widest = text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0);
            assert!(widest <= width, "{width}: a line of {widest}:\n{text}");
            assert!(
                text.lines().filter(|line| line.contains('─')).count() <= 1,
                "no line between rows:\n{text}"
            );
        }
    }

    #[test]
    fn a_wide_terminal_has_one_line_per_row_and_a_pipe_always() {
        let table = comparison();
        assert_eq!(table.text(Some(200)).lines().count(), 2 + 6);
        let piped = table.text(None);
        assert_eq!(piped.lines().count(), 1 + 6);
        assert!(piped.lines().skip(1).all(|line| line.contains('/')), "each line names its scene:\n{piped}");
        assert!(piped.contains("-4.4430e-1") && !piped.contains('─'), "{piped}");
    }

    /// The first command of the README on a terminal of the usual width.
    #[test]
    fn a_comparison_has_columns_on_a_terminal_of_80() {
        let heading =
            ["scene", "run", "outcome", "frames hit", "passes", "deepest, mm", "energy gain, %", "ms/step"];
        let mut table = headed(heading.into_iter().chain(["expected"])).grouped();
        for (run, deepest, expected) in
            [("xpbd", "2.11 × 10⁻¹¹", "4 hold"), ("rapier", "49", "1 of 6, no claim")]
        {
            let cells =
                ["unit-tests/5-cubes", run, "completed", "937", "0", deepest, "4.95 × 10⁻¹⁴", "0.183"];
            table.add_row(cells.into_iter().chain([expected]));
        }
        let text = table.text(Some(80));
        assert!(text.lines().all(|line| line.width() <= 80) && !text.contains("run: "), "{text}");
        let xpbd: Vec<&str> =
            text.lines().find(|line| line.contains("xpbd")).expect("a row").split_whitespace().collect();
        assert_eq!(
            xpbd,
            ["xpbd", "completed", "937", "0", "2.11e-11", "4.95e-14", "0.183", "4", "hold"],
            "{text}"
        );
    }

    #[test]
    fn powers_of_ten_are_numbers_that_programs_read() {
        assert_eq!(read_back("7.33 × 10⁻⁴ 2 × 10²³ J"), "7.33e-4 2e23 J");
        assert_eq!(read_back("3 × 10 m, 2 × 3"), "3 × 10 m, 2 × 3");
    }

    #[test]
    fn words_longer_than_the_terminal_stay_whole() {
        let mut table = headed(["figure", "where"]);
        table.add_row(["intersection.first_time", "a-body-with-a-long-name – another-body-with-a-long-name"]);
        let text = table.text(Some(12));
        assert!(
            text.contains("a-body-with-a-long-name") && text.contains("intersection.first_time"),
            "{text}"
        );
    }

    #[test]
    fn cells_with_separators_are_quoted() {
        let mut table = headed(["run", "why"]);
        table.add_row(["a,b", "he said \"no\""]);
        assert_eq!(table.written(Format::Csv).as_deref(), Some("run,why\n\"a,b\",\"he said \"\"no\"\"\"\n"));
        assert_eq!(table.written(Format::Tsv).as_deref(), Some("run\twhy\na,b\the said \"no\"\n"));
        let json: Value = serde_json::from_str(&table.written(Format::Json).expect("JSON")).expect("JSON");
        assert_eq!(json[0]["why"], "he said \"no\"");
        assert_eq!(table.written(Format::Text), None);
    }
}
