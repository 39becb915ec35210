//! Tables on a terminal.

use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};

/// Maximum width of a table, in characters.
pub const WIDTH: u16 = 80;

/// An empty table with lines between rows that wraps its cells to [`WIDTH`], except those of the first column, which are names.
pub fn ruled<const N: usize>(heading: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_header(heading);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    keep_names(&mut table);
    table
}

/// Keeps the cells of the first column whole.
pub fn keep_names(table: &mut Table) {
    if let Some(names) = table.column_mut(0) {
        names.set_constraint(ColumnConstraint::ContentWidth);
    }
}

/// An empty table without lines that wraps its cells to [`WIDTH`].
pub fn plain() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    table
}

/// Breaks a name after a slash where it is longer than `width`, so that a table wraps it there.
pub fn broken(name: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for part in name.split_inclusive('/') {
        let last = lines.last_mut().expect("never empty");
        if !last.is_empty() && last.chars().count() + part.chars().count() > width {
            lines.push(part.to_owned());
        } else {
            last.push_str(part);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn width(text: &str) -> usize {
        text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
    }

    #[test]
    fn long_cells_are_wrapped_to_the_width() {
        let words = "a claim of many words ".repeat(20);
        let mut table = ruled(["figure", "claim", "why", "scene"]);
        table.add_row(["13", &words, &words, &broken("ferguson2021/13-turntable-mu-0.5", 20)]);
        let text = table.to_string();
        assert!(width(&text) <= usize::from(WIDTH), "{}\n{text}", width(&text));
        assert_eq!(text.matches("ferguson2021/").count(), 1);
    }

    #[test]
    fn names_break_after_a_slash_only_where_they_are_long() {
        assert_eq!(broken("bouncing/ball", 20), "bouncing/ball");
        assert_eq!(broken("ferguson2021/13-turntable", 20), "ferguson2021/\n13-turntable");
    }
}
