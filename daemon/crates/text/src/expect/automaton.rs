//! Runs the automaton over text that arrives in pieces, each byte once.

use super::match_end::MatchEnd;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::util::start::Config as StartConfig;
use regex_automata::{Anchored, PatternID};

/// The current state of the automaton is analysed in full once per this number of bytes.
const BLOCK_BYTES: usize = 1024;

/// Maximum size of an automaton that is kept for the next search.
const SPARE_CACHE_BYTES: usize = 256 << 10;

/// One byte of each kind that may precede the first byte of a search.
const LOOK_BEHIND: [u8; 4] = [b' ', b'a', b'\n', b'\r'];

/// Maximum number of stored verdicts about states.
const MAX_VERDICTS: usize = 64;

/// More kinds of states than this after a match mean that it could still grow.
const MAX_KINDS_AFTER: usize = 4;

const NEVER_GIVES_UP: &str = "no limit of the automaton lets it give up";

/// The state of a search: offsets are those of [`Text`](super::text::Text).
pub(super) struct AutomatonSearch {
    cache: Cache,
    clear_count: usize,
    starts: Vec<LazyStateID>,
    verdicts: Vec<(LazyStateID, bool)>,
    state: LazyStateID,
    is_dead: bool,
    /// A match that further text could change.
    pub(super) best: Option<MatchEnd>,
    /// The offset before which no match starts that was not reported yet.
    /// There the automaton was in a start state. During a match it never is, because its states are lists in which
    /// those of older matches come first.
    pub(super) safe: u64,
}

impl AutomatonSearch {
    pub(super) fn new(dfa: &DFA) -> Self {
        let mut cache = dfa.create_cache();
        let starts = start_states(dfa, &mut cache);
        Self {
            clear_count: cache.clear_count(),
            state: start_state(dfa, &mut cache, None),
            cache,
            starts,
            verdicts: Vec::new(),
            is_dead: false,
            best: None,
            safe: 0,
        }
    }

    /// Returns whether the buffers are small enough to be kept for the next search.
    pub(super) fn is_small(&self) -> bool {
        self.cache.memory_usage() <= SPARE_CACHE_BYTES
    }

    pub(super) fn begin(&mut self, dfa: &DFA) {
        if self.cache.clear_count() != self.clear_count {
            self.learn_starts(dfa);
        }
        self.state = start_state(dfa, &mut self.cache, None);
        self.is_dead = false;
        self.best = None;
        self.safe = 0;
    }

    /// Continues at the offset `at`; returns a match if further bytes cannot change it.
    pub(super) fn advance(&mut self, dfa: &DFA, mut at: u64, text: &[u8]) -> Option<MatchEnd> {
        for block in text.chunks(BLOCK_BYTES) {
            if self.is_dead {
                break;
            }
            self.walk(dfa, at, block);
            at += block.len() as u64;
            // After the cache was cleared, a start state may lack its mark.
            let knows_starts = self.cache.clear_count() == self.clear_count;
            if knows_starts && self.starts.contains(&self.state) {
                self.safe = at;
            }
        }
        if self.is_dead {
            if self.best.is_none() {
                self.safe = at; // nothing will ever match
            }
            return self.best;
        }
        if self.cache.clear_count() != self.clear_count && self.has_room(dfa) {
            self.learn_starts(dfa);
        }
        None
    }

    /// Returns the match, if the text after the offset `end` cannot change it.
    /// Most patterns end like this: without this check, their matches would wait for a pause.
    pub(super) fn settled(&mut self, dfa: &DFA, end: u64) -> Option<MatchEnd> {
        if self.is_dead || !self.has_room(dfa) || self.cache.clear_count() != self.clear_count {
            return None;
        }
        if self.best.is_none() && self.peek(dfa, None).is_none() {
            return None;
        }
        let known = self.verdicts.iter().find(|(state, _)| *state == self.state);
        let is_settled = match known {
            Some((_, verdict)) => *verdict,
            None => self.judge(dfa),
        };
        if is_settled {
            return self.match_at_end(dfa, end);
        }
        None
    }

    /// Returns the match if the text ends at the offset `end`.
    pub(super) fn match_at_end(&mut self, dfa: &DFA, end: u64) -> Option<MatchEnd> {
        let last = self.peek(dfa, None);
        let at_end = last.map(|pattern| MatchEnd { end, pattern });
        at_end.or(self.best)
    }

