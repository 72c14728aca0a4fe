//! Finds the exchange that is closest to one that is on no tape.

use super::find::{Index, exact_key, loose_key, state_key};
use super::fits::Fits;
use super::hit::Hit;
use super::table::TableEntry;
use super::tape::IndexedTape;
use crate::key::{Context, ContextRules, Difference, Fingerprint, Invocation, TERMINAL};
use rangemap::RangeSet;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Maximum number of exchanges that are compared from each of the likely sources.
const MAX_OF_PLACE: usize = 24;

/// Maximum number of tapes that are checked if neither the input nor the prompt is on any tape, and how many of them
/// are compared.
const MAX_TAPES: usize = 10_000;
const MAX_COMPARED: usize = 256;

/// The weight of each part that differs.
const PROGRAM_COST: u32 = 1000;
const CONTEXT_COST: u32 = 60;
/// For tapes of the same command line.
const TERMINAL_COST: u32 = 50;
const PROMPT_COST: u32 = 40;
/// For inputs that have nothing in common.
const INPUT_COST: u32 = 30;
const STATE_COST: u32 = 10;

/// What a session has looked up.
#[derive(Debug, Clone, Copy)]
pub struct Lookup<'a> {
    pub rules: &'a ContextRules,
    pub session: &'a Context,
    pub prompt: &'a str,
    /// As it was typed.
    pub input: &'a [u8],
    pub state: Fingerprint,
    /// The tape and exchange that were played last.
    pub last: Option<(&'a str, u32)>,
    /// The exchanges of each tape that were played.
    pub played: Option<&'a BTreeMap<String, RangeSet<u32>>>,
    /// Only an exact match is accepted.
    pub is_strict: bool,
    /// A run, for which nobody says what is compared.
    pub is_run: bool,
    /// The command line that records the program.
    pub record_with: &'a str,
}

impl Lookup<'_> {
    pub(super) fn has_played(&self, hit: &Hit) -> bool {
        let of_tape = self.played.and_then(|played| played.get(&*hit.tape.id));
        of_tape.is_some_and(|played| played.contains(&hit.exchange))
    }
}

/// An exchange, and its differences from the requested one.
#[derive(Debug)]
pub(super) struct NearHit {
    pub(super) hit: Hit,
    /// Parts of the context.
    pub(super) context: Vec<Difference>,
    pub(super) has_other_prompt: bool,
    pub(super) has_other_input: bool,
    pub(super) has_other_state: bool,
}

impl Fits {
    /// Returns the exchange that differs least; among equals, the one that was expected next.
    /// Compares a limited number of exchanges.
    pub(super) fn nearest(&self, asked: &Lookup<'_>) -> Option<NearHit> {
        let prompt = Fingerprint::from_prompt(asked.prompt);
        let inputs = [
            Fingerprint::from_input(asked.input),
            Fingerprint::hidden_input(),
        ];
        let mut contexts = HashMap::new();
        let mut best: Option<(u32, NearHit)> = None;
        for hit in self.around(asked, prompt, inputs[0]) {
            let context = differences(&hit, asked, &mut contexts);
            let row = hit.row();
            let near = NearHit {
                has_other_prompt: !hit.is_start() && hit.tape.prompt(row).signature != prompt,
                has_other_input: !hit.is_start() && !row.hidden && !inputs.contains(&row.input),
                has_other_state: !hit.is_start() && row.state != asked.state,
                context: context.to_vec(),
                hit,
            };
            let cost = near.cost(asked.input);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, near));
            }
        }
        best.map(|(_, near)| near)
    }

    /// Returns likely exchanges, the likeliest first.
    fn around(&self, asked: &Lookup<'_>, prompt: Fingerprint, input: Fingerprint) -> Vec<Hit> {
        let index = &self.index;
        if asked.last.is_none() && asked.input.is_empty() {
            return self.starts_around(asked);
        }
        let mut hits: Vec<Hit> = Vec::new();
        let next = asked.last.and_then(|(tape, exchange)| {
            let tape = index.tape(tape)?;
            Hit::new(tape, exchange + 1)
        });
        hits.extend(next);
        let state = index.table.get(state_key(asked.state));
        let loose = index.table.get(loose_key(prompt, input));
        let exact = exact_key(prompt, input, asked.state);
        let exact = index.table.get(exact);
        for entries in [state, loose] {
            hits.extend(some(index, entries, |slot| self.has(slot)));
        }
        for entries in [exact, loose, state] {
            hits.extend(some(index, entries, |slot| !self.has(slot)));
        }
        let mut programs = hits.iter().map(|hit| &hit.tape.invocation.program);
        // Another program is not close as long as there are tapes of this one.
        if programs.all(|program| *program != asked.session.program) {
            let tapes = self.tapes_of(&asked.session.program).take(MAX_COMPARED);
            let typed = tapes.filter_map(|tape| {
                let number = tape.rows.iter().position(|row| row.input_len > 0);
                Hit::new(tape, u32::try_from(number.unwrap_or(0)).ok()?)
            });
            hits.extend(typed);
        }
        hits
    }

    /// Returns starts of the requested program, with any arguments.
    fn starts_around(&self, asked: &Lookup<'_>) -> Vec<Hit> {
        let tapes = self.tapes_of(&asked.session.program);
        let starts = tapes.filter_map(|tape| Hit::new(tape, 0));
        starts.filter(Hit::is_start).take(MAX_COMPARED).collect()
    }

    fn tapes_of(&self, program: &str) -> impl Iterator<Item = &Arc<IndexedTape>> {
        let slots = self.index.slots.iter().take(MAX_TAPES).flatten();
        slots.filter(move |tape| tape.invocation.program == program)
    }
}

