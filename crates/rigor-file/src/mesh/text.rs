//! Text of files with any kind of line end.

use std::borrow::Cow;

use super::Fault;

/// Returns the text of a file: without a byte order mark, and with old-Mac line ends (CR alone) as line feeds.
///
/// # Errors
/// The text is UTF-16.
pub(super) fn text(bytes: &[u8]) -> Result<Cow<'_, str>, Fault> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Fault::whole("the text is UTF-16: save it as UTF-8"));
    }
    let text = String::from_utf8_lossy(without_mark(bytes));
    let is_old_mac = text.contains('\r') && text.replace("\r\n", "").contains('\r');
    Ok(if is_old_mac { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text })
}

/// Returns the bytes after a byte order mark of UTF-8.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_marks_do_not_matter() {
        for content in ["a\nb", "a\r\nb", "\u{feff}a\nb"] {
            assert_eq!(text(content.as_bytes()).unwrap().lines().collect::<Vec<_>>(), ["a", "b"]);
        }
        assert_eq!(text(b"a\rb\r\nc\n").unwrap(), "a\nb\nc\n");
        assert!(text(&[0xff, 0xfe, b'v', 0]).unwrap_err().to_string().contains("UTF-16"));
    }
}
