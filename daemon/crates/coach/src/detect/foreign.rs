//! Corrections in other languages than English.

use crate::table::{lists, regex};
use regex::Regex;
use std::sync::LazyLock;

static LANGUAGES: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let lists = lists(include_str!("foreign.txt")).into_iter();
    lists
        .map(|(name, alternatives)| (name, regex(&alternatives.join("|"))))
        .collect()
});

/// Returns the name of the language in which a text corrects; none for a friendly one.
pub(super) fn correction(text: &str) -> Option<&'static str> {
    let (name, _) = LANGUAGES
        .iter()
        .find(|(_, pattern)| pattern.is_match(text))?;
    (*name != "friendly").then_some(*name)
}
