//! PROCESS_VIOLATION at the end of a turn: success is claimed, and nothing was executed.

use super::found::signal;
use super::history::History;
use super::prose::folded;
use super::spot::Spot;
use super::violation::FORMULA;
use crate::patterns::{MatchedPattern, PatternGroup, PatternSet};
use crate::payload::Payload;
use crate::signal::{EventType, Signal, SignalType};
use crate::table::Patterns;
use serde_json::{Value, json};
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(include_str!("claim.txt")));

/// Returns the signal of the assistant's last message.
/// Any tool result since the last prompt backs a claim. A detector that has not seen the turn from its start knows of no
/// result; the daemon keeps its detectors for that reason.
pub(super) fn detect(payload: &Payload, set: &PatternSet, history: &History) -> Option<Signal> {
    let message = payload.last_assistant_message.as_deref()?;
    if history.turn_tool_outputs > 0 {
        return None;
    }
    let text = without_code(&folded(message));
    let group = PatternGroup::PrematureSuccessClaims;
    let found = set.find(group, &text, |found| accepts(found, &text));
    let mut names: Vec<&str> = found.iter().map(|found| found.pattern).collect();
    if names.is_empty() && set.has_built_ins(group) {
        let others = PATTERNS.get("others").find_iter(&text);
        let is_claim = others
            .map(|other| Spot::new(&text, other))
            .any(|spot| is_claimed(&spot) && !passes_something(&spot));
        names.extend(is_claim.then_some("success claimed"));
    }
    if names.is_empty() {
        return None;
    }
    let violation = |name| json!({"kind": "premature_success_claim", "pattern": name});
    let violations: Vec<Value> = names.iter().map(violation).collect();
    let matches = names.iter().map(|&name| Value::from(name)).collect();
    let confidence = FORMULA.confidence(names.len());
    let mut signal = signal(SignalType::ProcessViolation, matches, confidence, message);
    signal.event_type = EventType::Post;
    signal.set("violations", violations);
    Some(signal)
}

fn without_code(text: &str) -> String {
    PATTERNS.get("code").replace_all(text, "•").into_owned()
}

fn accepts(found: &MatchedPattern<'_, '_>, text: &str) -> bool {
    let spot = Spot::new(text, found.text);
    let word = spot.word.to_lowercase();
    if word.starts_with("try") {
        return is_confident_retry(&spot, text);
    }
    if !is_claimed(&spot) {
        return false;
    }
    match word.as_str() {
        "verified" => is_deed(&spot),
        _ => !passes_something(&spot),
    }
}

/// Returns whether "pass" has an object, as in "the tests passed a null pointer".
fn passes_something(spot: &Spot<'_>) -> bool {
    let word = spot.word.to_lowercase();
    ["pass", "passed", "passes"]
        .iter()
        .any(|verb| word.ends_with(verb))
        && PATTERNS.is_match("passed thing", spot.after)
}

fn is_claimed(spot: &Spot<'_>) -> bool {
    !spot.is_question()
        && !PATTERNS.is_match("not claimed", spot.sentence_before())
        && !PATTERNS.is_match("not after", spot.after)
}

/// Returns whether "verified" is something that was done, and not an adjective: "verified users".
fn is_deed(spot: &Spot<'_>) -> bool {
    PATTERNS.is_match("before a deed", spot.sentence_before())
        && !PATTERNS.is_match("described noun", spot.after)
}

/// Returns whether "try again" says that it works now, as after "Fixed", and is no way around a trouble.
fn is_confident_retry(spot: &Spot<'_>, text: &str) -> bool {
    let sentence = format!("{}{}", spot.sentence_before(), spot.sentence_after());
    let fixes = PATTERNS.get("fixed").find_iter(text);
    let mut fixes = fixes.map(|fixed| Spot::new(text, fixed));
    !spot.is_question()
        && !PATTERNS.is_match("advice to retry", &sentence)
        && fixes.any(|fixed| !PATTERNS.is_match("not claimed", fixed.sentence_before()))
}
