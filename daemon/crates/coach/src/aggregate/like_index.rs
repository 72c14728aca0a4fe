//! Finds the texts that are like a new one, without comparing it with all of them.
//! Two sets of words with a Jaccard index of 0.6 share at least 60 % of each set. So if the words of each set are put in one
//! order, the rarest first, alike sets share one of their first 40 % (and one more). Only those words are indexed.

use crate::instant::WINDOW_MS;
use crate::similarity::{Keywords, reaches_threshold};
use std::collections::{BTreeMap, HashMap};

/// The words of a text as numbers in ascending order; a rare word has a lower number than a frequent one.
pub(super) type Words = Vec<u32>;

/// Entries with a word, by the number of words after it and of all words.
type Postings = BTreeMap<(usize, usize), Vec<usize>>;

#[derive(Debug)]
struct Entry {
    family: usize,
    group: usize,
    at_ms: i64,
    words: Words,
    /// Whether it belongs to a candidate. Others are forgotten after 30 days.
    is_formed: bool,
}

/// Texts with the group that each belongs to, apart for each family: texts of different families are never compared.
#[derive(Debug, Default)]
pub(super) struct LikeIndex {
    numbers: HashMap<String, u32>,
    /// The entries that have a word in their prefix. A frequent word is late in most of its texts, where it says that too
    /// little can follow for most others: those are not even looked at.
    postings: HashMap<(usize, u32), Postings>,
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
        let mut words: Vec<_> = counts.iter().map(|(word, count)| (*count, *word)).collect();
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
        for (word, after) in prefix(&words) {
            let postings = self.postings.entry((family, word)).or_default();
            postings.entry((after, words.len())).or_default().push(id);
        }
        self.entries.push(Entry {
            family,
            group,
            at_ms,
            words,
            is_formed,
        });
        id
    }

    pub(super) fn remove(&mut self, id: usize) {
        let entry = &self.entries[id];
        for (word, after) in prefix(&entry.words) {
            let postings = self.postings.get_mut(&(entry.family, word));
            let ids = postings.and_then(|postings| postings.get_mut(&(after, entry.words.len())));
            if let Some(ids) = ids
                && let Ok(at) = ids.binary_search(&id)
            {
                ids.remove(at);
            }
        }
    }

    pub(super) fn set_formed(&mut self, entry: usize) {
        self.entries[entry].is_formed = true;
    }

    /// Returns the group with the text that is most like one of these; of equally alike ones the oldest text decides.
    pub(super) fn best(&self, family: usize, texts: &[Words], now_ms: i64) -> Option<usize> {
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
    pub(super) fn waiting_like(&self, family: usize, texts: &[Words], now_ms: i64) -> Vec<usize> {
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
        &self,
        family: usize,
        words: &[u32],
        now_ms: i64,
        mut visit: impl FnMut(usize, &Entry, usize),
    ) {
        for (word, after) in prefix(words) {
            let postings = self.postings.get(&(family, word));
            // The first word that alike texts share is in both prefixes, and only what follows it there can be shared too.
            let is_near = |((other_after, len), _): &(&(usize, usize), _)| {
                reaches_threshold(1 + after.min(*other_after), words.len(), *len)
            };
            let near = postings.into_iter().flatten().filter(is_near);
            for id in near.flat_map(|(_, ids)| ids) {
                let entry = &self.entries[*id];
                // An entry that shares several words of the prefix is visited for each; that changes no result.
                let shared = shared(words, &entry.words);
                let is_over = !entry.is_formed && entry.at_ms < now_ms - WINDOW_MS;
                if !is_over && reaches_threshold(shared, words.len(), entry.words.len()) {
                    visit(*id, entry, shared);
                }
            }
        }
    }
}

/// Returns the words that are indexed and looked up, each with the number of words after it.
fn prefix(words: &[u32]) -> impl Iterator<Item = (u32, usize)> {
    let must_share = (3 * words.len()).div_ceil(5);
    let len = words.len() - must_share + usize::from(!words.is_empty());
    words.iter().copied().zip((0..words.len()).rev()).take(len)
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
