//! Translation of expectations.

use super::super::at::At;
use super::super::document::ExpectEntry;
use super::super::error::SceneError;
use super::Names;
use rigor_scene::expectation::{Bound, Expectation};

/// Converts `entries`, written at `at`, to expectations.
///
/// # Errors
/// An unknown body, not exactly one bound, or a reason for methods without methods.
pub fn expectations(
    entries: &[ExpectEntry],
    at: &At<'_>,
    names: &Names<'_>,
) -> Result<Vec<Expectation>, SceneError> {
    let expectation = |(i, entry): (usize, &ExpectEntry)| {
        let at = at.join(i);
        if entry.figure.trim().is_empty() {
            return Err(at.join("figure").error("expected a figure, as `penetration.deepest`"));
        }
        if entry.methods.is_empty() && !entry.methods_because.is_empty() {
            return Err(at
                .join("methods_because")
                .error("expected `methods` too: it is the reason for them"));
        }
        let body = entry.body.as_deref().map(|name| names.find(name, &at.join("body"))).transpose()?;
        Ok(Expectation {
            figure: entry.figure.clone(),
            body,
            bound: bound(entry, &at)?,
            methods: entry.methods.clone(),
            methods_because: entry.methods_because.clone(),
            because: entry.because.clone(),
        })
    };
    entries.iter().enumerate().map(expectation).collect()
}

fn bound(entry: &ExpectEntry, at: &At<'_>) -> Result<Bound, SceneError> {
    match (entry.at_most, entry.at_least, entry.near, entry.tolerance) {
        (Some(limit), None, None, None) => Ok(Bound::AtMost(limit)),
        (None, Some(limit), None, None) => Ok(Bound::AtLeast(limit)),
        (None, None, Some(target), Some(tolerance)) => {
            Ok(Bound::Near { target, tolerance: at.join("tolerance").non_negative(tolerance)? })
        }
        _ => Err(at.error("expected exactly one of `at_most`, `at_least`, and `near` with `tolerance`")),
    }
}