/// Returns some exchanges of a list, without starts: they have no input to compare.
fn some<'a>(
    index: &'a Index,
    entries: &'a [TableEntry],
    is_wanted: impl Fn(u32) -> bool + 'a,
) -> impl Iterator<Item = Hit> + 'a {
    let wanted = entries
        .iter()
        .take(4 * MAX_OF_PLACE)
        .filter(move |entry| is_wanted(entry.slot));
    let hits = wanted.filter_map(|entry| index.hit(entry));
    hits.filter(|hit| !hit.is_start()).take(MAX_OF_PLACE)
}

/// Returns the differences between the invocation of a hit's tape and the session's; tapes share invocations.
fn differences<'a>(
    hit: &Hit,
    asked: &Lookup<'_>,
    known: &'a mut HashMap<*const Invocation, Vec<Difference>>,
) -> &'a [Difference] {
    let invocation = &hit.tape.invocation;
    known.entry(Arc::as_ptr(invocation)).or_insert_with(|| {
        let tape = asked.rules.context_of(invocation);
        tape.differences(asked.session)
    })
}

impl NearHit {
    fn cost(&self, input: &[u8]) -> u32 {
        let context = self.context.iter();
        let context = context.map(|difference| match &difference.part[..] {
            "program" => PROGRAM_COST,
            TERMINAL => TERMINAL_COST,
            _ => CONTEXT_COST,
        });
        let mut cost: u32 = context.sum();
        if self.has_other_prompt {
            cost += PROMPT_COST;
        }
        if self.has_other_input {
            cost += INPUT_COST - likeness(self.hit.input(), input);
        }
        if self.has_other_state {
            cost += STATE_COST;
        }
        cost
    }
}

/// Returns how similar the starts and ends of two inputs are: 0 to [`INPUT_COST`] - 1.
fn likeness(a: &[u8], b: &[u8]) -> u32 {
    let (a, b) = (without_enter(a), without_enter(b));
    let shorter = a.len().min(b.len());
    let longer = a.len().max(b.len()).max(1);
    let begin = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let end = a.iter().rev().zip(b.iter().rev());
    let end = end
        .take(shorter - begin)
        .take_while(|(a, b)| a == b)
        .count();
    let most = INPUT_COST as usize - 1;
    u32::try_from((begin + end) * most / longer).unwrap_or(0)
}

fn without_enter(input: &[u8]) -> &[u8] {
    let input = input.strip_suffix(b"\n").unwrap_or(input);
    input.strip_suffix(b"\r").unwrap_or(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_alike_in_begin_and_end() {
        assert_eq!(likeness(b"", b""), 0);
        assert_eq!(likeness(b"abc\r", b"abc\n"), INPUT_COST - 1);
        assert_eq!(likeness(b"abc", b"xyz"), 0);
        let near = likeness(b"select 1;\r", b"select 2;\r");
        assert!(near > likeness(b"select 1;\r", b"drop table x;\r"));
        assert!(near < INPUT_COST);
    }
}
