//! Finds the texts that are like a new one, without comparing it with all of them.
//! Two sets of words with a Jaccard index of 0.6 share at least 60 % of each set. So if the words of each set are put in one
//! order, the rarest first, alike sets share one of their first 40 % (and one more). Only those words are indexed.

use crate::instant::WINDOW_MS;
use crate::similarity::{Keywords, reaches_threshold};
use std::collections::HashMap;

/// The words of a text as numbers in ascending order; a rare word has a lower number than a frequent one.
pub(super) type Words = Vec<u32>;

#[derive(Debug)]
struct Entry {
    group: usize,
    at_ms: i64,
    words: Words,
    /// Whether it belongs to a candidate. Others are forgotten after 30 days.
    is_formed: bool,
    is_removed: bool,
}

/// Texts with the group that each belongs to, apart for each family: texts of different families are never compared.
#[derive(Debug, Default)]
pub(super) struct LikeIndex {
    numbers: HashMap<String, u32>,
    postings: HashMap<(usize, u32), Vec<usize>>,
    entries: Vec<Entry>,
}

impl LikeIndex {
    pub(super) fn new<'a>(all: impl Iterator<Item = &'a Keywords>) -> Self {
        let mut counts: HashMap<&str, u32> = HashMap::new();
        for keywords in all {
            for word in keywords.iter() {
                *counts.entry(word).or_default() += 1;
            }
        }
        let mut words: Vec<(u32, &str)> = counts
            .into_iter()
            .map(|(word, count)| (count, word))
            .collect();
        words.sort_unstable();
        let numbered = words
            .into_iter()
            .zip(0..)
            .map(|((_, word), number)| (word.to_owned(), number));
        Self {
            numbers: numbered.collect(),
            ..Self::default()
        }
    }

    /// Returns keywords as numbers. A word that [`Self::new`] has not seen is left out.
    pub(super) fn words(&self, keywords: &Keywords) -> Words {
        let mut words: Words = keywords
            .iter()
            .filter_map(|word| self.numbers.get(word).copied())
            .collect();
        words.sort_unstable();
        words
    }

    /// Adds a text to a group; returns the number of the entry.
    pub(super) fn add(
        &mut self,
        family: usize,
        group: usize,
        at_ms: i64,
        words: Words,
        is_formed: bool,
    ) -> usize {
        let id = self.entries.len();
        for word in prefix(&words) {
            self.postings.entry((family, *word)).or_default().push(id);
        }
        self.entries.push(Entry {
            group,
            at_ms,
            words,
            is_formed,
            is_removed: false,
        });
        id
    }

    pub(super) fn remove(&mut self, entry: usize) {
        self.entries[entry].is_removed = true;
    }

    pub(super) fn set_formed(&mut self, entry: usize) {
        self.entries[entry].is_formed = true;
    }

    /// Returns the group with the text that is most like one of these; of equally alike ones the oldest text decides.
    pub(super) fn best(&mut self, family: usize, texts: &[Words], now_ms: i64) -> Option<usize> {
        let mut best: Option<(usize, usize, usize)> = None; // shared words, all words, entry
        for words in texts {
            self.for_each_like(family, words, now_ms, |id, entry, shared| {
                let all = words.len() + entry.words.len() - shared;
                let is_better = best.is_none_or(|(most, of, first)| {
                    let (this, that) = (shared * of, most * all);
                    this > that || (this == that && id < first)
                });
                if is_better {
                    best = Some((shared, all, id));
                }
            });
        }
        best.map(|(_, _, id)| self.entries[id].group)
    }

    /// Returns the groups without a candidate that have a text like one of these, in ascending order.
    pub(super) fn waiting_like(
        &mut self,
        family: usize,
        texts: &[Words],
        now_ms: i64,
    ) -> Vec<usize> {
        let mut groups = Vec::new();
        for words in texts {
            self.for_each_like(family, words, now_ms, |_, entry, _| {
                if !entry.is_formed {
                    groups.push(entry.group);
                }
            });
        }
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    fn for_each_like(
        &mut self,
        family: usize,
        words: &[u32],
        now_ms: i64,
        mut visit: impl FnMut(usize, &Entry, usize),
    ) {
        let entries = &self.entries;
        for word in prefix(words) {
            let Some(posting) = self.postings.get_mut(&(family, *word)) else {
                continue;
            };
            posting.retain(|id| !entries[*id].is_gone(now_ms));
            for id in posting.iter() {
                let entry = &entries[*id];
                // An entry that shares several words of the prefix is visited for each; that changes no result.
                let shared = shared(words, &entry.words);
                if reaches_threshold(shared, words.len(), entry.words.len()) {
                    visit(*id, entry, shared);
                }
            }
        }
    }
}

impl Entry {
    fn is_gone(&self, now_ms: i64) -> bool {
        self.is_removed || (!self.is_formed && self.at_ms < now_ms - WINDOW_MS)
    }
}

fn prefix(words: &[u32]) -> &[u32] {
    let must_share = (3 * words.len()).div_ceil(5);
    &words[..words.len() - must_share + usize::from(!words.is_empty())]
}

/// Returns whether a text of one list is like a text of the other.
pub(super) fn are_like(left: &[Words], right: &[Words]) -> bool {
    left.iter().any(|l| {
        right
            .iter()
            .any(|r| reaches_threshold(shared(l, r), l.len(), r.len()))
    })
}

/// Returns how many numbers two ascending lists have in common.
fn shared(left: &[u32], right: &[u32]) -> usize {
    let (mut l, mut r, mut count) = (0, 0, 0);
    while l < left.len() && r < right.len() {
        match left[l].cmp(&right[r]) {
            std::cmp::Ordering::Less => l += 1,
            std::cmp::Ordering::Greater => r += 1,
            std::cmp::Ordering::Equal => {
                count += 1;
                l += 1;
                r += 1;
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_index_finds_what_a_comparison_with_all_finds(
            texts in proptest::collection::vec("[a-f]{2}( [a-f]{2}){0,7}", 1..30)
        ) {
            let keywords: Vec<_> = texts.iter().map(|text| Keywords::new(text)).collect();
            let mut index = LikeIndex::new(keywords.iter());
            for (group, words) in keywords.iter().enumerate() {
                let numbers = index.words(words);
                let best = index.best(0, std::slice::from_ref(&numbers), 0);
                let found = keywords[..group].iter().map(|other| other.similarity(words)).filter(|s| *s >= 0.599);
                let most = found.fold(None, |most: Option<f64>, s| Some(most.map_or(s, |m| m.max(s))));
                let of_best = best.map(|group| keywords[group].similarity(words));
                prop_assert_eq!(of_best, most);
                index.add(0, group, 0, numbers, true);
            }
        }
    }
}
