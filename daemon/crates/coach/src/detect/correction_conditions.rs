//! Conditions under which a phrasing is a correction, by the names that `correction_phrases.txt` uses.

use super::correction_guards::{is_curious, is_harmless_omission, is_prohibition, is_rejection};
use super::spot::Spot;
use crate::table::Patterns;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> =
    LazyLock::new(|| Patterns::new(include_str!("correction_conditions.txt")));

pub(super) type Condition = fn(&Spot<'_>) -> bool;

pub(super) fn condition(name: &str) -> Condition {
    match name {
        "clause" => |spot| spot.starts_clause(),
        "unconditional" => |spot| !spot.is_conditional(),
        "not-asked" => |spot| !spot.is_question(),
        "rejection" => is_rejection,
        "prohibition" => is_prohibition,
        "order" => is_order,
        "stated" => is_stated,
        "reproach" => is_reproach,
        "reproach-or-start" => is_reproach_or_start,
        "missed-deed" => is_missed_deed,
        "reproachful-question" => is_reproachful_question,
        "rejected-choice" => is_rejected_choice,
        "standing" => is_standing,
        _ => unreachable!("there is no condition {name:?}"),
    }
}

/// An order: at the start of a clause, or as "can you …".
fn is_order(spot: &Spot<'_>) -> bool {
    spot.starts_clause() || PATTERNS.is_match("asked", spot.before)
}

fn is_stated(spot: &Spot<'_>) -> bool {
    !spot.is_conditional() && !PATTERNS.is_match("quoted", spot.sentence_before())
}

/// A reproach: "you deleted …" as a main clause, and no praise.
fn is_reproach(spot: &Spot<'_>) -> bool {
    (spot.starts_clause() || PATTERNS.is_match("observed", spot.before))
        && !spot.is_conditional()
        && !PATTERNS.is_match("praise", spot.after)
        && !PATTERNS.is_match("praise", spot.before)
        && !spot.is_question()
        && !PATTERNS.is_match("leads on", spot.after)
}

fn is_reproach_or_start(spot: &Spot<'_>) -> bool {
    is_reproach(spot) || !spot.is_conditional() && spot.before.trim().is_empty()
}

/// A deed that was left out. A question about a check is a verification, and no correction.
fn is_missed_deed(spot: &Spot<'_>) -> bool {
    let word = spot.word.to_lowercase();
    is_reproach(spot)
        && !is_harmless_omission(spot)
        && !spot.sentence_after().contains(", have you")
        && !["had", "have", "know"]
            .iter()
            .any(|verb| word.ends_with(verb))
}

fn is_reproachful_question(spot: &Spot<'_>) -> bool {
    !is_curious(spot) && !PATTERNS.is_match("quoting", spot.before)
}

/// "Not that one" at the start of a sentence.
fn is_rejected_choice(spot: &Spot<'_>) -> bool {
    let follows_comma = spot.starts_clause() && spot.before.trim_end().ends_with(',');
    let at_start = spot.sentence_before().trim().is_empty();
    at_start || (follows_comma && !PATTERNS.is_match("place", spot.word))
}

/// "From now on" before or after an order. "…, ok?" asks nothing.
fn is_standing(spot: &Spot<'_>) -> bool {
    let word = spot.word.to_lowercase();
    let is_first = word.starts_with("from") || word.starts_with("going");
    let sentence = spot.sentence_after().trim_end().to_lowercase();
    let is_asked = spot.is_question() && !sentence.ends_with("ok");
    (is_first || spot.starts_clause()) && !is_asked
}
