//! VERIFICATION_QUESTION: the user asks whether something was done that should go without saying.

use super::found::{Formula, patterns_with_texts, signal};
use super::prose::Prose;
use super::spot::Spot;
use crate::patterns::{PatternGroup, PatternSet};
use crate::signal::{Signal, SignalType};
use crate::table::Patterns;
use serde_json::json;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> =
    LazyLock::new(|| Patterns::new(include_str!("verification.txt")));

const FORMULA: Formula = Formula::new(0.6, 0.1, 0.85);

pub(super) fn detect(prompt: &str, prose: &Prose, set: &PatternSet) -> Option<Signal> {
    let text = &prose.text;
    let group = PatternGroup::VerificationQuestion;
    let found = set.find(group, text, |found| accepts(&Spot::new(text, found.text)));
    let mut matches = patterns_with_texts(&found);
    let mut asked = found.first().map(|found| found.text.as_str());
    if matches.is_empty() && set.has_built_ins(group) {
        let mut others = PATTERNS.get("others").find_iter(text);
        let other = others.find(|other| accepts_other(&Spot::new(text, *other)));
        asked = other.map(|other| other.as_str());
        matches.extend(asked.map(|asked| json!({"pattern": "was it checked", "text": asked})));
    }
    let action = action(asked?);
    let confidence = FORMULA.confidence(matches.len());
    let kind = SignalType::VerificationQuestion;
    let mut signal = signal(kind, matches, confidence, prompt);
    if let Some(action) = action {
        signal.set("verified_action", action);
    }
    Some(signal)
}

fn accepts(spot: &Spot<'_>) -> bool {
    let word = spot.word.to_lowercase();
    if !spot.starts_word()
        || PATTERNS.is_match("other verb", spot.after)
        || PATTERNS.is_match("asks how", spot.sentence_before())
    {
        return false;
    }
    if word.starts_with("what about") {
        PATTERNS.is_match("goes on", spot.after)
    } else if word.starts_with("was") {
        PATTERNS.is_match("is done", spot.after)
    } else if word.starts_with("are") {
        !PATTERNS.is_match("habit", spot.after)
    } else {
        PATTERNS.is_match("ends verb", spot.after) || !word.starts_with("did")
    }
}

fn accepts_other(spot: &Spot<'_>) -> bool {
    let word = spot.word.to_lowercase();
    if !spot.is_whole()
        || PATTERNS.is_match("other verb", spot.after)
        || PATTERNS.is_match("asks how", spot.sentence_before())
    {
        return false;
    }
    // Without "you" it is the same question only where it ends soon: "does it work with Postgres 12?" asks how a program is.
    let is_addressed = word.contains("you")
        || word.contains(" u ")
        || word.ends_with('?')
        || word.starts_with("was ")
        || word.starts_with("has ");
    let ends_soon = spot.sentence_after().split_whitespace().count() <= 4
        && !PATTERNS.is_match("habit", spot.after);
    let is_asked = spot.is_question() || spot.after.trim().is_empty();
    is_addressed || (is_asked && ends_soon && !PATTERNS.is_match("design", spot.after))
}

/// Returns the verb that was asked for, in its first form.
fn action(asked: &str) -> Option<&'static str> {
    // "Were the tests executed": the verb is what was asked for, and the noun only where there is no verb.
    let mut verbs = PATTERNS
        .get("verb")
        .captures_iter(asked)
        .filter_map(|found| found.get(1))
        .map(|verb| first_form(verb.as_str()));
    let first = verbs.next()?;
    if first == "test" {
        Some(verbs.find(|verb| *verb == "run").unwrap_or(first))
    } else {
        Some(first)
    }
}

/// First forms of verbs, each with how its forms and synonyms start. Any other verb asks for tests.
const FIRST_FORMS: [(&str, &str); 8] = [
    ("run", "run ran execut lint clippy format type restart"),
    ("check", "verif check valid confirm review double ma ensure"),
    ("update", "updat bump regen"),
    ("add", "add"),
    ("fix", "fix"),
    ("commit", "commit"),
    ("push", "push deploy"),
    ("build", "buil compil"),
];

fn first_form(verb: &str) -> &'static str {
    let verb = verb.to_lowercase();
    let is_form = |starts: &str| starts.split(' ').any(|start| verb.starts_with(start));
    let form = FIRST_FORMS.iter().find(|(_, starts)| is_form(starts));
    form.map_or("test", |(form, _)| form)
}
