//! The bytes of one file, checked before `openusd` composes them.
//!
//! Version 0.6 of `openusd` ends the process on some damaged files: it recurses once per nested block, does not end on names with
//! braces, and trusts the lengths in binary files. So nesting and names of text are checked here, and binary files are refused
//! unless [`text`] has translated them, in a process of its own.

use std::fmt::Display;
use std::io::Cursor;

use openusd::sdf::{Data, Value};
use openusd::tf::Token;
use openusd::usda::{self, TextWriter};
use openusd::usdc::CrateData;

/// Maximum number of blocks within each other. Files of robots have less than twenty.
const MAX_NESTING: usize = 128;

/// First bytes of a binary file.
const BINARY: &[u8] = b"PXR-USDC";

/// Why a file is not given to `openusd`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayerError {
    /// The file is in the binary format.
    #[error("it is binary: translate it with `rigor scene usd-text FILE > scene.usda`")]
    Binary,
    /// The file is neither text nor binary USD.
    #[error("it is not USD: {why}")]
    NotUsd {
        /// The first mistake.
        why: String,
    },
    /// Blocks are nested too deeply.
    #[error("line {line} has more than {MAX_NESTING} blocks within each other")]
    Nesting {
        /// Line of the bracket, from 1.
        line: usize,
    },
    /// A path has characters that no name has.
    #[error("line {line}: {path} is not a path")]
    Path {
        /// Line of its beginning, from 1.
        line: usize,
        /// The path with its brackets.
        path: String,
    },
    /// A prim, property or variant has a name that USD does not allow.
    #[error("{name:?} in {path} is not a name: expected letters, digits and `_`")]
    Name {
        /// The prim that contains it.
        path: String,
        /// The name.
        name: String,
    },
}

/// Whether `bytes` are a binary file in USD.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(BINARY)
}

/// Translates a binary file to text.
///
/// A damaged file may end the process, so call it in a process of its own.
///
/// # Errors
/// The file is not binary USD, or damaged.
///
/// # Panics
/// In `openusd`, on some damaged files.
pub fn text(binary: &[u8]) -> Result<String, LayerError> {
    let data = CrateData::open(Cursor::new(binary), true).map_err(not_usd)?;
    TextWriter::write_to_string(&data).map_err(not_usd)
}

/// Checks that `openusd` can compose a file.
///
/// # Errors
/// Those of [`LayerError`].
pub fn check(bytes: &[u8]) -> Result<(), LayerError> {
    if is_binary(bytes) {
        return Err(LayerError::Binary);
    }
    let text = str::from_utf8(bytes).map_err(not_usd)?;
    check_tokens(text)?;
    check_names(&usda::parse(text).map_err(not_usd)?)
}

fn not_usd(error: impl Display) -> LayerError {
    LayerError::NotUsd { why: format!("{error:#}") }
}

/// Counts brackets outside of strings, comments and names of files, and looks into paths.
fn check_tokens(text: &str) -> Result<(), LayerError> {
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let line = || text[..text.len() - rest.len()].matches('\n').count() + 1;
        let length = match first {
            '"' | '\'' | '@' => quoted(rest, first),
            '#' => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            '<' => rest.find('>').map_or(rest.len(), |end| end + 1),
            _ => first.len_utf8(),
        };
        match first {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            '<' if !rest[1..length].trim_end_matches('>').chars().all(|c| is_of_name(c, "/:.-[]")) => {
                return Err(LayerError::Path { line: line(), path: rest[..length].to_owned() });
            }
            _ => {}
        }
        if depth > MAX_NESTING {
            return Err(LayerError::Nesting { line: line() });
        }
        rest = &rest[length..];
    }
    Ok(())
}

/// Whether a name may have the character `c`; `others` are allowed besides letters, digits and `_`.
fn is_of_name(c: char, others: &str) -> bool {
    c.is_alphanumeric() || c == '_' || others.contains(c)
}

/// Length of the string at the start of `text`, in single or triple quotes. Only single quotes can be escaped.
fn quoted(text: &str, quote: char) -> usize {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    if let Some(inner) = text.strip_prefix(&triple) {
        return inner.find(&triple).map_or(text.len(), |end| end + 6);
    }
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = c == '\\' && !is_escaped && quote != '@';
    }
    text.len()
}

fn check_names(data: &Data) -> Result<(), LayerError> {
    for (path, spec) in data.iter() {
        for (field, value) in &spec.fields {
            let allowed = match field.as_str() {
                "primChildren" => "",
                "propertyChildren" => ":.",
                "variantSetChildren" | "variantChildren" => ":.|- ",
                _ => continue,
            };
            let Value::TokenVec(names) = value else { continue };
            let is_name = |name: &str| name.chars().all(|c| is_of_name(c, allowed));
            if let Some(name) = names.iter().map(Token::as_str).find(|name| !is_name(name)) {
                return Err(LayerError::Name { path: path.as_str().to_owned(), name: name.to_owned() });
            }
        }
    }
    Ok(())
}
