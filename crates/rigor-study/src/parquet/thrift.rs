//! The compact protocol of Thrift, which Parquet uses for its headers: as much of it as a writer of tables needs.
//!
//! Source: Apache Thrift, `doc/specs/thrift-compact-protocol.md`. Integers are varints after the zigzag map, a field starts with
//! the difference to the number of the field before, and a structure ends with a zero byte.

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// The bytes of one structure, field by field in ascending order of their numbers.
#[derive(Debug, Default)]
pub struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    /// Adds a field of 32 bits.
    pub fn i32(mut self, number: u8, value: i32) -> Self {
        self.start(number, I32);
        varint(&mut self.bytes, zigzag(value.into()));
        self
    }

    /// Adds a field of 64 bits.
    pub fn i64(mut self, number: u8, value: i64) -> Self {
        self.start(number, I64);
        varint(&mut self.bytes, zigzag(value));
        self
    }

    /// Adds a text.
    pub fn text(mut self, number: u8, value: &str) -> Self {
        self.start(number, BINARY);
        text(&mut self.bytes, value);
        self
    }

    /// Adds a structure.
    pub fn field(mut self, number: u8, value: Self) -> Self {
        self.start(number, STRUCT);
        self.bytes.extend(value.finish());
        self
    }

    /// Adds a list of structures.
    pub fn list(mut self, number: u8, values: impl ExactSizeIterator<Item = Self>) -> Self {
        self.start_list(number, STRUCT, values.len());
        for value in values {
            self.bytes.extend(value.finish());
        }
        self
    }

    /// Adds a list of integers of 32 bits.
    pub fn list_i32(mut self, number: u8, values: &[i32]) -> Self {
        self.start_list(number, I32, values.len());
        for value in values {
            varint(&mut self.bytes, zigzag((*value).into()));
        }
        self
    }

    /// Adds a list of texts.
    pub fn list_text(mut self, number: u8, values: &[&str]) -> Self {
        self.start_list(number, BINARY, values.len());
        for value in values {
            text(&mut self.bytes, value);
        }
        self
    }

    /// The bytes, with the mark of the end.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    fn start(&mut self, number: u8, kind: u8) {
        self.bytes.push((number - self.last) << 4 | kind);
        self.last = number;
    }

    fn start_list(&mut self, number: u8, kind: u8, len: usize) {
        self.start(number, LIST);
        if len < 15 {
            self.bytes.push((len as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint(&mut self.bytes, len as u64);
        }
    }
}

/// Appends 7 bits per byte, the lowest first; the highest bit says that more follow.
pub fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// 0, −1, 1, −2, … to 0, 1, 2, 3, …
fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn text(bytes: &mut Vec<u8>, value: &str) {
    varint(bytes, value.len() as u64);
    bytes.extend(value.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_those_of_the_specification() {
        let bytes = |value| {
            let mut bytes = Vec::new();
            varint(&mut bytes, value);
            bytes
        };
        assert_eq!(
            [bytes(zigzag(-1)), bytes(zigzag(1)), bytes(50_399)],
            [vec![1], vec![2], vec![0xdf, 0x89, 0x03]]
        );
        assert_eq!(zigzag(i64::MIN), u64::MAX);
    }
}
