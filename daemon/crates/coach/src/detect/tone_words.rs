//! Words that are shouted.

use crate::table::{Patterns, word_set};
use std::collections::HashSet;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> =
    LazyLock::new(|| Patterns::new(include_str!("tone_words.txt")));

/// Words that nobody writes in capitals but for emphasis. Not among them: abbreviations, log levels, HTTP methods, words
/// of SQL and of requirements (SHOULD, REQUIRED), values (TRUE, NONE), and marks such as TODO and NOTE.
static ORDINARY: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word_set(include_str!("ordinary_words.txt")));

const STRESSED: [&str; 5] = ["ALL", "ANY", "BOTH", "EACH", "EVERY"];

/// Returns the words of at least three capitals that are emphasis.
/// Of a text that is mostly in capitals these are all, unless it looks like a list of names or a query.
pub(super) fn capital_words(text: &str) -> Vec<&str> {
    if PATTERNS.is_match("query", text) {
        return Vec::new();
    }
    let words: Vec<&str> = text.split_whitespace().filter_map(plain_word).collect();
    let capitals: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| is_shouted(word))
        .collect();
    let ordinary = |word: &&str| ORDINARY.contains(word.replace('\'', "").as_str());
    let long = capitals.iter().copied().filter(|word| letters(word) >= 3);
    let is_mostly_shouted =
        capitals.len() * 2 > words.len() && capitals.len() >= 2 && capitals.iter().any(ordinary);
    if is_mostly_shouted {
        long.collect()
    } else {
        let names = names_in_capitals(text);
        let shouted: Vec<&str> = long
            .filter(|word| ordinary(word) && !names.contains(word))
            .collect();
        // One such word in an instruction stresses what is meant: "show ALL metadata blobs".
        match shouted[..] {
            [word] if STRESSED.contains(&word) && !text.contains('!') => Vec::new(),
            _ => shouted,
        }
    }
}

/// Returns words in capitals that are named and not shouted: "WHERE and HAVING", "the NOT operator", "presses STOP".
fn names_in_capitals(text: &str) -> HashSet<&str> {
    let is_ordinary = |word: &str| ORDINARY.contains(word);
    let mut names = HashSet::new();
    for found in PATTERNS.get("named").captures_iter(text) {
        let words: Vec<&str> = found
            .iter()
            .skip(1)
            .flatten()
            .map(|word| word.as_str())
            .collect();
        match words[..] {
            // Two words that are both shouted are no names: "NEVER, EVER".
            [one, other] if is_ordinary(one) && is_ordinary(other) => {}
            [] => names.extend(["THE", "ALL"]),
            _ => names.extend(words),
        }
    }
    names
}

/// Returns the word of a token without punctuation; none for paths, names with underscores or digits, and the like.
fn plain_word(token: &str) -> Option<&str> {
    let word = token.trim_matches(|character: char| !character.is_alphanumeric());
    let is_plain = !word.is_empty()
        && word
            .chars()
            .all(|character| character.is_alphabetic() || character == '\'');
    let around = token.replace(word, "");
    (is_plain && !around.contains(['_', '/', '\\', '<', '>', '=', '$', '@', '#', '[', '{']))
        .then_some(word)
}

fn is_shouted(word: &str) -> bool {
    letters(word) >= 2
        && word
            .chars()
            .all(|character| character.is_uppercase() || character == '\'')
}

fn letters(word: &str) -> usize {
    word.chars()
        .filter(|character| character.is_alphabetic())
        .count()
}
