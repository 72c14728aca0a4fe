//! REPETITION: the user says the third time what they have said before.

use super::found::{Formula, first_chars, signal};
use super::history::History;
use super::prose::Prose;
use crate::signal::{Signal, SignalType};
use crate::table::word_set;
use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

const FORMULA: Formula = Formula::new(0.4, 0.15, 0.95);

/// Earlier messages that are alike and needed: three in all.
const MIN_SIMILAR: usize = 2;

/// Limits of `similar_messages`.
const MAX_LISTED: usize = 5;
const MAX_LISTED_CHARS: usize = 200;

/// Words that say nothing about what is wanted: small words, politeness, and nudges such as "go on".
static EMPTY_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word_set(include_str!("empty_words.txt")));

pub(super) fn detect(prompt: &str, prose: &Prose, history: &mut History) -> Option<Signal> {
    let words = words(&prose.text);
    let similar: Vec<&str> = if content(&words).count() < 2 {
        Vec::new() // a nudge such as "continue" is no instruction
    } else {
        history
            .messages()
            .filter(|earlier| is_alike(&words, &self::words(earlier)))
            .collect()
    };
    let signal = (similar.len() >= MIN_SIMILAR).then(|| {
        let listed = similar.iter().take(MAX_LISTED);
        let listed = listed.map(|message| first_chars(message, MAX_LISTED_CHARS));
        let confidence = FORMULA.confidence(similar.len());
        let mut signal = signal(SignalType::Repetition, Vec::new(), confidence, prompt);
        signal.set("similar_count", similar.len());
        signal.set("similar_messages", listed.collect::<Vec<_>>());
        signal
    });
    history.add_message(&prose.text);
    signal
}

/// Returns whether two messages share more than half of all their words or more than two thirds of those that say what is wanted,
/// and do not differ in what is worked on.
fn is_alike(words: &[String], others: &[String]) -> bool {
    let (common, all) = overlap(
        words.iter().map(String::as_str),
        others.iter().map(String::as_str),
    );
    let (common_content, all_content) = overlap(content(words), content(others));
    let is_near = common * 2 > all || (common_content >= 2 && common_content * 3 > all_content * 2);
    is_near && !is_series(words, others)
}

/// Returns how many words two messages have in common, and how many there are in all, each counted once.
fn overlap<'t>(
    words: impl Iterator<Item = &'t str>,
    others: impl Iterator<Item = &'t str>,
) -> (usize, usize) {
    let (one, other): (BTreeSet<_>, BTreeSet<_>) = (words.collect(), others.collect());
    (one.intersection(&other).count(), one.union(&other).count())
}

/// Returns whether one content word is exchanged for another at the same place, as in "fix issue 1" and "fix issue 2":
/// these are items of a list, and nothing is said twice.
fn is_series(words: &[String], others: &[String]) -> bool {
    let (one, other): (Vec<_>, Vec<_>) = (content(words).collect(), content(others).collect());
    let different: Vec<_> = one
        .iter()
        .zip(&other)
        .filter(|(one, other)| one != other)
        .collect();
    let [(one_word, other_word)] = different[..] else {
        return false;
    };
    one.len() == other.len() && !is_same_word(one_word, other_word)
}

/// Returns whether two words are forms or spellings of one: "commit" and "committing", "formatter" and "formater".
fn is_same_word(one: &str, other: &str) -> bool {
    let common = one
        .chars()
        .zip(other.chars())
        .take_while(|(one, other)| one == other)
        .count();
    let longest = one.chars().count().max(other.chars().count());
    let is_word = |word: &str| word.chars().all(char::is_alphabetic);
    is_word(one) && is_word(other) && common >= 4 && longest - common <= 4
}

fn content(words: &[String]) -> impl Iterator<Item = &str> {
    words
        .iter()
        .map(String::as_str)
        .filter(|word| !EMPTY_WORDS.contains(*word))
}

fn words(text: &str) -> Vec<String> {
    let trimmed = text
        .split_whitespace()
        .map(|word| word.trim_matches(|character: char| !character.is_alphanumeric()));
    trimmed
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
