//! Arrays in the NPY format of NumPy: the header that is written and the numbers and words that are read.
//!
//! Source: NumPy documentation, `numpy.lib.format`, versions 1.0 to 3.0. A file is a magic string, a version, the length of the
//! header, the header (a Python dictionary with the type, the order and the shape), and the items.

/// Bytes in front of the length of the header: the magic string and the version.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Header and items fill a multiple of this many bytes each, as NumPy aligns them.
const ALIGNMENT: usize = 64;

/// A file that is no array of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NpyError {
    /// The magic string is missing.
    #[error("it does not begin with the magic string of NPY")]
    Magic,
    /// A version of the format that is not known.
    #[error("it has version {version} of NPY, expected 1, 2 or 3")]
    Version {
        /// The major version.
        version: u8,
    },
    /// The file ends early.
    #[error("it has {found} bytes, expected {expected}")]
    Short {
        /// Size found (bytes).
        found: usize,
        /// Size that the header asks for (bytes).
        expected: usize,
    },
    /// The header does not have an entry, or not in the expected form.
    #[error("its header has no valid {entry:?}: {header}")]
    Header {
        /// The entry.
        entry: &'static str,
        /// The header.
        header: String,
    },
    /// Items in the order of Fortran.
    #[error("it is in Fortran order; save numpy.ascontiguousarray of it")]
    Fortran,
    /// Items of another type.
    #[error("its type is {found}, expected {expected}")]
    Type {
        /// The type found.
        found: String,
        /// The types expected.
        expected: &'static str,
    },
}

/// Returns what stands before the items of an array in C order, version 1.0.
///
/// `descr` is the type, such as `<f8`. A shape of a few numbers and a short type never fill the 65 535 bytes of version 1.0.
pub fn head(descr: &str, shape: &[u64]) -> Vec<u8> {
    let mut lengths = shape.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    if shape.len() == 1 {
        lengths.push(',');
    }
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({lengths}), }}");
    // Two numbers for the version, two for the length, and a line feed at the end.
    let before = MAGIC.len() + 4;
    let filled = (before + text.len() + 1).next_multiple_of(ALIGNMENT);
    text.push_str(&" ".repeat(filled - before - text.len() - 1));
    text.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

/// Returns an array of one dimension of text, of the type `<U` of the longest item.
pub fn words<'a>(items: impl Iterator<Item = &'a str> + Clone) -> Vec<u8> {
    let width = items.clone().map(|item| item.chars().count()).max().unwrap_or(0).max(1);
    let mut bytes = head(&format!("<U{width}"), &[items.clone().count() as u64]);
    for item in items {
        let padding = std::iter::repeat_n('\0', width - item.chars().count());
        bytes.extend(item.chars().chain(padding).flat_map(|c| u32::from(c).to_le_bytes()));
    }
    bytes
}

/// Reads an array of real numbers or integers, of any length of number and order of bytes.
///
/// # Errors
/// [`NpyError`] if the file is none, ends early, is in Fortran order, or has items that are no numbers.
pub fn read_numbers(file: &[u8]) -> Result<Vec<f64>, NpyError> {
    let array = Array::open(file)?;
    let wrong =
        || NpyError::Type { found: array.descr.to_owned(), expected: "float or integer of at most 8 bytes" };
    let (order, kind) = array.descr.split_at_checked(1).ok_or_else(wrong)?;
    let is_big = order == ">";
    match kind {
        "f8" => array.items(is_big, f64::from_le_bytes),
        "f4" => array.items(is_big, |item| f32::from_le_bytes(item).into()),
        "i8" => array.items(is_big, |item| i64::from_le_bytes(item) as f64),
        "i4" => array.items(is_big, |item| i32::from_le_bytes(item).into()),
        "i2" => array.items(is_big, |item| i16::from_le_bytes(item).into()),
        "i1" => array.items(is_big, |item| i8::from_le_bytes(item).into()),
        "u8" => array.items(is_big, |item| u64::from_le_bytes(item) as f64),
        "u4" => array.items(is_big, |item| u32::from_le_bytes(item).into()),
        "u2" => array.items(is_big, |item| u16::from_le_bytes(item).into()),
        "u1" => array.items(is_big, |item| u8::from_le_bytes(item).into()),
        _ => Err(wrong()),
    }
}

