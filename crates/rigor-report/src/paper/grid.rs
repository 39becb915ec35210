//! A table: LaTeX for a paper, CSV for a program.

use std::fmt::Write;

use crate::mark::Mark;
use crate::number::significant;

/// A table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grid {
    /// What it shows.
    pub title: String,
    /// Heading of each column.
    pub heading: Vec<String>,
    /// A cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// The content of a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// What a reader sees.
    pub text: String,
    /// The number in full; `None` for words.
    pub number: Option<f64>,
    /// Its judgement: wrong is bold, slightly off is slanted.
    pub mark: Mark,
}

impl Cell {
    /// A word.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), number: None, mark: Mark::Plain }
    }

    /// A number, of which LaTeX shows three digits.
    pub fn number(number: f64) -> Self {
        Self { text: significant(number), number: Some(number), mark: Mark::Plain }
    }
}

impl Grid {
    /// Returns comma-separated values; numbers have all their digits.
    pub fn csv(&self) -> String {
        let cell = |cell: &Cell| match cell.number {
            Some(number) => number.to_string(),
            None => quoted(&cell.text),
        };
        let line = |cells: Vec<String>| cells.join(",") + "\n";
        let head = line(self.heading.iter().map(|name| quoted(name)).collect());
        std::iter::once(head)
            .chain(self.rows.iter().map(|row| line(row.iter().map(cell).collect())))
            .collect()
    }

    /// Returns a `tabular` for LaTeX with the package `booktabs`; columns of numbers are aligned to the right.
    pub fn latex(&self) -> String {
        let is_number = |k: usize| {
            let cells = || self.rows.iter().filter_map(|row| row.get(k)).filter(|cell| !cell.text.is_empty());
            cells().next().is_some() && cells().all(|cell| cell.number.is_some() || cell.text == "–")
        };
        let columns: String = (0..self.heading.len()).map(|k| if is_number(k) { 'r' } else { 'l' }).collect();
        let cell = |cell: &Cell| match cell.mark {
            Mark::Bad => format!("\\textbf{{{}}}", escaped(&cell.text)),
            Mark::Slight => format!("\\emph{{{}}}", escaped(&cell.text)),
            Mark::Plain | Mark::Good => escaped(&cell.text),
        };
        let line = |cells: Vec<String>| cells.join(" & ") + " \\\\\n";
        let mut text = format!("% {}\n% \\usepackage{{booktabs}}\n", self.title.replace('\n', " "));
        // Writing to a string cannot fail.
        let _ = write!(text, "\\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n\\toprule\n");
        text += &line(self.heading.iter().map(|name| escaped(name)).collect());
        text += "\\midrule\n";
        text.extend(self.rows.iter().map(|row| line(row.iter().map(cell).collect())));
        text + "\\bottomrule\n\\end{tabular}\n"
    }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Returns the text in LaTeX: nothing in it is a command, and signs of mathematics are in math mode.
pub fn escaped(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut k = 0;
    while let Some(letter) = letters.get(k) {
        let raised: String = letters[k..].iter().map_while(|c| lowered(*c)).collect();
        if !raised.is_empty() {
            let _ = write!(out, "$^{{{raised}}}$");
            k += raised.chars().count();
            continue;
        }
        if letters.get(k + 1) == Some(&'\u{302}') {
            let _ = write!(out, "$\\hat{{{letter}}}$");
            k += 2;
            continue;
        }
        match of_letter(*letter) {
            Some(command) => out += command,
            None => out.push(*letter),
        }
        k += 1;
    }
    out
}

/// The digit or sign of a raised one.
fn lowered(letter: char) -> Option<char> {
    const RAISED: [char; 11] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹', '⁻'];
    RAISED.iter().position(|c| *c == letter).and_then(|k| "0123456789-".chars().nth(k))
}

fn of_letter(letter: char) -> Option<&'static str> {
    Some(match letter {
        '\\' => "\\textbackslash{}",
        '{' => "\\{",
        '}' => "\\}",
        '$' => "\\$",
        '&' => "\\&",
        '#' => "\\#",
        '%' => "\\%",
        '_' => "\\_",
        '^' => "\\textasciicircum{}",
        '~' => "\\textasciitilde{}",
        '<' => "$<$",
        '>' => "$>$",
        '−' => "$-$",
        '×' => "$\\times$",
        '·' => "$\\cdot$",
        '±' => "$\\pm$",
        '≤' => "$\\leq$",
        '≥' => "$\\geq$",
        '≈' => "$\\approx$",
        '∞' => "$\\infty$",
        '–' => "--",
        '…' => "\\dots{}",
        '°' => "$^\\circ$",
        '\u{202f}' => "\\,",
        'α' => "$\\alpha$",
        'β' => "$\\beta$",
        'γ' => "$\\gamma$",
        'δ' => "$\\delta$",
        'ε' => "$\\varepsilon$",
        'θ' => "$\\theta$",
        'κ' => "$\\kappa$",
        'λ' => "$\\lambda$",
        'µ' | 'μ' => "$\\mu$",
        'ρ' => "$\\rho$",
        'τ' => "$\\tau$",
        'φ' => "$\\varphi$",
        'ω' => "$\\omega$",
        'Δ' => "$\\Delta$",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_a_command() {
        assert_eq!(escaped("50 % of a_b & {c} \\d"), "50 \\% of a\\_b \\& \\{c\\} \\textbackslash{}d");
        assert_eq!(escaped("−1.5 × 10⁻⁷ µm, d̂"), "$-$1.5 $\\times$ 10$^{-7}$ $\\mu$m, $\\hat{d}$");
    }

    #[test]
    fn numbers_are_whole_in_csv_and_short_in_latex() {
        let rows = vec![vec![Cell::text("a, b"), Cell { mark: Mark::Bad, ..Cell::number(1.0 / 3.0) }]];
        let grid = Grid { title: "T".into(), heading: vec!["x".into(), "y [%]".into()], rows };
        assert_eq!(grid.csv(), "x,y [%]\n\"a, b\",0.3333333333333333\n");
        let latex = grid.latex();
        assert!(latex.contains("{@{}lr@{}}") && latex.contains("a, b & \\textbf{0.333} \\\\\n"), "{latex}");
    }
}
