//! A match and what surrounds it.

use crate::table::Patterns;
use regex::Match;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(include_str!("spot.txt")));

/// A part of a text with what is before and after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot<'t> {
    pub(super) before: &'t str,
    pub(super) word: &'t str,
    pub(super) after: &'t str,
}

impl<'t> Spot<'t> {
    pub(super) fn new(text: &'t str, found: Match<'t>) -> Self {
        Self {
            before: &text[..found.start()],
            word: found.as_str(),
            after: &text[found.end()..],
        }
    }

    /// Returns whether a clause starts here, perhaps after words such as "please" and "but".
    pub(super) fn starts_clause(&self) -> bool {
        PATTERNS.is_match("lead", self.before)
    }

    /// Returns whether the match neither starts nor ends inside a word, so that "i said" is not found in "Gemini said".
    pub(super) fn is_whole(&self) -> bool {
        let joins = |one: Option<char>, other: Option<char>| {
            one.is_some_and(char::is_alphanumeric) && other.is_some_and(char::is_alphanumeric)
        };
        !joins(self.before.chars().next_back(), self.word.chars().next())
            && !joins(self.word.chars().next_back(), self.after.chars().next())
    }

    pub(super) fn starts_word(&self) -> bool {
        !self.before.ends_with(char::is_alphanumeric)
    }

    pub(super) fn sentence_before(&self) -> &'t str {
        self.before
            .rsplit(['.', '!', '?', '\n'])
            .next()
            .unwrap_or_default()
    }

    pub(super) fn sentence_after(&self) -> &'t str {
        self.after
            .split(['.', '!', '?', '\n'])
            .next()
            .unwrap_or_default()
    }

    pub(super) fn is_question(&self) -> bool {
        self.sentence_ends_with('?')
    }

    pub(super) fn sentence_ends_with(&self, mark: char) -> bool {
        self.after
            .chars()
            .find(|character| matches!(character, '.' | '!' | '?' | '\n'))
            == Some(mark)
    }

    /// Returns whether it is said under a condition or asked for, as in "tell me if that's wrong".
    pub(super) fn is_conditional(&self) -> bool {
        PATTERNS.is_match("condition", self.sentence_before())
    }
}
