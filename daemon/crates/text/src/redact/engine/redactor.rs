//! Rules and patterns, ready to search.

use super::mask::{in_original, masked, merge};
use super::patterns::Patterns;
use super::rule::{Judge, Rule};
use super::shown::Shown;
use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// Maximum number of times that a text is searched; more than two are rarely needed.
pub(in crate::redact) const MAX_PASSES: usize = 8;

/// A text without its secrets.
#[derive(Debug, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// Borrowed when nothing was removed.
    pub text: Cow<'a, str>,
    /// How many secrets were replaced.
    pub removed: usize,
}

/// The anchors of rules, ready to search.
pub(in crate::redact) struct Anchors {
    search: AhoCorasick,
    /// The judge of each anchor.
    judges: Vec<Judge>,
}

impl Anchors {
    pub(in crate::redact) fn new(rules: impl IntoIterator<Item = Rule>) -> Self {
        let (literals, judges): (Vec<_>, Vec<_>) = rules
            .into_iter()
            .flat_map(|rule| rule.anchors.iter().map(move |&anchor| (anchor, rule.judge)))
            .unzip();
        let search = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            // Twice as fast as the other kinds, and takes less than 1 MB.
            .kind(Some(AhoCorasickKind::DFA))
            .build(literals)
            .expect("a few hundred short literals are far below the limits of the automaton");
        Self { search, judges }
    }
}

/// Rules and patterns, ready to search.
pub(in crate::redact) struct Redactor {
    /// Made for the first text: that takes milliseconds.
    anchors: &'static LazyLock<Anchors>,
    patterns: Patterns,
}

impl Redactor {
    pub(in crate::redact) fn new(anchors: &'static LazyLock<Anchors>, patterns: Patterns) -> Self {
        Self { anchors, patterns }
    }

    pub(in crate::redact) fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// Returns `text` with every secret replaced by [`MASK`](super::MASK); takes time linear in its length.
    /// Redacting the result again changes nothing.
    pub(in crate::redact) fn redact<'a>(&self, text: &'a str) -> Redacted<'a> {
        let (mut text, mut removed) = (Cow::Borrowed(text), 0);
        // A mask may join what a secret separated. Clean text, the common case, is searched once.
        for _ in 0..MAX_PASSES {
            let found = self.find((&*text).into());
            if found.is_empty() {
                break;
            }
            removed += found.len();
            text = Cow::Owned(masked(&text, &found).into_owned());
        }
        Redacted { text, removed }
    }

    /// Returns where [`Self::redact`] puts a mask, as offsets in `text`.
    pub(in crate::redact) fn places(&self, text: &str) -> Vec<Range<usize>> {
        let mut places: Vec<Range<usize>> = Vec::new();
        for _ in 0..MAX_PASSES {
            let masked = masked(text, &places);
            let found = self.find(masked.as_ref().into());
            if found.is_empty() {
                break;
            }
            let found = in_original(&found, &places);
            places.extend(found);
            merge(&mut places);
        }
        places
    }

    /// Returns what one search finds, in ascending order.
    pub(in crate::redact) fn find(&self, shown: Shown<'_>) -> Vec<Range<usize>> {
        let text = shown.text;
        let mut found = Vec::new();
        let mut from = 0;
        let anchors = &**self.anchors;
        while let Some(hit) = anchors.search.find(Input::new(text).span(from..text.len())) {
            // An anchor may start inside another one that proved innocent.
            from = hit.start() + 1;
            match anchors.judges[hit.pattern().as_usize()] {
                Judge::One(judge) => found.extend(judge(shown, hit.range())),
                Judge::Two(judge) => found.extend(judge(shown, hit.range()).into_iter().flatten()),
            }
            from = from.max(found.last().map_or(0, |secret| secret.end));
        }
        // A rule that reads a limited number of bytes may have stopped inside a character.
        for secret in &mut found {
            *secret = text.floor_char_boundary(secret.start)..text.ceil_char_boundary(secret.end);
        }
        if self.patterns.find(text, &mut found) {
            merge(&mut found);
        }
        found
    }
}