/// Reads an array of text of fixed width, four bytes per character.
///
/// # Errors
/// [`NpyError`] if the file is none, ends early, is in Fortran order, or has items that are no text.
pub fn read_words(file: &[u8]) -> Result<Vec<String>, NpyError> {
    let array = Array::open(file)?;
    let wrong = || NpyError::Type { found: array.descr.to_owned(), expected: "text (<U)" };
    let width = array.descr.strip_prefix("<U").and_then(|digits| digits.parse::<usize>().ok());
    let size = width.filter(|width| *width > 0).and_then(|width| width.checked_mul(4)).ok_or_else(wrong)?;
    let word = |item: &[u8]| {
        let codes = item.as_chunks::<4>().0.iter().map(|code| u32::from_le_bytes(*code));
        codes.take_while(|code| *code != 0).filter_map(char::from_u32).collect()
    };
    Ok(array.content(size)?.chunks_exact(size).map(word).collect())
}

/// An array whose header has been read.
struct Array<'a> {
    descr: &'a str,
    /// Number of items.
    len: usize,
    /// The items, and what may follow them.
    rest: &'a [u8],
}

impl<'a> Array<'a> {
    fn open(file: &'a [u8]) -> Result<Self, NpyError> {
        let rest = file.strip_prefix(MAGIC).ok_or(NpyError::Magic)?;
        let short = |expected| NpyError::Short { found: file.len(), expected };
        let (&[version, _], rest) = rest.split_first_chunk::<2>().ok_or_else(|| short(MAGIC.len() + 2))?;
        // Version 1 gives the length of the header in two bytes, the others in four.
        let (len, rest) = match version {
            1 => rest.split_first_chunk().map(|(len, rest)| (u16::from_le_bytes(*len) as usize, rest)),
            2 | 3 => rest.split_first_chunk().map(|(len, rest)| (u32::from_le_bytes(*len) as usize, rest)),
            _ => return Err(NpyError::Version { version }),
        }
        .ok_or_else(|| short(MAGIC.len() + if version == 1 { 4 } else { 6 }))?;
        let expected = (file.len() - rest.len()).saturating_add(len);
        let (header, rest) = rest.split_at_checked(len).ok_or_else(|| short(expected))?;
        let header = Header(header);
        if header.flag("fortran_order")? {
            return Err(NpyError::Fortran);
        }
        Ok(Self { descr: header.text("descr")?, len: header.product("shape")?, rest })
    }

    /// The bytes of the items, of `size` bytes each.
    fn content(&self, size: usize) -> Result<&'a [u8], NpyError> {
        let expected = self.len.saturating_mul(size);
        self.rest.get(..expected).ok_or(NpyError::Short { found: self.rest.len(), expected })
    }

    fn items<const N: usize>(
        &self,
        is_big: bool,
        number: impl Fn([u8; N]) -> f64,
    ) -> Result<Vec<f64>, NpyError> {
        let item = |item: &[u8; N]| {
            let mut item = *item;
            if is_big {
                item.reverse();
            }
            number(item)
        };
        Ok(self.content(N)?.as_chunks().0.iter().map(item).collect())
    }
}

/// The dictionary of a header, such as `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
struct Header<'a>(&'a [u8]);

impl<'a> Header<'a> {
    fn wrong(&self, entry: &'static str) -> NpyError {
        NpyError::Header { entry, header: String::from_utf8_lossy(self.0).trim().to_owned() }
    }

