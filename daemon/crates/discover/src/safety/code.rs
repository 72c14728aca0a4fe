//! Calls of programming languages that destroy something, and fork bombs.

use super::rule::Rule;
use super::tables::TABLES;

/// Returns the rule against calls in a line; none if it has no dangerous one.
pub(super) fn refusal(line: &str) -> Option<Rule> {
    let compact: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    if is_fork_bomb(line, &compact) {
        return Some(Rule::ForkBomb);
    }
    let mut deleting = TABLES.deleting_calls.iter();
    if deleting.any(|name| has_call(&compact, name)) {
        return Some(Rule::Deletion);
    }
    let mut emptying = TABLES.emptying_calls.iter();
    let empties = emptying.any(|call| compact.contains(call));
    empties.then_some(Rule::Database)
}

/// Returns whether `name(` is in the text, as a whole word.
fn has_call(compact: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    compact.match_indices(name).any(|(at, _)| {
        let before = compact[..at].chars().next_back();
        before.is_none_or(|c| !is_part(c)) && compact[at + name.len()..].starts_with('(')
    })
}

/// Returns whether a function starts itself twice, or a loop starts processes for ever.
fn is_fork_bomb(line: &str, compact: &str) -> bool {
    let defines = compact.find("(){").is_some_and(|at| {
        let is_name = |c: char| c.is_alphanumeric() || "_:.".contains(c);
        let start = compact[..at].rfind(|c| !is_name(c)).map_or(0, |at| {
            at + compact[at..].chars().next().map_or(1, char::len_utf8)
        });
        let name = compact[start..at].trim_start_matches("function");
        let body = compact[at + 3..].split('}').next().unwrap_or_default();
        !name.is_empty()
            && (body.contains(&format!("{name}|{name}"))
                || body.contains(&format!("{name}&{name}")))
    });
    let words: Vec<&str> = line
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let has = |word: &str| words.contains(&word);
    let forks_for_ever = has("fork")
        && (has("while")
            || has("loop")
            || compact.contains("for(;;)")
            || compact.contains("until"));
    let is_batch = compact.contains("%0|%0");
    let starts_itself = compact.contains("$0&$0") || compact.contains("$0|$0");
    defines || forks_for_ever || is_batch || starts_itself
}
