//! SKILL_SUPPLEMENT: the user adds to a skill what it lacks.

use super::found::{Formula, patterns, signal};
use super::prose::{Prose, folded};
use crate::patterns::{PatternGroup, PatternSet};
use crate::signal::{Signal, SignalType};
use crate::table::{Patterns, word_set};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(include_str!("skill.txt")));

const FORMULA: Formula = Formula::new(0.5, 0.15, 0.9);

/// Returns the signal of a prompt. `active` is the skill that was started lately.
pub(super) fn detect(
    prompt: &str,
    prose: &Prose,
    set: &PatternSet,
    active: Option<&str>,
) -> Option<Signal> {
    let text = &prose.text;
    let is_named = PATTERNS.is_match("skill", text)
        && !PATTERNS.is_match("other skills", text)
        && !PATTERNS.is_match("ability", text);
    // "We also need …" is about a skill only when one is named or at work.
    if !is_named && active.is_none() || PATTERNS.is_match("is asked", text) {
        return None;
    }
    let group = PatternGroup::SkillSupplement;
    let found = set.find(group, text, |found| {
        is_named || !found.text.as_str().to_lowercase().contains("skill")
    });
    let mut matches = patterns(&found);
    if matches.is_empty() && is_named && set.has_built_ins(group) {
        let lacks = PATTERNS.is_match("lacks", text);
        matches.extend(lacks.then(|| Value::from("the skill lacks")));
    }
    if matches.is_empty() {
        return None;
    }
    let confidence = FORMULA.confidence(matches.len());
    let mut signal = signal(SignalType::SkillSupplement, matches, confidence, prompt);
    // The golden cases have null for "no skill is named".
    let named = if is_named {
        name(&folded(super::found::first_chars(prompt, 2000)))
    } else {
        active.map(str::to_owned)
    };
    signal.set("skill_name", named);
    Some(signal)
}

/// Returns the name of the skill that a prompt names. An article is never a name.
fn name(text: &str) -> Option<String> {
    let before = PATTERNS
        .get("name before")
        .captures_iter(text)
        .filter_map(|found| found.get(1));
    let after = PATTERNS
        .get("name after")
        .captures_iter(text)
        .filter_map(|found| found.get(1).or(found.get(2)).or(found.get(3)));
    let mut names = before.chain(after).map(|name| name.as_str());
    names
        .find(|name| !NO_NAMES.contains(name.to_lowercase().as_str()))
        .map(str::to_owned)
}

/// Words beside "skill" that are no name.
static NO_NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| word_set(include_str!("no_names.txt")));
