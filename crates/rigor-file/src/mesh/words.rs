//! The words of a text file, each with its line.

use super::Fault;

/// A word with its line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Word<'a> {
    /// The word.
    pub text: &'a str,
    /// Its line in the file, from 1.
    pub line: usize,
    /// Its line number after joining lines that end in `\` with the next.
    row: usize,
}

impl<'a> Word<'a> {
    /// Returns the word as a finite number, correctly rounded to f64.
    pub fn real(self) -> Result<f64, Fault> {
        match self.text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.unexpected("a finite number")),
        }
    }

    /// Returns the word as an integer.
    pub fn integer(self) -> Result<i64, Fault> {
        self.text.parse().map_err(|_| self.unexpected("a whole number"))
    }

    /// Returns the word as a count.
    pub fn count(self) -> Result<usize, Fault> {
        self.text.parse().map_err(|_| self.unexpected("a count"))
    }

    /// Whether the word is `keyword`, ignoring case.
    pub fn is(self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword)
    }

    /// Creates the error that `expected` was expected, but this word was found.
    pub fn unexpected(self, expected: &str) -> Fault {
        Fault::at_line(self.line, format!("expected {expected}, found `{}`", clipped(self.text)))
    }
}

/// Returns at most the first 40 characters, so that messages stay readable whatever the file contains.
pub(super) fn clipped(text: &str) -> String {
    let mut clipped: String = text.chars().take(40).collect();
    if clipped.len() < text.len() {
        clipped.push('…');
    }
    clipped
}

/// Reads a text word by word; `#` starts a comment to the end of the line.
#[derive(Debug, Clone)]
pub(super) struct Words<'a> {
    rest: &'a str,
    line: usize,
    row: usize,
}

impl<'a> Words<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1, row: 1 }
    }

    /// Returns the next word in the row of `word`, if there is one.
    pub fn next_beside(&mut self, word: Word<'a>) -> Option<Word<'a>> {
        self.skip_space();
        if self.row == word.row { self.next() } else { None }
    }

    /// Returns all remaining words in the row of `word`.
    pub fn rest_of_row(&mut self, word: Word<'a>) -> Vec<Word<'a>> {
        std::iter::from_fn(|| self.next_beside(word)).collect()
    }

    /// Skips the remaining words in the row of `word`.
    pub fn skip_row(&mut self, word: Word<'a>) {
        if self.row == word.row {
            self.skip_line();
        }
    }

    /// Whether `word`, which comes next, is the only one in its row.
    pub fn is_alone(&self, word: Word<'a>) -> bool {
        let mut after = self.clone();
        after.next().is_some_and(|next| next == word) && after.next_beside(word).is_none()
    }

    /// Returns the next word; `expected` describes it in the error at the end of the file.
    pub fn expect(&mut self, expected: &str) -> Result<Word<'a>, Fault> {
        self.next().ok_or_else(|| self.ended(expected))
    }

    /// Returns the next word, which must be `keyword`.
    pub fn expect_keyword(&mut self, keyword: &str) -> Result<Word<'a>, Fault> {
        let expected = format!("`{keyword}`");
        let word = self.expect(&expected)?;
        if word.is(keyword) { Ok(word) } else { Err(word.unexpected(&expected)) }
    }

    /// Creates the error that the file ended where `expected` was expected.
    pub fn ended(&self, expected: &str) -> Fault {
        Fault::at_line(self.line, format!("expected {expected}, but the file ends here"))
    }

    fn skip_line(&mut self) {
        self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]);
    }

    fn skip_space(&mut self) {
        loop {
            let trimmed = self.rest.trim_start_matches(|c: char| c.is_whitespace() && c != '\n');
            self.rest = trimmed;
            if let Some(after) = trimmed.strip_prefix('\n') {
                self.rest = after;
                self.line += 1;
                self.row += 1;
            } else if let Some(after) =
                trimmed.strip_prefix("\\\n").or_else(|| trimmed.strip_prefix("\\\r\n"))
            {
                self.rest = after;
                self.line += 1;
            } else if trimmed.starts_with('#') {
                self.skip_line();
            } else {
                return;
            }
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        self.skip_space();
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!text.is_empty()).then_some(Word { text, line: self.line, row: self.row })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_line_and_row() {
        let found: Vec<_> =
            Words::new("a b # c\n\n d \\\r\n e\nf").map(|w| (w.text, w.line, w.row)).collect();
        assert_eq!(found, [("a", 1, 1), ("b", 1, 1), ("d", 3, 3), ("e", 4, 3), ("f", 5, 4)]);
    }

    #[test]
    fn a_row_ends_where_its_line_ends() {
        let mut words = Words::new("solid any name # at all\nfacet");
        let solid = words.next().unwrap();
        words.skip_row(solid);
        assert_eq!(words.next().unwrap().text, "facet");
        assert_eq!(words.next(), None);
    }

    #[test]
    fn numbers_are_read_to_the_last_bit_and_must_be_finite() {
        let real = |text| Word { text, line: 7, row: 7 }.real();
        assert_eq!(real("0.1000000000000000055511151231257827").unwrap(), 0.1);
        for text in ["nan", "inf", "1e999", "1,5", ""] {
            let fault = real(text).unwrap_err().to_string();
            assert!(fault.contains("line 7: expected a finite number"), "{fault}");
        }
    }
}
