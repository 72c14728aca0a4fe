//! Corrections that are over once they were followed: "restart the server", "use blue for this button".

use crate::similarity::Keywords;
use crate::table::Patterns;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(include_str!("one_time.txt")));

/// Returns whether a message limits what it says to this moment or this task.
pub(super) fn is_only_now(text: &str) -> bool {
    PATTERNS.is_match("only now", text)
}

/// Returns whether a message says that it holds for good, or when.
pub(super) fn is_lasting(text: &str) -> bool {
    PATTERNS.is_match("lasting", text)
}

/// Returns whether the order of a message is over once it was followed.
pub(super) fn is_one_act(order: &str, text: &str) -> bool {
    let is_operation = PATTERNS.is_match("operation", order) && !PATTERNS.is_match("how", order);
    is_operation || PATTERNS.is_match("done once", order) || PATTERNS.is_match("again", text)
}

/// Returns whether a message says that an instruction always applies. Without that, three requests are three tasks.
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

/// Returns whether a text speaks of the conversation, or points at something: "this button", and not "this project".
pub(super) fn is_at_hand(text: &str) -> bool {
    let mut pointing = PATTERNS.get("pointing").find_iter(text);
    let is_thing = |thing: &str| {
        let word = thing.split(' ').next().unwrap_or_default();
        !Keywords::new(word).is_empty()
            && !PATTERNS.is_match("in scope", thing)
            && !PATTERNS.is_match("no thing", thing)
    };
    PATTERNS.is_match("said here", text) || pointing.any(|found| is_thing(&text[found.end()..]))
}
