//! Which matches in what a command printed as an error are failures.

use super::spot::Spot;
use crate::command::{Connector, parse};
use crate::patterns::MatchedPattern;
use crate::table::Patterns;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(include_str!("stderr.txt")));

/// Returns whether a match is no number, or a status code: a number of its own, in a line about requests or errors.
pub(super) fn is_code_in_context(found: &MatchedPattern<'_, '_>, text: &str) -> bool {
    if !found
        .text
        .as_str()
        .bytes()
        .all(|byte| byte.is_ascii_digit())
    {
        return true;
    }
    let is_part = |character: char| {
        character.is_alphanumeric() || matches!(character, '.' | '_' | '/' | ',' | '%')
    };
    let spot = Spot::new(text, found.text);
    let before = spot.before.chars().next_back();
    let after = spot.after.chars().next();
    let next_after = spot.after.chars().nth(1);
    let goes_on = after.is_some_and(|after| {
        is_part(after)
            && (!matches!(after, '.' | ',') || next_after.is_some_and(char::is_alphanumeric))
    });
    !before.is_some_and(is_part)
        && !goes_on
        && PATTERNS.is_match("about requests", line_of(&spot, text))
        && !PATTERNS.is_match("unit", spot.after)
}

/// Returns whether a match in the output of a command that succeeded is a failure all the same.
/// Many programs report progress and warnings as errors, so a line must read like a failure.
pub(super) fn is_failure_of_success(
    found: &MatchedPattern<'_, '_>,
    text: &str,
    command_line: &str,
) -> bool {
    let spot = Spot::new(text, found.text);
    let line = line_of(&spot, text);
    let word = spot.word.trim_end_matches([':', ' ']).to_lowercase();
    if PATTERNS.is_match("harmless line", line)
        || PATTERNS.is_match("none of", spot.before)
        || is_part_of_name(&spot)
        || is_tolerated(command_line)
    {
        return false;
    }
    match word.as_str() {
        "exception" => PATTERNS.is_match("exception", line),
        "blocked" | "not allowed" | "failed" | "merge queue" | "merge strategy"
        | "required status" | "protected branch" => PATTERNS.is_match("fails", line),
        _ => !word.starts_with("ext-"),
    }
}

/// Returns whether the match is a part of a file's or package's name.
fn is_part_of_name(spot: &Spot<'_>) -> bool {
    let is_word = |character: char| {
        character.is_alphanumeric() || matches!(character, '-' | '_' | '/' | '\\')
    };
    let starts = spot.word.starts_with(char::is_alphanumeric) && spot.before.ends_with(is_word);
    let ends = spot.word.ends_with(char::is_alphanumeric) && spot.after.starts_with(is_word);
    (starts
        && !spot.word.to_lowercase().starts_with("error")
        && !spot.word.to_lowercase().starts_with("exception"))
        || (ends && !spot.after.starts_with('/'))
}

/// Returns whether the line says that a failure does not matter, as `rm x || true` does.
fn is_tolerated(command_line: &str) -> bool {
    let commands = parse(command_line);
    let searches =
        |program: &str| matches!(program, "find" | "grep" | "rg" | "du" | "egrep" | "fd");
    commands
        .iter()
        .any(|command| command.connector == Connector::Or)
        || commands
            .first()
            .is_some_and(|command| searches(&command.program))
}

fn line_of<'t>(spot: &Spot<'t>, text: &'t str) -> &'t str {
    let start = spot.before.rfind('\n').map_or(0, |at| at + 1);
    let end =
        spot.after.find('\n').unwrap_or(spot.after.len()) + spot.before.len() + spot.word.len();
    &text[start..end]
}
