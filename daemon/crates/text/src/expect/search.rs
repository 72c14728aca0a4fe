//! A search for a list of patterns in text that arrives in pieces, with the engine that suits the list.

use super::automaton::AutomatonSearch;
use super::literals::{LiteralSearch, Literals};
use super::match_end::MatchEnd;
use super::text::Text;
use regex_automata::hybrid::dfa::DFA;
use std::sync::Arc;

#[derive(Clone)]
pub(super) enum Engine {
    /// The list has only plain texts.
    Literals(Arc<Literals>),
    /// Its states are built while it searches.
    Automaton(Arc<DFA>),
}

/// The buffers of one search, which the next search for the same list reuses.
pub(super) struct Scratch {
    pub(super) search: Search,
    pub(super) text: Text,
}

/// The state of a search: offsets are those of [`Text`].
pub(super) enum Search {
    Literals {
        literals: Arc<Literals>,
        search: LiteralSearch,
    },
    Automaton {
        dfa: Arc<DFA>,
        search: Box<AutomatonSearch>,
    },
}

impl Engine {
    /// Returns its approximate memory, without searches.
    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Self::Literals(literals) => literals.memory_bytes(),
            Self::Automaton(dfa) => dfa.memory_usage(),
        }
    }
}

impl Scratch {
    /// Returns empty buffers for searches with `engine`.
    pub(super) fn new(engine: &Engine) -> Self {
        Self {
            search: Search::new(engine.clone()),
            text: Text::new(),
        }
    }

    /// Frees buffers that are too large to be kept for the next search; returns whether the rest is worth keeping.
    pub(super) fn shrink(&mut self) -> bool {
        self.text.shrink();
        match &self.search {
            Search::Literals { .. } => true,
            Search::Automaton { search, .. } => search.is_small(),
        }
    }
}

impl Search {
    fn new(engine: Engine) -> Self {
        match engine {
            Engine::Literals(literals) => Self::Literals {
                literals,
                search: LiteralSearch::default(),
            },
            Engine::Automaton(dfa) => Self::Automaton {
                search: Box::new(AutomatonSearch::new(&dfa)),
                dfa,
            },
        }
    }

    pub(super) fn begin(&mut self) {
        match self {
            Self::Literals { search, .. } => *search = LiteralSearch::default(),
            Self::Automaton { dfa, search } => search.begin(dfa),
        }
    }

    /// Searches what was appended to `text`, whose end was `searched` before; returns a match if further bytes cannot
    /// change it.
    pub(super) fn advance(&mut self, searched: u64, text: &Text) -> Option<MatchEnd> {
        match self {
            Self::Literals { literals, search } => search.advance(literals, searched, text),
            Self::Automaton { dfa, search } => search.advance(dfa, searched, text.from(searched)),
        }
    }

    /// Returns the match, if the text after the offset `end` cannot change it.
    pub(super) fn settled(&mut self, end: u64) -> Option<MatchEnd> {
        match self {
            Self::Literals { .. } => None, // it has already reported the match
            Self::Automaton { dfa, search } => search.settled(dfa, end),
        }
    }

    /// Returns whether there is a match that could still grow, or that needs the end of the text.
    pub(super) fn is_undecided(&mut self, text: &Text) -> bool {
        match self {
            Self::Literals { literals, search } => {
                search.best.is_some() || text.holds_return() && literals.await_return(text)
            }
            Self::Automaton { dfa, search } => {
                search.best.is_some()
                    || search.peek(dfa, None).is_some()
                    || text.holds_return() && search.peek(dfa, Some(b'\r')).is_some()
            }
        }
    }

    /// Returns the match if the text ends at the offset `end`.
    pub(super) fn match_at_end(&mut self, end: u64) -> Option<MatchEnd> {
        match self {
            Self::Literals { search, .. } => search.best,
            Self::Automaton { dfa, search } => search.match_at_end(dfa, end),
        }
    }

    /// Returns the offset before which no match starts that was not reported yet.
    pub(super) fn safe(&self) -> u64 {
        match self {
            Self::Literals { search, .. } => search.safe,
            Self::Automaton { search, .. } => search.safe,
        }
    }
}
