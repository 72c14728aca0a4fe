//! The index of a directory, and the lookups that do not depend on a session.

use super::hit::{ExchangePlace, Hit};
use super::table::{Table, TableEntry, key_of};
use super::tape::{IndexedTape, TapeId};
use crate::key::{ContextRules, Fingerprint, Invocation};
use ccd_protocol::tape::TapeProblem;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The tapes in a directory at one moment.
#[derive(Debug, Clone)]
pub struct Index {
    pub root: Arc<Path>,
    /// Increases with each change.
    pub generation: u64,
    /// A tape keeps its slot as long as it exists.
    pub(super) slots: Vec<Option<Arc<IndexedTape>>>,
    /// Exchanges by each of their keys, and tapes by id.
    pub(super) table: Table,
    /// By path under the root: files that are not tapes, and why.
    pub(super) problems: Arc<BTreeMap<TapeId, TapeProblem>>,
}

/// Two exchanges with the same key: only the first one is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    pub first: ExchangePlace,
    pub second: ExchangePlace,
}

impl Index {
    /// Returns all tapes, in no particular order.
    pub fn tapes(&self) -> impl Iterator<Item = &Arc<IndexedTape>> {
        self.slots.iter().flatten()
    }

    /// Returns all tapes, sorted by id.
    pub(crate) fn tapes_by_id(&self) -> Vec<&IndexedTape> {
        let mut tapes: Vec<&IndexedTape> = self.tapes().map(AsRef::as_ref).collect();
        tapes.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        tapes
    }

    pub fn tape(&self, id: &str) -> Option<&Arc<IndexedTape>> {
        self.in_slot(self.slot(id)?)
    }

    /// Returns the files that are not tapes, and why, by path under the root.
    pub fn problems(&self) -> impl Iterator<Item = &TapeProblem> {
        self.problems.values()
    }

    pub fn path(&self, id: &str) -> PathBuf {
        self.root.join(format!("{id}.json5"))
    }

    pub fn exchanges(&self) -> usize {
        self.tapes().map(|tape| tape.rows.len()).sum()
    }

    /// Returns the exchanges after whose input the state is `state`: those that lead to a tape that begins in the
    /// middle of a conversation.
    pub fn after(&self, state: Fingerprint) -> Vec<Hit> {
        // The next exchange on the same tape shows where an exchange leads.
        let followed = self.table.get(state_key(state)).iter();
        let followed = followed.filter_map(|entry| {
            let before = TableEntry {
                exchange: entry.exchange.checked_sub(1)?,
                ..*entry
            };
            self.hit(&before)
        });
        let last = self.table.get(end_key(state)).iter();
        let last = last.filter_map(|entry| self.hit(entry));
        let mut hits: Vec<Hit> = followed.chain(last).collect();
        // No exchange leads to the state before the first input, except an exchange 0 without input, which is the start
        // itself.
        hits.retain(|hit| hit.state_after() == state);
        hits.sort_by(|a, b| (a.tape.age(), a.exchange).cmp(&(b.tape.age(), b.exchange)));
        hits
    }

    /// Returns the exchange that leads to a tape which begins in the middle of a conversation, from another tape with
    /// the same invocation.
    pub fn leads_to(
        &self,
        state: Fingerprint,
        invocation: &Invocation,
        rules: &ContextRules,
    ) -> Option<Hit> {
        let context = rules.context_of(invocation);
        let is_alike = |hit: &Hit| {
            let before = rules.context_of(&hit.tape.invocation);
            // A tape that does not record its environment may be on either side.
            before.fits(&context) || context.fits(&before)
        };
        self.after(state).into_iter().find(is_alike)
    }

    /// Returns exchanges that are never found, because an older one of the same context has the same prompt, input and
    /// state: at most `most`, and how many more there are.
    pub fn duplicates(&self, rules: &ContextRules, most: usize) -> (Vec<Duplicate>, u64) {
        let (mut duplicates, mut more) = (Vec::new(), 0);
        let mut firsts: Vec<Hit> = Vec::new();
        let mut last_key = None;
        for entry in self.table.iter() {
            let Some(hit) = self.hit(entry).filter(|hit| hit.exact_key() == entry.key) else {
                continue;
            };
            if last_key.replace(entry.key) != Some(entry.key) {
                firsts.clear();
            }
            let context = rules.context_of(&hit.tape.invocation);
            let same = |first: &&Hit| rules.context_of(&first.tape.invocation) == context;
            match firsts.iter().find(same) {
                Some(_) if duplicates.len() >= most => more += 1,
                Some(first) => duplicates.push(Duplicate {
                    first: first.place(),
                    second: hit.place(),
                }),
                // Keys with a hundred different contexts need no special treatment.
                None if firsts.len() < 100 => firsts.push(hit),
                None => {}
            }
        }
        duplicates.sort_by_cached_key(|Duplicate { second, .. }| {
            (TapeId::clone(&second.tape), second.exchange)
        });
        (duplicates, more)
    }

