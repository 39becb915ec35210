//! Names that live as long as the program.
//!
//! Names of figures and of quantities are constants of Rust; those of a judge written in Python exist only at run time.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// All words so far. Each occurs once, so that memory grows with the number of different words only.
static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// Returns `text` with a life as long as the program's.
pub fn word(text: &str) -> &'static str {
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = words.get(text) {
        return known;
    }
    let new: &'static str = Box::leak(text.to_owned().into_boxed_str());
    words.insert(new);
    new
}
