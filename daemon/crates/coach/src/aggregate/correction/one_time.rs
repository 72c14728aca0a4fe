//! Corrections that are over once they were followed: "restart the server", "use blue for this button".

use super::said::Said;
use super::sentence::sentence;
use crate::similarity::Keywords;
use crate::table::Patterns;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(include_str!("one_time.txt")));

/// Returns whether a correction is about this moment, this task or one thing at hand.
pub(super) fn is_one_time(text: &str, said: &Said) -> bool {
    if PATTERNS.is_match("only now", text) {
        return true;
    }
    if said.standing.is_some() || PATTERNS.is_match("lasting", text) {
        return false;
    }
    let is_choice = said.avoid.is_some() || said.instead_of.is_some();
    let parts = [&said.avoid, &said.want].into_iter().flatten();
    let mut matter = parts.map(String::as_str).collect::<Vec<_>>().join(", ");
    if matter.is_empty() {
        matter = sentence(text).unwrap_or_default();
    }
    let is_operation =
        PATTERNS.is_match("operation", &matter) && !PATTERNS.is_match("how", &matter);
    let is_act =
        is_operation || PATTERNS.is_match("done once", &matter) || PATTERNS.is_match("again", text);
    !is_choice && is_act || PATTERNS.is_match("said here", &matter) || is_at_hand(&matter)
}

/// Returns whether somebody says that an instruction holds each time. Without that, three requests are three tasks.
pub(in crate::aggregate) fn is_standing(text: &str) -> bool {
    PATTERNS.is_match("standing", text)
}

/// Returns whether a text names the assistant's work as a whole: "write any code".
pub(super) fn is_all_work(text: &str) -> bool {
    PATTERNS.is_match("work", text) && PATTERNS.is_match("all work", text)
}

pub(super) fn is_about_scope(sentence: &str) -> bool {
    PATTERNS.is_match("about scope", sentence)
}

/// Returns whether a text points at something: "this button", and not "this project".
fn is_at_hand(text: &str) -> bool {
    PATTERNS.get("pointing").find_iter(text).any(|found| {
        let thing = &text[found.end()..];
        let word = thing.split(' ').next().unwrap_or_default();
        !Keywords::new(word).is_empty()
            && !PATTERNS.is_match("in scope", thing)
            && !PATTERNS.is_match("no thing", thing)
    })
}