    /// What follows the colon after a key.
    fn value(&self, entry: &'static str) -> Result<&'a str, NpyError> {
        let text = std::str::from_utf8(self.0).map_err(|_| self.wrong(entry))?;
        let after = [format!("'{entry}'"), format!("\"{entry}\"")]
            .iter()
            .find_map(|key| text.split_once(key.as_str()))
            .and_then(|(_, after)| after.trim_start().strip_prefix(':'));
        after.map(str::trim_start).ok_or_else(|| self.wrong(entry))
    }

    fn flag(&self, entry: &'static str) -> Result<bool, NpyError> {
        let value = self.value(entry)?;
        match (value.starts_with("True"), value.starts_with("False")) {
            (true, _) => Ok(true),
            (_, true) => Ok(false),
            _ => Err(self.wrong(entry)),
        }
    }

    fn text(&self, entry: &'static str) -> Result<&'a str, NpyError> {
        let value = self.value(entry)?;
        let quoted = ['\'', '"'].iter().find_map(|quote| value.strip_prefix(*quote)?.split_once(*quote));
        quoted.map(|(text, _)| text).ok_or_else(|| self.wrong(entry))
    }

    /// The product of the numbers in parentheses.
    fn product(&self, entry: &'static str) -> Result<usize, NpyError> {
        let value = self.value(entry)?;
        let inner = value.strip_prefix('(').and_then(|value| value.split_once(')')).map(|(inner, _)| inner);
        let numbers =
            inner.ok_or_else(|| self.wrong(entry))?.split(',').map(str::trim).filter(|n| !n.is_empty());
        let product = |product: usize, n: &str| product.checked_mul(n.parse().ok()?);
        numbers.into_iter().try_fold(1, product).ok_or_else(|| self.wrong(entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An array as NumPy writes it.
    fn file(version: u8, header: &str, items: &[u8]) -> Vec<u8> {
        let len = header.len() as u32;
        let len = if version == 1 { (len as u16).to_le_bytes().to_vec() } else { len.to_le_bytes().to_vec() };
        [MAGIC, &[version, 0], &len, header.as_bytes(), items].concat()
    }

    #[test]
    fn the_header_is_that_of_numpy() {
        // numpy.save of zeros of these shapes, NumPy 2.4.6.
        for (shape, tuple) in [(&[3, 4][..], "(3, 4)"), (&[3], "(3,)"), (&[], "()")] {
            let head = head("<f8", shape);
            let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {tuple}, }}");
            assert_eq!(head.len(), 128);
            assert!(head.starts_with(b"\x93NUMPY\x01\x00\x76\x00") && head.ends_with(b" \n"));
            assert_eq!(std::str::from_utf8(&head[10..]).unwrap().trim_end(), text);
        }
    }

    #[test]
    fn numbers_of_all_types_are_read() {
        let numbers = |descr: &str, items: &[u8], n: usize| {
            let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({n},), }}\n");
            let found = [1, 2, 3].map(|version| read_numbers(&file(version, &header, items)));
            assert!(found.iter().all(|other| *other == found[0]));
            found[0].clone()
        };
        assert_eq!(numbers("<f8", &0.1_f64.to_le_bytes(), 1), Ok(vec![0.1]));
        assert_eq!(numbers(">f8", &0.1_f64.to_be_bytes(), 1), Ok(vec![0.1]));
        assert_eq!(numbers("<f4", &0.5_f32.to_le_bytes(), 1), Ok(vec![0.5]));
        assert_eq!(
            numbers("<i8", &[(-3_i64).to_le_bytes(), 4_i64.to_le_bytes()].concat(), 2),
            Ok(vec![-3.0, 4.0])
        );
        assert_eq!(numbers(">i4", &(-3_i32).to_be_bytes(), 1), Ok(vec![-3.0]));
        assert_eq!(numbers("|u1", &[7, 255], 2), Ok(vec![7.0, 255.0]));
        assert!(matches!(numbers("<c16", &[0; 16], 1), Err(NpyError::Type { .. })));
        assert_eq!(numbers("<f8", &[0; 12], 2), Err(NpyError::Short { found: 12, expected: 16 }));
    }

    #[test]
    fn words_are_read_back() {
        let items = ["a", "βγ", ""];
        assert_eq!(read_words(&words(items.into_iter())), Ok(items.map(str::to_owned).to_vec()));
        assert!(matches!(read_words(&head("<f8", &[0])), Err(NpyError::Type { .. })));
    }

    #[test]
    fn a_file_that_is_no_array_is_an_error() {
        assert_eq!(read_numbers(b"PK"), Err(NpyError::Magic));
        assert_eq!(read_numbers(&file(9, "", &[])), Err(NpyError::Version { version: 9 }));
        let whole = head("<f8", &[0]);
        for end in MAGIC.len()..whole.len() {
            assert!(matches!(read_numbers(&whole[..end]), Err(NpyError::Short { .. })), "{end}");
        }
        let header = |text: &str| read_numbers(&file(1, text, &[0; 64]));
        assert_eq!(
            header("{'descr': '<f8', 'fortran_order': True, 'shape': (1,), }"),
            Err(NpyError::Fortran)
        );
        for bad in [
            "{}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': 3}",
            "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}",
            "{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 99999999999)}",
        ] {
            assert!(matches!(header(bad), Err(NpyError::Header { .. })), "{bad}");
        }
    }
}
