//! Which matches of the correction patterns are corrections.
//! The guards go by the words that were matched and not by the pattern's spelling, so they also hold for the patterns of
//! a configuration.

use super::prose::Prose;
use super::spot::Spot;
use crate::table::Patterns;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> =
    LazyLock::new(|| Patterns::new(include_str!("correction_guards.txt")));

/// In a long text only the start is searched for words that instructions are full of.
const LONG_TEXT_START: usize = 160;

/// Returns whether a match of a correction pattern is a correction.
pub(super) fn accepts(spot: &Spot<'_>, prose: &Prose) -> bool {
    let word = spot
        .word
        .trim()
        .trim_end_matches([',', '.', '!', ' '])
        .to_lowercase();
    let is_weak = matches!(
        word.as_str(),
        "no" | "stop" | "don't" | "dont" | "should have"
    );
    if !spot.is_whole() || (is_weak && prose.is_long && spot.before.len() > LONG_TEXT_START) {
        return false;
    }
    match word.as_str() {
        "no" => is_rejection(spot),
        "stop" => is_stop(spot),
        "don't" | "dont" => is_prohibition(spot),
        "should have" => is_reproach(spot),
        "i said" => {
            !PATTERNS.is_match("said approvingly", spot.before)
                && !PATTERNS.is_match("greeted", spot.after)
        }
        "i meant" => !PATTERNS.is_match("meant to add", spot.after),
        "you didn't" | "you didnt" => !is_harmless_omission(spot),
        "why did you" => !is_curious(spot),
        _ => !spot.is_conditional() && !PATTERNS.is_match("something", spot.before),
    }
}

pub(super) fn is_rejection(spot: &Spot<'_>) -> bool {
    spot.starts_clause()
        && PATTERNS.is_match("after no", spot.after)
        && !PATTERNS.is_match("friendly no", spot.after)
        && !PATTERNS.is_match("either or", spot.before)
}

fn is_stop(spot: &Spot<'_>) -> bool {
    let is_told = PATTERNS.is_match("before stop", spot.before);
    let is_told = is_told
        && (spot.before.to_lowercase().contains("you") || !spot.before.trim_end().ends_with("to"));
    // "Fix the first test, then stop" is the end of a task.
    let ends_task = spot.before.trim_end().to_lowercase().ends_with("then");
    (spot.starts_clause() || (is_told && !spot.is_conditional()))
        && !ends_task
        && PATTERNS.is_match("after stop", spot.after)
        && !PATTERNS.is_match("stopped thing", spot.after)
}

/// Returns whether a "don't" or "do not" forbids the assistant something.
pub(super) fn is_prohibition(spot: &Spot<'_>) -> bool {
    (spot.starts_clause() || follows_order(spot))
        && (!PATTERNS.is_match("harmless dont", spot.after)
            || PATTERNS.is_match("threat", spot.after))
        && !spot.after.trim_start().starts_with('•')
        && !is_about_a_case(spot)
        && !PATTERNS.is_match("said by others", spot.sentence_before())
}

/// Returns whether a "but" or "and" joins the match to an order: "fix the typo but don't reformat the file".
fn follows_order(spot: &Spot<'_>) -> bool {
    let before = spot.sentence_before();
    PATTERNS.is_match("order but", before) && !PATTERNS.is_match("statement", before)
}

/// Returns whether the sentence is a rule for a program: "if the token is wrong, return 401 and don't retry".
fn is_about_a_case(spot: &Spot<'_>) -> bool {
    let before = spot.sentence_before();
    PATTERNS.is_match("case", before) && !PATTERNS.is_match("case of yours", before)
}

/// Returns whether a "should have" is about what the assistant did, and not about what something needs.
fn is_reproach(spot: &Spot<'_>) -> bool {
    let (Some(subject), Some(done)) = (
        PATTERNS.get("subject").captures(spot.before),
        PATTERNS.get("done").captures(spot.after),
    ) else {
        return false;
    };
    let past = done.get(1).map_or("", |past| past.as_str());
    let is_you = subject
        .get(1)
        .is_some_and(|subject| subject.as_str().eq_ignore_ascii_case("you"));
    !spot.is_conditional()
        && if is_you {
            past != "received"
        } else {
            matches!(past, "been" | "gone" | "stayed")
        }
}

/// Returns whether a "you didn't" is no reproach: "glad you didn't", "make sure you didn't", "you didn't have to".
pub(super) fn is_harmless_omission(spot: &Spot<'_>) -> bool {
    PATTERNS.is_match("harmless before", spot.before)
        || PATTERNS.is_match("harmless after", spot.after)
        || spot.sentence_before().ends_with("did you or ")
}

/// Returns whether a "why did you" asks for an explanation of a choice.
pub(super) fn is_curious(spot: &Spot<'_>) -> bool {
    PATTERNS.is_match("advice", spot.after)
        || PATTERNS.is_match("curious", spot.before)
        || PATTERNS.is_match("curious", spot.after)
}
