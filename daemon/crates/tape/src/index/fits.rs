//! The tapes that fit a session, and the lookups among them.

use super::find::{Index, exact_key, loose_key, state_key};
use super::hit::Hit;
use super::table::TableEntry;
use super::tape::{ExchangeRow, IndexedTape};
use crate::key::{Context, ContextRules, Fingerprint, Invocation, StateHash, ends_line};
use std::collections::HashMap;
use std::sync::Arc;

/// The tapes of an index whose recording was started like the session.
/// It refers to its index as it was; when [`Index::generation`] has changed, a new set must be made.
#[derive(Debug, Clone)]
pub struct Fits {
    pub index: Arc<Index>,
    /// By slot.
    fits: Arc<[bool]>,
}

impl Index {
    pub fn exchange(&self, tape: &str, exchange: u32) -> Option<Hit> {
        Hit::new(self.tape(tape)?, exchange)
    }

    /// Returns the tapes whose recording was started like the session.
    pub fn fits(self: &Arc<Self>, rules: &ContextRules, session: &Context) -> Fits {
        // Tapes share their invocations.
        let mut known: HashMap<*const Invocation, bool> = HashMap::new();
        let mut fits = |tape: &Arc<IndexedTape>| {
            let invocation = &tape.invocation;
            let of_context = || rules.context_of(invocation).fits(session);
            invocation.program == session.program
                && *known
                    .entry(Arc::as_ptr(invocation))
                    .or_insert_with(of_context)
        };
        let fits = self
            .slots
            .iter()
            .map(|tape| tape.as_ref().is_some_and(&mut fits));
        Fits {
            index: Arc::clone(self),
            fits: fits.collect(),
        }
    }
}

impl Fits {
    #[cfg(test)]
    pub(super) fn len(&self) -> u32 {
        self.fits.iter().map(|fits| u32::from(*fits)).sum()
    }

    /// Returns the exchange with this prompt, input and state; if there are several, always that of the oldest tape.
    /// If the tape's input was hidden, any line matches.
    pub fn exact(&self, prompt: &str, input: &[u8], state: Fingerprint) -> Option<Hit> {
        let prompt = Fingerprint::from_prompt(prompt);
        let find = |input: Fingerprint| {
            let key = exact_key(prompt, input, state);
            let mut hits = self.hits(self.index.table.get(key), |tape, row, _| {
                row.state == state && row.input == input && tape.prompt(row).signature == prompt
            });
            hits.next()
        };
        find(Fingerprint::from_input(input))
            .or_else(|| ends_line(input).then(|| find(Fingerprint::hidden_input()))?)
    }

    /// Returns the exchanges that continue from a state, at a given prompt or at any: the inputs that typed bytes may
    /// become.
    /// The oldest tape comes first; starts of programs are left out.
    pub fn candidates(
        &self,
        prompt: Option<&str>,
        state: Fingerprint,
    ) -> impl Iterator<Item = Hit> {
        let prompt = prompt.map(Fingerprint::from_prompt);
        let entries = self.index.table.get(state_key(state));
        self.hits(entries, move |tape, row, exchange| {
            row.state == state
                && prompt.is_none_or(|prompt| tape.prompt(row).signature == prompt)
                && !(exchange == 0 && row.input_len == 0)
        })
    }

    /// Returns the next exchange of a tape, after a given one, that has this prompt and input; if `input` is `None`,
    /// any input.
    pub(crate) fn next_in(
        &self,
        tape: &str,
        after: Option<u32>,
        prompt: &str,
        input: Option<&[u8]>,
    ) -> Option<Hit> {
        let prompt = Fingerprint::from_prompt(prompt);
        let input = input.map(Fingerprint::from_input);
        let slot = self.index.slot(tape).filter(|slot| self.has(*slot))?;
        let tape = self.index.in_slot(slot)?;
        let from = after.map_or(0, |after| after as usize + 1);
        let rows = tape.rows.iter().enumerate().skip(from);
        let mut found = rows.filter(|(_, row)| {
            let is_input = input.is_none_or(|input| row.input == input || row.hidden);
            let is_answer = is_input && !row.unfinished;
            is_answer && tape.prompt(row).signature == prompt && row.input_len > 0
        });
        let (exchange, _) = found.next()?;
        Hit::new(tape, u32::try_from(exchange).ok()?)
    }

    /// Returns the exchanges with this prompt and input in any state, the oldest tape first.
    pub(crate) fn loose(&self, prompt: &str, input: &[u8]) -> impl Iterator<Item = Hit> {
        let prompt = Fingerprint::from_prompt(prompt);
        let inputs = [Fingerprint::from_input(input), Fingerprint::hidden_input()];
        inputs.into_iter().flat_map(move |input| {
            let entries = self.index.table.get(loose_key(prompt, input));
            self.hits(entries, move |tape, row, _| {
                row.input == input && tape.prompt(row).signature == prompt
            })
        })
    }

    /// Returns the starts of the program, the oldest tape first.
    pub fn start(&self) -> impl Iterator<Item = Hit> {
        let state = StateHash::start().fingerprint();
        let entries = self.index.table.get(state_key(state));
        self.hits(entries, |_, row, exchange| {
            exchange == 0 && row.input_len == 0
        })
    }

    /// Returns the length of the longest input in bytes. Checks all exchanges.
    pub(crate) fn longest_input(&self) -> usize {
        let slots = (0..).zip(&self.index.slots);
        let tapes = slots.filter(|(slot, _)| self.has(*slot));
        let rows = tapes.flat_map(|(_, tape)| tape.iter().flat_map(|tape| &tape.rows));
        rows.map(|row| row.input_len as usize).max().unwrap_or(0)
    }

    pub(super) fn has(&self, slot: u32) -> bool {
        self.fits.get(slot as usize) == Some(&true)
    }

    /// Returns the wanted exchanges among these entries, of tapes that fit.
    fn hits<'a>(
        &'a self,
        entries: &'a [TableEntry],
        is_wanted: impl Fn(&IndexedTape, &ExchangeRow, u32) -> bool + 'a,
    ) -> impl Iterator<Item = Hit> + 'a {
        let entries = entries.iter().filter(|entry| self.has(entry.slot));
        entries.filter_map(move |entry| {
            let tape = self.index.in_slot(entry.slot)?;
            let row = tape.rows.get(entry.exchange as usize)?;
            is_wanted(tape, row, entry.exchange).then(|| Hit {
                tape: Arc::clone(tape),
                exchange: entry.exchange,
            })
        })
    }
}
