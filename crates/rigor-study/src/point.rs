//! The values of the keys that vary, in words.

use toml::Value;

/// Significant digits of a number: enough to tell values of a plan or of a search apart.
const DIGITS: usize = 6;

/// Formats a number with at most six significant digits.
///
/// ```
/// use rigor_study::point::number;
/// assert_eq!(number(0.35625000000000007), "0.35625");
/// assert_eq!(number(1e-7), "1e-7");
/// assert_eq!(number(250000.0), "250000");
/// ```
pub fn number(value: f64) -> String {
    let text = format!("{value:.*e}", DIGITS - 1);
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let trim = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    match exponent.parse::<i32>() {
        Ok(exponent @ -4..6) => trim(&format!("{value:.*}", (DIGITS as i32 - 1 - exponent).max(0) as usize)),
        _ => format!("{}e{exponent}", trim(mantissa)),
    }
}

/// Formats a value: numbers as [`number`], texts without quotation marks, all else as TOML.
pub fn value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Float(float) => number(*float),
        Value::Array(all) => format!("({})", all.iter().map(self::value).collect::<Vec<_>>().join(", ")),
        Value::Integer(_) | Value::Boolean(_) | Value::Datetime(_) | Value::Table(_) => value.to_string(),
    }
}

/// Returns the shortest ends of keys that tell them apart, from dot to dot.
///
/// ```
/// use rigor_study::point::names;
/// assert_eq!(names(&["body.box.friction", "body.slope.friction", "scale"]), ["box.friction", "slope.friction", "scale"]);
/// ```
pub fn names(keys: &[&str]) -> Vec<String> {
    let end = |key: &str, n: usize| {
        let parts: Vec<&str> = key.split('.').collect();
        parts[parts.len().saturating_sub(n)..].join(".")
    };
    let name = |key: &&str| {
        let is_alone =
            |name: &String, n: usize| keys.iter().all(|other| other == key || end(other, n) != *name);
        let ends = (1..=key.split('.').count()).map(|n| (end(key, n), n));
        ends.into_iter()
            .find(|(name, n)| is_alone(name, *n))
            .map_or_else(|| (*key).to_owned(), |(name, _)| name)
    };
    keys.iter().map(name).collect()
}

/// Returns keys and values in words, separated by commas, without the keys of `left_out`.
pub fn words(point: &[(String, Value)], left_out: &[&str]) -> String {
    let shown: Vec<&(String, Value)> =
        point.iter().filter(|(key, _)| !left_out.contains(&key.as_str())).collect();
    let names = names(&shown.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>());
    let word = |(name, (_, at)): (String, &&(String, Value))| format!("{name} {}", value(at));
    names.into_iter().zip(&shown).map(word).collect::<Vec<_>>().join(", ")
}
