//! Searches for plain texts, without an automaton of a regular expression.

use super::match_end::MatchEnd;
use super::text::Text;
use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memmem;
use regex_automata::PatternID;
use regex_syntax::hir::{Hir, HirKind};

/// Longer lists are searched by an automaton: whether a match is final is decided text by text.
const MAX_TEXTS: usize = 64;
const MAX_TEXTS_BYTES: usize = 4 << 10;

/// The texts of a list, none of them empty.
pub(super) struct Literals {
    texts: Vec<Box<[u8]>>,
    longest_bytes: usize,
    finder: Finder,
}

enum Finder {
    One(Box<memmem::Finder<'static>>),
    Many(AhoCorasick),
}

/// The state of a search: offsets are those of [`Text`].
#[derive(Default)]
pub(super) struct LiteralSearch {
    /// The offset before which no match starts.
    pub(super) safe: u64,
    /// A match that further text could change.
    pub(super) best: Option<MatchEnd>,
}

impl Literals {
    /// Returns the texts of a list; `None` if it needs an automaton.
    pub(super) fn from_hirs(hirs: &[Hir]) -> Option<Self> {
        if hirs.len() > MAX_TEXTS {
            return None;
        }
        let texts = hirs.iter().map(|hir| match hir.kind() {
            HirKind::Literal(literal) => Some(literal.0.clone()),
            _ => None,
        });
        let texts: Vec<Box<[u8]>> = texts.collect::<Option<_>>()?;
        if texts.iter().map(|text| text.len()).sum::<usize>() > MAX_TEXTS_BYTES {
            return None;
        }
        let finder = match &texts[..] {
            [text] => Finder::One(Box::new(memmem::Finder::new(text).into_owned())),
            texts => {
                let mut builder = AhoCorasick::builder();
                let builder = builder.match_kind(MatchKind::LeftmostFirst);
                Finder::Many(builder.build(texts).ok()?)
            }
        };
        Some(Self {
            longest_bytes: texts.iter().map(|text| text.len()).max().unwrap_or(0),
            texts,
            finder,
        })
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let texts: usize = self.texts.iter().map(|text| text.len()).sum();
        match &self.finder {
            Finder::One(_) => 2 * texts,
            Finder::Many(finder) => texts + finder.memory_usage(),
        }
    }

    /// Returns the leftmost text in `bytes`, and where it starts; of those that start there, the first in the list.
    fn find(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        match &self.finder {
            Finder::One(finder) => finder.find(bytes).map(|start| (0, start)),
            Finder::Many(finder) => {
                let found = finder.find(bytes)?;
                Some((found.pattern().as_usize(), found.start()))
            }
        }
    }

    /// Returns whether more output could put another match in place of text `index` at `start`: one that starts
    /// before it, or one that starts there and is earlier in the list.
    fn may_change(&self, bytes: &[u8], index: usize, start: usize) -> bool {
        if self.texts.len() == 1 {
            return false;
        }
        let first = (bytes.len() + 1).saturating_sub(self.longest_bytes);
        (first..=start).any(|at| {
            let rest = &bytes[at..];
            let others = self.texts.iter().enumerate();
            others
                .filter(|(other, _)| at < start || *other < index)
                .any(|(_, text)| text.len() > rest.len() && text.starts_with(rest))
        })
    }

