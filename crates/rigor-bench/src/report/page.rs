//! The page as a whole.

use super::Comparison;

/// The comparison as one self-contained HTML page.
pub fn html(comparison: &Comparison) -> String {
    maud::html! { h1 { (comparison.title) } }.into_string()
}
