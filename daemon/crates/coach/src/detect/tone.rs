//! TONE_ESCALATION: capitals, exclamation marks and words of impatience.

use super::found::{Formula, patterns, rounded, signal};
use super::prose::Prose;
use super::spot::Spot;
use super::tone_words::capital_words;
use crate::patterns::{MatchedPattern, PatternGroup, PatternSet};
use crate::signal::{Signal, SignalType};
use crate::table::Patterns;
use serde_json::Value;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(include_str!("tone.txt")));

const BY_WORDS: Formula = Formula::new(0.2, 0.1, 0.8);
const BY_MARK: f64 = 0.05;

/// As many exclamation marks in all are impatience, even when no two of them are side by side.
const MANY_MARKS: usize = 3;

pub(super) fn detect(prompt: &str, prose: &Prose, set: &PatternSet) -> Option<Signal> {
    let text = &prose.text;
    if is_praise(text) {
        return None;
    }
    let capitals = capital_words(text);
    let marks = emphatic_marks(text);
    let group = PatternGroup::Escalation;
    let found = set.find(group, text, |found| accepts(found, text, &capitals));
    let mut matches = patterns(&found);
    if matches.is_empty() && set.has_built_ins(group) {
        let is_frustrated = PATTERNS.is_match("frustration", text);
        matches.extend(is_frustrated.then(|| Value::from("frustration")));
    }
    if matches.is_empty() && marks < MANY_MARKS {
        return None;
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "a prompt is searched for its first 500 characters"
    )]
    let confidence =
        rounded((BY_WORDS.confidence(capitals.len()) + BY_MARK * marks as f64).min(BY_WORDS.most));
    let mut signal = signal(SignalType::ToneEscalation, matches, confidence, prompt);
    signal.set("caps_words", capitals.len());
    signal.set("exclamation_count", marks);
    Some(signal)
}

/// Returns whether a match of an escalation pattern is impatience.
fn accepts(found: &MatchedPattern<'_, '_>, text: &str, capitals: &[&str]) -> bool {
    let spot = Spot::new(text, found.text);
    let word = spot.word;
    if word.starts_with('!') {
        return is_emphatic(&spot);
    }
    match word.to_lowercase().as_str() {
        "again" => is_impatient_again(&spot),
        "how many times" => PATTERNS.is_match("told often", spot.after),
        "for the last time" => spot.starts_clause(),
        "literally" => word == "LITERALLY" || is_reproachful_literally(&spot),
        _ if is_capitals(word) => {
            // The pattern may match a part of a word: what counts is the whole one.
            let start = spot
                .before
                .trim_end_matches(|before: char| before.is_ascii_uppercase())
                .len();
            let whole = text[start..]
                .split(|other: char| !other.is_ascii_uppercase() && other != '\'')
                .next()
                .unwrap_or_default();
            capitals
                .iter()
                .any(|capital| capital.trim_matches('\'') == whole.trim_matches('\''))
        }
        _ => spot.is_whole(),
    }
}

fn is_capitals(word: &str) -> bool {
    word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Returns whether exclamation marks end something: not `!=`, `!!value` and `vec![`.
fn is_emphatic(spot: &Spot<'_>) -> bool {
    let next = spot.after.trim_start_matches(['!', '?']).chars().next();
    let is_open = next.is_none_or(|next| {
        next.is_whitespace() || matches!(next, '.' | ',' | ')' | ':' | ';' | '…')
    });
    is_open
        && !spot
            .before
            .trim_end_matches('!')
            .ends_with(['(', '=', '&', '|'])
}

/// Returns the number of exclamation marks that end something.
fn emphatic_marks(text: &str) -> usize {
    let runs = PATTERNS
        .get("marks")
        .find_iter(text)
        .filter(|run| is_emphatic(&Spot::new(text, *run)));
    runs.map(|run| run.len()).sum()
}

/// Returns whether an "again" complains: with "!", or where something is said to be broken or done by the assistant.
fn is_impatient_again(spot: &Spot<'_>) -> bool {
    let sentence = spot.sentence_before();
    if PATTERNS.is_match("order again", sentence) {
        return false;
    }
    spot.word == "AGAIN"
        || spot.after.starts_with(['!'])
        || (spot.after.starts_with(':') && spot.sentence_ends_with('!'))
        || PATTERNS.is_match("broken", sentence)
        || PATTERNS.is_match("still after", spot.sentence_after())
        || (spot.starts_clause() && spot.after.trim_start().starts_with("you "))
}

fn is_reproachful_literally(spot: &Spot<'_>) -> bool {
    PATTERNS.is_match("before literally", spot.before)
        && PATTERNS.is_match("after literally", spot.after)
}

/// Returns whether a text is friendly and names nothing bad.
fn is_praise(text: &str) -> bool {
    PATTERNS.is_match("friendly", text) && !PATTERNS.is_match("bad", text)
}