    /// Returns the pattern that matches if the text ends after `byte`, or here if that is `None`. The search does not
    /// advance.
    pub(super) fn peek(&mut self, dfa: &DFA, byte: Option<u8>) -> Option<PatternID> {
        if self.is_dead {
            return None;
        }
        if self.has_room(dfa) {
            return peek_in(dfa, &mut self.cache, self.state, byte);
        }
        // Clearing the cache would lose the state of the search.
        let mut copy = self.cache.clone();
        peek_in(dfa, &mut copy, self.state, byte)
    }

    fn walk(&mut self, dfa: &DFA, at: u64, block: &[u8]) {
        let mut state = self.state;
        for (offset, byte) in (at..).zip(block) {
            state = dfa
                .next_state(&mut self.cache, state, *byte)
                .expect(NEVER_GIVES_UP);
            if !state.is_tagged() {
                continue;
            }
            if state.is_start() {
                self.safe = offset + 1;
            } else if state.is_match() {
                // Matches are reported one byte late.
                let pattern = dfa.match_pattern(&self.cache, state, 0);
                self.best = Some(MatchEnd {
                    end: offset,
                    pattern,
                });
            } else if state.is_dead() {
                self.is_dead = true;
                break;
            }
        }
        self.state = state;
    }

    /// Returns whether every byte leads to the current match and to nothing after it.
    fn judge(&mut self, dfa: &DFA) -> bool {
        let verdict = match self.peek(dfa, None) {
            None => self.ends_after(dfa, self.state),
            Some(last) => self.next_kinds(dfa, self.state).is_some_and(|kinds| {
                kinds.into_iter().all(|next| {
                    next.is_match()
                        && dfa.match_pattern(&self.cache, next, 0) == last
                        && self.ends_after(dfa, next)
                })
            }),
        };
        if self.verdicts.len() == MAX_VERDICTS {
            self.verdicts.clear();
        }
        self.verdicts.push((self.state, verdict));
        verdict
    }

    fn ends_after(&mut self, dfa: &DFA, state: LazyStateID) -> bool {
        let kinds = self.next_kinds(dfa, state);
        kinds.is_some_and(|kinds| kinds.iter().all(LazyStateID::is_dead))
    }

    /// Returns the states that one more byte leads to; `None` if there are many.
    fn next_kinds(&mut self, dfa: &DFA, state: LazyStateID) -> Option<Vec<LazyStateID>> {
        let mut kinds = Vec::new();
        for byte in dfa.byte_classes().representatives(0..=u8::MAX) {
            // Clearing the cache would lose the state of the search.
            if kinds.len() > MAX_KINDS_AFTER || !self.has_room(dfa) {
                return None;
            }
            let next = dfa
                .next_state(&mut self.cache, state, byte.as_u8()?)
                .expect(NEVER_GIVES_UP);
            if !kinds.contains(&next) {
                kinds.push(next);
            }
        }
        Some(kinds)
    }

    /// Marks the start states: while the search is in one, there is no partial match.
    fn learn_starts(&mut self, dfa: &DFA) {
        self.verdicts.clear();
        self.starts = start_states(dfa, &mut self.cache);
        self.clear_count = self.cache.clear_count();
    }

    /// Returns whether there is room for a few new states without clearing the cache.
    fn has_room(&self, dfa: &DFA) -> bool {
        self.cache.memory_usage() <= dfa.get_config().get_cache_capacity() / 2
    }
}

fn start_states(dfa: &DFA, cache: &mut Cache) -> Vec<LazyStateID> {
    let behind = LOOK_BEHIND.into_iter().map(Some).chain([None]);
    let mut starts: Vec<_> = behind.map(|byte| start_state(dfa, cache, byte)).collect();
    starts.dedup();
    starts
}

fn start_state(dfa: &DFA, cache: &mut Cache, look_behind: Option<u8>) -> LazyStateID {
    let config = StartConfig::new()
        .anchored(Anchored::No)
        .look_behind(look_behind);
    dfa.start_state(cache, &config).expect(NEVER_GIVES_UP)
}

fn peek_in(
    dfa: &DFA,
    cache: &mut Cache,
    mut state: LazyStateID,
    byte: Option<u8>,
) -> Option<PatternID> {
    if let Some(byte) = byte {
        state = dfa.next_state(cache, state, byte).expect(NEVER_GIVES_UP);
    }
    let last = dfa.next_eoi_state(cache, state).expect(NEVER_GIVES_UP);
    last.is_match().then(|| dfa.match_pattern(cache, last, 0))
}
