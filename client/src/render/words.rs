//! Words that several renderers need.

use ccd_base::shell;
use serde::Serialize;

/// Returns the command line of a program.
pub(crate) fn program_line(program: &String, args: &[String]) -> String {
    shell::line(std::iter::once(program).chain(args))
}

/// Joins texts.
pub(crate) fn joined<T: ToString>(gap: &str, all: impl IntoIterator<Item = T>) -> String {
    let all: Vec<String> = all.into_iter().map(|one| one.to_string()).collect();
    all.join(gap)
}

/// Joins the first texts, and says how many more there are.
pub(crate) fn few<T: ToString>(
    most: usize,
    gap: &str,
    all: impl ExactSizeIterator<Item = T>,
) -> String {
    let more = all.len().saturating_sub(most);
    let first = joined(gap, all.take(most));
    match more {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

pub(crate) fn yes_or_no(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

/// The name that a value has on the wire; nothing for one that is not a word.
pub(crate) fn word(value: &impl Serialize) -> String {
    let word = serde_json::to_value(value).unwrap_or_default();
    word.as_str().unwrap_or_default().to_owned()
}