    #[cfg(test)]
    pub fn memory_bytes(&self) -> usize {
        let tapes = self.tapes().map(|tape| tape.memory_bytes());
        self.table.bytes() + tapes.sum::<usize>() + self.slots.capacity() * size_of::<usize>()
    }

    pub(super) fn slot(&self, id: &str) -> Option<u32> {
        let entries = self.table.get(id_key(id)).iter();
        entries
            .map(|entry| entry.slot)
            .find(|slot| self.in_slot(*slot).is_some_and(|tape| &*tape.id == id))
    }

    pub(super) fn in_slot(&self, slot: u32) -> Option<&Arc<IndexedTape>> {
        self.slots.get(slot as usize)?.as_ref()
    }

    pub(super) fn hit(&self, entry: &TableEntry) -> Option<Hit> {
        let tape = self.in_slot(entry.slot)?;
        Hit::new(tape, entry.exchange)
    }
}

impl IndexedTape {
    #[cfg(test)]
    pub(super) fn memory_bytes(&self) -> usize {
        let meta = &self.meta;
        let words = meta
            .args
            .iter()
            .chain(meta.env.keys())
            .chain(meta.env.values());
        // The words are in `meta` and, normalised, in the invocation, which tapes may share.
        let words: usize = words
            .map(|word| 2 * (word.len() + size_of::<String>()))
            .sum();
        let prompts = self.prompts.iter();
        let prompts: usize = prompts.map(|prompt| prompt.text.len() + 40).sum();
        size_of::<Self>()
            + self.rows.capacity() * size_of::<super::tape::ExchangeRow>()
            + self.inputs.capacity()
            + prompts
            + words
            + 2 * self.id.len()
    }

    /// Returns the entries of the tape, in no particular order.
    pub(super) fn entries(&self, slot: u32) -> Vec<TableEntry> {
        let mut entries = Vec::with_capacity(3 * self.rows.len() + 2);
        let mut add = |key, exchange| {
            entries.push(TableEntry {
                key,
                slot,
                exchange,
            });
        };
        for (exchange, row) in (0..).zip(&self.rows) {
            let prompt = self.prompt(row).signature;
            add(state_key(row.state), exchange);
            if !row.unfinished {
                add(exact_key(prompt, row.input, row.state), exchange);
                add(loose_key(prompt, row.input), exchange);
            }
        }
        let last = self.exchanges().saturating_sub(1);
        if !self.rows.is_empty() {
            add(end_key(self.end_state), last);
        }
        add(id_key(&self.id), last);
        entries
    }
}

impl Hit {
    fn exact_key(&self) -> u64 {
        let row = self.row();
        exact_key(self.tape.prompt(row).signature, row.input, row.state)
    }
}

/// Orders entries by tape, the oldest first.
pub(super) fn by_age(
    slots: &[Option<Arc<IndexedTape>>],
) -> impl Fn(&TableEntry, &TableEntry) -> Ordering + Sync {
    |a, b| {
        let age = |entry: &TableEntry| {
            let tape = slots.get(entry.slot as usize).and_then(Option::as_ref);
            tape.map(|tape| tape.age())
        };
        if a.slot == b.slot {
            return a.exchange.cmp(&b.exchange);
        }
        age(a).cmp(&age(b)).then(a.slot.cmp(&b.slot))
    }
}

// The first number separates keys of different things.

pub(super) fn exact_key(prompt: Fingerprint, input: Fingerprint, state: Fingerprint) -> u64 {
    key_of(&[0, prompt.0, input.0, state.0])
}

pub(super) fn loose_key(prompt: Fingerprint, input: Fingerprint) -> u64 {
    key_of(&[1, prompt.0, input.0])
}

/// Returns the key of exchanges before which the state is `state`.
pub(super) fn state_key(state: Fingerprint) -> u64 {
    key_of(&[2, state.0])
}

/// Returns the key of last exchanges after which the state is `state`.
fn end_key(state: Fingerprint) -> u64 {
    key_of(&[3, state.0])
}

fn id_key(id: &str) -> u64 {
    let words = id.as_bytes().chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    let words: Vec<u64> = std::iter::once(4).chain(words).collect();
    key_of(&words)
}
