//! A match and what surrounds it.

use regex::{Match, Regex, RegexBuilder};
use std::collections::HashSet;
use std::sync::LazyLock;

/// A part of a text with what is before and after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot<'t> {
    pub(super) before: &'t str,
    pub(super) word: &'t str,
    pub(super) after: &'t str,
}

/// Words that may come before a clause without changing what it says.
const LEAD_WORDS: &str = "and|but|so|then|please|pls|plz|just|also|ok|okay|well|hm+|um+|uh|oh|ah|wait|hey|actually|sorry|\
     yes|yeah|yep|omg|wtf|ffs|now|again|really|seriously|look|listen|dude|bro|guys|claude|no|nope|next time|instead|first|good|great|\
     nice|cool|thanks|thank you|perfect|i said|i told you|like i said|as i said|i repeat|once more|once again|remember|ugh|argh|still|\
     in general|in future|in the future|from now on|for now|at least|todo|note|important|rule|hi|hello";

static LEAD: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r"(?:^|[.!?,;:\n(\[…—–]|\s-+)\s*(?:[*-]\s+|\d+[.)]\s+)?(?:(?:{LEAD_WORDS})[\s,]+)*$"
    ))
});

static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:if|unless|whether|when|whenever|in case|why|what|where|how|which|make sure|check|verify|confirm|ensure)\b[^,;]*$",
    )
});

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
        LEAD.is_match(self.before)
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
        CONDITION.is_match(self.sentence_before())
    }
}

/// Returns the words of a list that is written as one text.
pub(super) fn word_set(words: &'static str) -> HashSet<&'static str> {
    words.split_whitespace().collect()
}

/// Compiles a pattern of the detector itself, without regard to case.
///
/// # Panics
///
/// When the pattern is wrong, which any test of its module finds.
pub(super) fn regex(pattern: &str) -> Regex {
    let built = RegexBuilder::new(pattern).case_insensitive(true).build();
    built.unwrap_or_else(|error| unreachable!("{error}"))
}
