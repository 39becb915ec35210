//! A scanner for JSON (RFC 8259) that keeps the place of every value in a [`Tree`].

use std::collections::btree_map::Entry as Slot;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::error::{Finding, SceneError};
use super::tree::{Entry, MAX_DEPTH, Node, Origin, Table, Text, Tree, Value};

/// Reads a JSON document.
///
/// # Errors
/// A syntax error with its place, a duplicate key, or nesting deeper than [`MAX_DEPTH`].
pub fn read(name: &Path, text: &Arc<str>) -> Result<Tree, SceneError> {
    let mut scanner = Scanner { text, at: 0 };
    let root =
        scanner.document().map_err(|Fault { span, message }| Finding::at(name, text, span, message))?;
    Ok(Tree { texts: vec![Text { name: name.to_owned(), text: Arc::clone(text) }], root })
}

struct Fault {
    span: Range<usize>,
    message: String,
}

struct Scanner<'a> {
    text: &'a str,
    /// Offset of the next byte.
    at: usize,
}

impl Scanner<'_> {
    fn document(&mut self) -> Result<Node, Fault> {
        let root = self.value(0)?;
        self.skip_space();
        if self.at < self.text.len() {
            return self.fault("expected the end of the file after its outermost value");
        }
        Ok(root)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Consumes `byte` if it comes next.
    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn fault<T>(&self, message: &str) -> Result<T, Fault> {
        let end = if self.at < self.text.len() { self.at + 1 } else { self.at };
        let found = match self.text[self.at..].chars().next() {
            Some(c) => format!("{c:?}"),
            None => "the end of the file".to_owned(),
        };
        Err(Fault { span: self.at..end, message: format!("{message}, found {found}") })
    }

    fn value(&mut self, depth: usize) -> Result<Node, Fault> {
        self.skip_space();
        let start = self.at;
        if depth > MAX_DEPTH {
            let message = format!("arrays and objects are nested more than {MAX_DEPTH} deep");
            return Err(Fault { span: start..start, message });
        }
        let value = match self.peek() {
            Some(b'{') => Value::Table(self.object(depth)?),
            Some(b'[') => Value::Array(self.array(depth)?),
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(Node { value, origin: Origin { text: 0, span: start..self.at } })
    }

    fn word(&mut self) -> Result<Value, Fault> {
        const WORDS: [(&str, Value); 3] =
            [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)];
        for (word, value) in WORDS {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        self.fault("expected a value")
    }

    fn array(&mut self, depth: usize) -> Result<Vec<Node>, Fault> {
        let mut items = Vec::new();
        self.at += 1;
        self.skip_space();
        if self.take(b']') {
            return Ok(items);
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if self.take(b']') {
                return Ok(items);
            }
            if !self.take(b',') {
                return self.fault("expected \",\" or \"]\" after an item");
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Table, Fault> {
        let mut table = Table::new();
        self.at += 1;
        self.skip_space();
        if self.take(b'}') {
            return Ok(table);
        }
        loop {
            self.member(depth, &mut table)?;
            self.skip_space();
            if self.take(b'}') {
                return Ok(table);
            }
            if !self.take(b',') {
                return self.fault("expected \",\" or \"}\" after a member");
            }
        }
    }

    fn member(&mut self, depth: usize, table: &mut Table) -> Result<(), Fault> {
        self.skip_space();
        let start = self.at;
        if self.peek() != Some(b'"') {
            return self.fault("expected a key in quotes");
        }
        let name = self.string()?;
        let key = Origin { text: 0, span: start..self.at };
        self.skip_space();
        if !self.take(b':') {
            return self.fault("expected \":\" after the key");
        }
        let node = self.value(depth + 1)?;
        match table.entry(name) {
            Slot::Occupied(_) => Err(Fault { span: key.span, message: "duplicate key".to_owned() }),
            Slot::Vacant(slot) => {
                slot.insert(Entry { key, node });
                Ok(())
            }
        }
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        self.take(b'-');
        if self.take(b'0') {
            if matches!(self.peek(), Some(b'0'..=b'9')) {
                return self.fault("expected a number without leading zeros");
            }
        } else if self.digits() == 0 {
            return self.fault("expected a digit");
        }
        let mut whole = true;
        if self.take(b'.') {
            whole = false;
            if self.digits() == 0 {
                return self.fault("expected digits after the decimal point");
            }
        }
        if self.take(b'e') || self.take(b'E') {
            whole = false;
            let _ = self.take(b'+') || self.take(b'-');
            if self.digits() == 0 {
                return self.fault("expected digits in the exponent");
            }
        }
        let digits = &self.text[start..self.at];
        // An integer cannot keep the sign of −0.
        let integer = if whole && digits != "-0" { digits.parse().ok().map(Value::Integer) } else { None };
        let float = || digits.parse().map(Value::Float);
        integer.map_or_else(float, Ok).or_else(|_| self.fault("expected a number"))
    }

    /// Consumes digits and returns their number.
    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn string(&mut self) -> Result<String, Fault> {
        let mut read = String::new();
        self.at += 1;
        loop {
            let plain = self.text[self.at..]
                .find(|c: char| c == '"' || c == '\\' || c < ' ')
                .unwrap_or(self.text.len() - self.at);
            read.push_str(&self.text[self.at..self.at + plain]);
            self.at += plain;
            if self.take(b'"') {
                return Ok(read);
            }
            if !self.take(b'\\') {
                return self.fault("expected a closing quote");
            }
            read.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        const ESCAPES: [(u8, char); 8] = [
            (b'"', '"'),
            (b'\\', '\\'),
            (b'/', '/'),
            (b'b', '\u{8}'),
            (b'f', '\u{c}'),
            (b'n', '\n'),
            (b'r', '\r'),
            (b't', '\t'),
        ];
        if let Some((_, c)) = ESCAPES.into_iter().find(|(byte, _)| self.peek() == Some(*byte)) {
            self.at += 1;
            return Ok(c);
        }
        if !self.take(b'u') {
            return self.fault("expected one of \" \\ / b f n r t u after \\");
        }
        let unit = self.hex()?;
        let code = match unit {
            0xD800..0xDC00 if self.take(b'\\') && self.take(b'u') => {
                match self.hex()? {
                    low @ 0xDC00..0xE000 => 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00),
                    // Not a pair: the first unit alone is no character, which is rejected below.
                    _ => unit,
                }
            }
            _ => unit,
        };
        char::from_u32(code).map_or_else(|| self.fault("the preceding escape is not a valid character"), Ok)
    }

    fn hex(&mut self) -> Result<u32, Fault> {
        let digits = self.text.get(self.at..self.at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(unit) = digits.and_then(|d| u32::from_str_radix(d, 16).ok()) else {
            return self.fault("expected four hexadecimal digits");
        };
        self.at += 4;
        Ok(unit)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value as Json;

    use super::*;

    fn to_json(node: &Node) -> Json {
        match &node.value {
            Value::Null => Json::Null,
            Value::Bool(truth) => (*truth).into(),
            Value::Integer(number) => (*number).into(),
            Value::Float(number) => (*number).into(),
            Value::String(text) => text.as_str().into(),
            Value::Array(items) => items.iter().map(to_json).collect(),
            Value::Table(table) => {
                table.iter().map(|(key, entry)| (key.clone(), to_json(&entry.node))).collect()
            }
        }
    }

    fn scanned(text: &str) -> Result<Json, SceneError> {
        read(Path::new("a.json"), &text.into()).map(|tree| to_json(&tree.root))
    }

    fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
            ".{0,8}".prop_map(Json::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
                prop::collection::btree_map(".{0,6}", inner, 0..6)
                    .prop_map(|members| Json::Object(members.into_iter().collect())),
            ]
        })
    }

    /// Whether our scanner differs on purpose: a duplicate key, or a number beyond f64 or i64.
    fn is_a_known_difference(text: &str) -> bool {
        let duplicate = scanned(text).is_err_and(|error| error.message == "duplicate key");
        duplicate
            || text
                .split(|c: char| !"+-.eE0123456789".contains(c))
                .any(|word| word.len() > 17 || { word.parse().is_ok_and(|x: f64| !x.is_finite()) })
    }

    proptest! {
        #[test]
        fn what_serde_json_writes_is_read_alike(value in any_json()) {
            for text in [value.to_string(), serde_json::to_string_pretty(&value).expect("JSON can be written")] {
                prop_assert_eq!(scanned(&text).expect("JSON can be read"), value.clone());
            }
        }

        #[test]
        fn a_missing_character_is_missed_alike(value in any_json(), at: prop::sample::Index) {
            let mut text: Vec<char> = value.to_string().chars().collect();
            text.remove(at.index(text.len()));
            let text: String = text.into_iter().collect();
            match (serde_json::from_str::<Json>(&text), scanned(&text)) {
                (Ok(expected), Ok(found)) => prop_assert_eq!(found, expected),
                (Err(_), Err(_)) => {}
                _ => prop_assert!(is_a_known_difference(&text), "{}", text),
            }
        }

        #[test]
        fn what_serde_json_refuses_is_refused(text in "[\\[\\]{}\":,\\\\u0-9dDeEn.+tfalsr -]{0,12}") {
            let expected: Result<Json, _> = serde_json::from_str(&text);
            match (expected, scanned(&text)) {
                (Ok(expected), Ok(found)) => prop_assert_eq!(found, expected),
                (Err(_), Err(_)) => {}
                _ => prop_assert!(is_a_known_difference(&text), "{}", text),
            }
        }
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "{ \"a\": [1, \"µ\", -2.5e1] }".into();
        let tree = read(Path::new("a.json"), &text).expect("the text is JSON");
        let items = tree.root.get("a").and_then(Node::items).expect("a is an array");
        let shown: Vec<_> = items.iter().map(|item| &text[item.origin.span.clone()]).collect();
        assert_eq!(shown, ["1", "\"µ\"", "-2.5e1"]);
    }

    #[test]
    fn the_sign_of_zero_is_kept() {
        let expected: Json = serde_json::from_str("-0").expect("-0 is a number");
        assert_eq!(scanned("-0").expect("-0 is a number"), expected);
        assert!(expected.as_f64().is_some_and(f64::is_sign_negative));
    }

    #[test]
    fn lone_surrogates_are_no_characters() {
        for text in [
            r#""\ud800""#,
            r#""\ud800\u0041""#,
            r#""\udc00""#,
            r#""\ud800x""#,
            r#""\ud800\ud800""#,
            r#""\ud800\ue000""#,
            r#""\udbff\uffff""#,
        ] {
            assert!(scanned(text).is_err() && serde_json::from_str::<Json>(text).is_err(), "{text}");
        }
    }
}
