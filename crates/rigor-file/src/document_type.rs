//! Document types in XML: they are passed over, and nothing that they name or declare is read.

/// Returns `text` with spaces for its document type, and the declaration if there was one. Lines keep their numbers.
///
/// # Errors
/// It declares something in brackets: entities and default values would change what follows.
pub fn without(mut text: String) -> Result<(String, Option<String>), String> {
    let Some(range) = place(&text) else { return Ok((text, None)) };
    let declaration = &text[range.clone()];
    if declaration.ends_with('[') {
        let what = "its document type declares entities or default values in brackets, which are not read";
        return Err(format!("{what}: write them out where they are used, and remove <!DOCTYPE>"));
    }
    let told = declaration.split_whitespace().collect::<Vec<_>>().join(" ");
    let spaces = blank(declaration);
    text.replace_range(range, &spaces);
    Ok((text, Some(told)))
}

/// Returns as many spaces as `text` has characters, with its ends of lines.
pub fn blank(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c } else { ' ' }).collect()
}

/// Where the document type is, up to its end or to the bracket of what it declares.
fn place(text: &str) -> Option<std::ops::Range<usize>> {
    let mut at = 0;
    loop {
        at += text[at..].find('<')?;
        let rest = &text[at..];
        let end = |close: &str| Some(rest.find(close)? + close.len());
        if rest.starts_with("<!--") {
            at += end("-->")?;
        } else if rest.starts_with("<?") {
            at += end("?>")?;
        } else if rest.starts_with("<!DOCTYPE") {
            let mut quote = None;
            let length = rest.char_indices().find_map(|(i, c)| match (quote, c) {
                (None, '>' | '[') => Some(i + 1),
                (None, '"' | '\'') => {
                    quote = Some(c);
                    None
                }
                (Some(open), c) if c == open => {
                    quote = None;
                    None
                }
                (Some(_) | None, _) => None,
            })?;
            return Some(at..at + length);
        } else {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_type_is_blank_and_one_that_declares_is_refused() {
        let text = "<?xml version=\"1.0\"?>\n<!-- <!DOCTYPE c> -->\n<!DOCTYPE a\n SYSTEM \"x>[.dtd\"><a/>";
        let (found, told) = without(text.into()).unwrap();
        assert_eq!(told.as_deref(), Some("<!DOCTYPE a SYSTEM \"x>[.dtd\">"));
        assert_eq!((found.len(), found.lines().count()), (text.len(), 4));
        assert!(found.ends_with("<a/>") && !found.contains("SYSTEM"));
        for bomb in ["<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<!DOCTYPE a SYSTEM 'b' [\n]><a/>"] {
            assert!(without(bomb.into()).unwrap_err().starts_with("its document type declares"));
        }
        for other in ["<a/>", "<a><!DOCTYPE b></a>", "<!DOCTYPE", "<!DOCTYPE a '>", "", "<", "<!--"] {
            assert_eq!(without(other.into()), Ok((other.into(), None)));
        }
    }
}
