//! VERSION_ISSUE: a command complains about a version.

use super::exit_answers::is_answer;
use super::failure::add_action;
use super::found::{Formula, patterns_with_texts, signal};
use super::spot::Spot;
use crate::command::{parse, primary};
use crate::patterns::{MatchedPattern, PatternGroup, PatternSet};
use crate::payload::Payload;
use crate::signal::{Signal, SignalType};
use crate::table::Patterns;
use serde_json::json;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(include_str!("version.txt")));

const FORMULA: Formula = Formula::new(0.6, 0.1, 0.85);

/// Returns the signal of a command, from what it printed as an error.
pub(super) fn detect(payload: &Payload, line: &str, set: &PatternSet) -> Option<Signal> {
    let stderr = payload.stderr();
    if stderr.trim().is_empty()
        || payload
            .exit_code()
            .is_some_and(|code| is_answer(line, code, false))
    {
        return None;
    }
    let group = PatternGroup::VersionIssues;
    let found = set.find(group, stderr, |found| accepts(found, stderr));
    let mut matches = patterns_with_texts(&found);
    if matches.is_empty() && set.has_built_ins(group) {
        let unfit = PATTERNS.get("unfit").find(stderr);
        matches
            .extend(unfit.map(|unfit| json!({"pattern": "unfit version", "text": unfit.as_str()})));
    }
    if matches.is_empty() {
        return None;
    }
    let confidence = FORMULA.confidence_of(matches.len(), payload);
    let mut signal = signal(SignalType::VersionIssue, matches, confidence, stderr);
    if let Some(command) = primary(line).or_else(|| parse(line).pop()) {
        signal.set("tool", command.program);
    }
    add_action(&mut signal, payload, &payload.call);
    Some(signal)
}

fn accepts(found: &MatchedPattern<'_, '_>, text: &str) -> bool {
    let spot = Spot::new(text, found.text);
    let word = spot.word.to_lowercase();
    let is_part = |character: char| {
        character.is_alphanumeric() || matches!(character, '/' | '_' | '-' | '.' | '\\')
    };
    let is_name = spot.before.ends_with(is_part)
        || spot.after.starts_with(['/', '_', '-', '\\', '('])
        || (spot.after.starts_with('.') && spot.after[1..].starts_with(char::is_alphanumeric));
    match word.trim() {
        "deprecated" | "obsolete" | "outdated" => {
            !is_name && !PATTERNS.is_match("none of", spot.before) && !word_in_test(&spot)
        }
        _ if word.starts_with("upgrade") => {
            !is_name
                && PATTERNS.is_match("advice", spot.before)
                && (PATTERNS.is_match("upgraded", spot.after) || word.trim() != "upgrade")
        }
        _ => !PATTERNS.is_match("unit", spot.after) && !PATTERNS.is_match("none of", spot.before),
    }
}

/// Returns whether the line reports a test or compiles a package of that name.
fn word_in_test(spot: &Spot<'_>) -> bool {
    PATTERNS.is_match(
        "line about a name",
        spot.before.rsplit('\n').next().unwrap_or_default(),
    )
}