    /// Returns whether a `\r` after `text` would complete a match.
    pub(super) fn await_return(&self, text: &Text) -> bool {
        self.texts.iter().any(|literal| {
            let start = literal.strip_suffix(b"\r");
            start.is_some_and(|start| text.bytes().ends_with(start))
        })
    }
}

impl LiteralSearch {
    /// Searches what was appended to `text`, whose end was `searched` before.
    pub(super) fn advance(
        &mut self,
        literals: &Literals,
        searched: u64,
        text: &Text,
    ) -> Option<MatchEnd> {
        let overlap = (literals.longest_bytes as u64).saturating_sub(1);
        if self.best.is_none() {
            self.safe = self.safe.max(searched.saturating_sub(overlap));
        }
        let bytes = text.from(self.safe);
        let Some((index, start)) = literals.find(bytes) else {
            self.safe = self.safe.max(text.end().saturating_sub(overlap));
            return None;
        };
        let end = start + literals.texts[index].len();
        let found = MatchEnd {
            end: self.safe + end as u64,
            pattern: PatternID::must(index),
        };
        if literals.may_change(bytes, index, start) {
            self.best = Some(found);
            return None;
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::super::matcher::{Hit, Matcher};
    use super::super::patterns::{Pattern, Patterns};
    use proptest::prelude::*;
    use std::sync::Arc;

    /// Searches output that arrives in pieces; after those that are marked, it pauses.
    fn search(patterns: Patterns, pieces: &[(Vec<u8>, bool)]) -> Option<Hit> {
        let mut matcher = Matcher::new(Arc::new(patterns), 7, encoding_rs::UTF_8);
        for (piece, pauses) in pieces {
            let hit = matcher.feed(piece);
            let hit = hit.or_else(|| matcher.pause().filter(|_| *pauses));
            if hit.is_some() {
                return hit;
            }
        }
        matcher.pause()
    }

    fn list(texts: &[String]) -> Vec<Pattern> {
        let texts = texts.iter().cloned().map(Pattern::Exact);
        texts.chain([Pattern::Eof]).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn texts_are_found_where_an_automaton_finds_them(
            texts in prop::collection::vec("[ab\r\n]{1,4}", 0..5),
            pieces in prop::collection::vec(("[ab\r\n]{0,6}|\x1b\\[1m", any::<bool>()), 0..8),
            raw: bool,
        ) {
            let list = list(&texts);
            let pieces: Vec<_> = pieces.into_iter().map(|(text, pauses)| (text.into_bytes(), pauses)).collect();
            let literals = Patterns::compile(&list, raw).unwrap();
            prop_assert!(literals.has_only_texts());
            let automaton = Patterns::with_automaton(&list, raw).unwrap();
            prop_assert_eq!(search(literals, &pieces), search(automaton, &pieces));
        }
    }

    #[test]
    fn a_text_that_may_still_become_a_better_one_waits_for_more() {
        let texts = ["abc", "ab", "xabd"].map(String::from);
        let find = |pieces: &[&str]| {
            let patterns = Patterns::compile(&list(&texts), false).unwrap();
            let mut matcher = Matcher::new(Arc::new(patterns), 0, encoding_rs::UTF_8);
            let hit = pieces
                .iter()
                .find_map(|piece| matcher.feed(piece.as_bytes()));
            (hit.map(|hit| hit.index), matcher.undecided())
        };
        assert_eq!(find(&["-ab"]), (None, true));
        assert_eq!(find(&["-ab", "c"]), (Some(0), false));
        assert_eq!(find(&["-ab", "d"]), (Some(1), false));
        assert_eq!(find(&["xab"]), (None, true));
        assert_eq!(find(&["xab", "d"]), (Some(2), false));
    }

    #[test]
    fn what_an_automaton_must_find_is_left_to_it() {
        let regex = |text: &str| Pattern::Regex(text.into());
        let has_only_texts =
            |list: &[Pattern]| Patterns::compile(list, false).unwrap().has_only_texts();
        assert!(has_only_texts(&[regex("done\\."), Pattern::Eof]));
        assert!(!has_only_texts(&[
            regex("done."),
            Pattern::Exact("x".into())
        ]));
        assert!(!has_only_texts(&[Pattern::Exact(String::new())]));
        assert!(!has_only_texts(&vec![Pattern::Exact("x".into()); 100]));
        assert!(!has_only_texts(&[Pattern::Exact("x".repeat(10_000))]));
    }
}
