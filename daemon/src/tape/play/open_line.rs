//! The line that is being typed, as far as exchanges have taken of it: they can be taken back.
//!
//! A recording that was cut off in the middle of a line has an exchange with what stood there by then. Who types a longer
//! line key by key is taken for it, and what follows is on no tape, unless the line is looked up as a whole.

use super::player::Playing;
use super::search::{Found, Search, ends_line, find};
use crate::tape::format::Exchange;
use crate::tape::index::Hit;
use crate::tape::key::{PromptTracker, StateHash};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Bytes of what is kept of a line, and of what goes on with it. What was taken first goes first.
const MAX_BYTES: usize = 4096;

/// The exchanges since the last end of a line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct OpenLine {
    /// Before the first one.
    state: StateHash,
    exchanges: VecDeque<Taken>,
    /// What is pending begins with so many bytes that were taken back: no input ends there.
    pub(super) beyond: usize,
}

/// An exchange that has taken a part of the line.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Taken {
    tape: String,
    exchange: u32,
    ordinal: u64,
    /// As it was typed.
    input: Vec<u8>,
    printed: Vec<u8>,
    /// Before it, as the exchange that had played.
    prompt: String,
    at: Option<(String, u32)>,
}

impl Taken {
    fn bytes(&self) -> usize {
        self.input.len() + self.printed.len() + self.prompt.len() + self.tape.len()
    }
}

impl Default for OpenLine {
    fn default() -> Self {
        Self {
            state: StateHash::start(),
            exchanges: VecDeque::new(),
            beyond: 0,
        }
    }
}

/// What [`find`] goes by.
pub(super) struct Place {
    pub(super) pending: Vec<u8>,
    pub(super) state: StateHash,
    pub(super) prompt: PromptTracker,
    pub(super) at: Option<(String, u32)>,
}

impl Place {
    fn swap(&mut self, playing: &mut Playing) {
        std::mem::swap(&mut self.pending, &mut playing.pending);
        std::mem::swap(&mut self.state, &mut playing.state);
        std::mem::swap(&mut self.prompt, &mut playing.prompt);
        std::mem::swap(&mut self.at, &mut playing.at);
    }
}

impl OpenLine {
    /// Nothing of what was typed can be taken back.
    pub(super) fn clear(&mut self) {
        self.exchanges.clear();
    }

    /// What was typed of the line without another answer than its echo, with `pending`; `None`: no more than that.
    pub(super) fn with_echoes(&self, pending: &[u8]) -> Option<Place> {
        let is_echo = |taken: &&Taken| taken.printed == taken.input;
        let echoes = self.exchanges.iter().rev().take_while(is_echo).count();
        (echoes > 0).then(|| self.before(self.exchanges.len() - echoes, pending))
    }

    /// Where the line was before one of its exchanges, with that input and those behind it as pending, and `pending`.
    fn before(&self, number: usize, pending: &[u8]) -> Place {
        let mut state = self.state.clone();
        for taken in self.exchanges.range(..number) {
            state.feed(&taken.input);
        }
        let first = &self.exchanges[number];
        let mut prompt = PromptTracker::default();
        prompt.feed(first.prompt.as_bytes());
        let inputs = self.exchanges.range(number..).map(|taken| &taken.input);
        let mut all: Vec<u8> = inputs.flatten().copied().collect();
        all.extend_from_slice(pending);
        Place {
            pending: all,
            state,
            prompt,
            at: first.at.clone(),
        }
    }
}

impl Playing {
    /// Where it is.
    pub(super) fn place(&self) -> Place {
        Place {
            pending: self.pending.clone(),
            state: self.state.clone(),
            prompt: self.prompt.clone(),
            at: self.at.clone(),
        }
    }

    /// Notes that an exchange is about to play: it takes `input`, and prints `printed`.
    pub(super) fn note_open(&mut self, hit: &Hit, input: &[u8], exchange: &Exchange) {
        let output = || exchange.chunks.iter().flat_map(|chunk| &chunk.data);
        // A line that the program has gone on from stays as it is.
        let is_open = !input.is_empty()
            && !ends_line(input)
            && !hit.is_hidden()
            && exchange.exit.is_none()
            && output().count() <= MAX_BYTES
            && !output().any(|byte| *byte == b'\n');
        let line = &mut self.open_line;
        line.beyond = 0;
        if !is_open {
            line.clear();
            return;
        }
        if line.exchanges.is_empty() {
            line.state = self.state.clone();
        }
        line.exchanges.push_back(Taken {
            tape: hit.tape.id.to_string(),
            exchange: hit.exchange,
            ordinal: self.ordinal,
            input: input.to_vec(),
            printed: output().copied().collect(),
            prompt: self.prompt.prompt(),
            at: self.at.clone(),
        });
        while line.exchanges.iter().map(Taken::bytes).sum::<usize>() > MAX_BYTES {
            if let Some(first) = line.exchanges.pop_front() {
                line.state.feed(&first.input);
            }
        }
    }

    /// Forgets the exchanges of the open line from one on: what they have printed is the echo of what is pending now.
    fn take_back(&mut self, number: usize) {
        let taken: Vec<Taken> = self.open_line.exchanges.drain(number..).collect();
        let mut printed = Vec::new();
        for taken in &taken {
            printed.extend_from_slice(&taken.printed);
            if let Some(played) = self.played.get_mut(&taken.tape) {
                played.remove(taken.exchange..taken.exchange + 1);
            }
        }
        let answers = taken.len() as u64;
        self.uses.hits = self.uses.hits.saturating_sub(answers);
        printed.append(&mut self.echoed);
        self.echoed = printed;
        if let Some(first) = taken.first() {
            self.queue.retain(|queued| queued.ordinal < first.ordinal);
        }
        let kept = self.typed.len().saturating_sub(taken.len());
        self.typed.truncate(kept);
    }
}

/// As [`find`]; where nothing is found, of the open line as much is taken back as something is found for.
pub(super) fn find_in_line(search: &Search<'_>, playing: &mut Playing) -> Found {
    let found = find(search, playing);
    let is_nothing = matches!(found, Found::Open | Found::Nothing);
    if !is_nothing || search.is_start || playing.pending.len() > MAX_BYTES {
        return found;
    }
    for number in (0..playing.open_line.exchanges.len()).rev() {
        let mut place = playing.open_line.before(number, &playing.pending);
        let beyond = playing.open_line.exchanges[number].input.len();
        place.swap(playing);
        let found = find(&Search { beyond, ..*search }, playing);
        let is_more = match &found {
            Found::Answer { len, .. } => *len > beyond,
            Found::Part { hit } => hit.is_some(),
            Found::Open | Found::Nothing => false,
        };
        if is_more {
            playing.take_back(number);
            playing.open_line.beyond = beyond;
            return found;
        }
        place.swap(playing);
    }
    found
}
