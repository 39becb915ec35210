//! "Did you mean": the known name that is most similar to a misspelt one.

/// Maximum length of a name that is compared (bytes).
const MAX_LENGTH: usize = 64;
/// Minimum Jaro–Winkler similarity of a name that may have been meant.
const LIKENESS: f64 = 0.8;

/// Returns the name among `known` that is most similar to `written`, if it is similar enough.
///
/// Upper and lower case are the same; of equally similar names the last counts.
///
/// ```
/// use rigor_file::closest;
/// assert_eq!(closest("Seperating", ["separating", "additive"]), Some("separating"));
/// assert_eq!(closest("qqq", ["separating", "additive"]), None);
/// ```
pub fn closest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if written.len() > MAX_LENGTH {
        return None;
    }
    let written = written.to_lowercase();
    let likeness = |name: &str| strsim::jaro_winkler(&written, &name.to_lowercase());
    known
        .into_iter()
        .map(|name| (likeness(name), name))
        .filter(|(likeness, _)| *likeness >= LIKENESS)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}
