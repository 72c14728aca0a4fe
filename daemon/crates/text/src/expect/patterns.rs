//! A list of patterns, compiled into one engine that searches for all of them at once.

use ccd_protocol::{ErrorCode, ErrorData, Reportable};
use parking_lot::Mutex;
use std::sync::Arc;

use regex_automata::hybrid::dfa::{Config, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{MatchKind, PatternID};
use regex_syntax::hir::Hir;

use super::literals::Literals;
use super::locate::Locator;
use super::search::{Engine, Scratch};
use super::syntax;

pub(super) const MAX_PATTERNS: usize = 10_000;

/// Maximum memory of a compiled list.
pub(super) const MAX_COMPILED_BYTES: usize = 64 << 20;

/// Maximum length of a regular expression: a longer one may need more memory than [`MAX_COMPILED_BYTES`] just to be
/// parsed.
const MAX_REGEX_BYTES: usize = 64 << 10;

/// Cache size for the automaton of a search; it is built again when it is full.
const SEARCH_CACHE_BYTES: usize = 4 << 20;

/// How many buffers of finished searches are kept for the next ones.
const SPARE_SEARCHES: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// A regular expression in the syntax of the `regex` crate.
    Regex(String),
    /// These characters.
    Exact(String),
    Eof,
    Timeout,
}

/// Why a list of patterns cannot be used. An `index` counts from 0, as in the protocol; messages count from 1.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("the list of patterns is empty")]
    Empty,
    #[error("{count} patterns in one list: at most {MAX_PATTERNS} are allowed")]
    TooMany { count: usize },
    #[error("pattern {} is wrong at byte {at}: {message}", .index + 1)]
    Syntax {
        index: usize,
        at: usize,
        message: String,
    },
    #[error("pattern {} matches empty text, and therefore every line: make it match something", .index + 1)]
    MatchesNothing { index: usize },
    #[error("pattern {} can never match: lines are searched one at a time, without their line ends", .index + 1)]
    NeedsLineEnd { index: usize },
    #[error("pattern {} needs more than {} MiB", .index + 1, MAX_COMPILED_BYTES >> 20)]
    PatternTooBig { index: usize },
    #[error("the patterns need more than {} MiB together", MAX_COMPILED_BYTES >> 20)]
    ListTooBig,
}

impl Reportable for PatternError {
    fn code(&self) -> ErrorCode {
        ErrorCode::InvalidPattern
    }

    /// Returns which pattern of the list is wrong, and where.
    fn data(&self) -> ErrorData {
        match self {
            Self::Syntax { index, at, .. } => ErrorData::from_iter([
                ("index".into(), (*index).into()),
                ("position".into(), (*at).into()),
            ]),
            _ => ErrorData::new(),
        }
    }
}

/// A compiled list, shared by all its searches.
pub struct Patterns {
    list: Vec<Pattern>,
    /// Bytes are matched instead of cleaned text.
    pub(super) raw: bool,
    engine: Engine,
    locators: Vec<Locator>,
    eof_index: Option<usize>,
    timeout_index: Option<usize>,
    /// Approximate, without searches.
    pub(super) memory_bytes: usize,
    #[expect(
        clippy::vec_box,
        reason = "searches move the box, not the large buffers' owner"
    )]
    spare: Mutex<Vec<Box<Scratch>>>,
}

impl Patterns {
    /// Compiles `list`: the earliest match counts; of two that start at the same position, the one that is first in the
    /// list.
    /// `raw` matches bytes: no Unicode, and `.` is any byte except `\n`. A list near the limits takes about a second,
    /// so this must not run on a thread that others wait for.
    pub fn compile(list: &[Pattern], raw: bool) -> Result<Self, PatternError> {
        Self::with_engine(list, raw, |hirs| match Literals::from_hirs(hirs) {
            Some(literals) => Ok(Engine::Literals(Arc::new(literals))),
            None => automaton(hirs),
        })
    }

    fn with_engine(
        list: &[Pattern],
        raw: bool,
        engine: impl FnOnce(&[Hir]) -> Result<Engine, PatternError>,
    ) -> Result<Self, PatternError> {
        match list.len() {
            0 => return Err(PatternError::Empty),
            count if count > MAX_PATTERNS => return Err(PatternError::TooMany { count }),
            _ => {}
        }
        let mut hirs = Vec::new();
        let mut indexes = Vec::new();
        let mut memory_bytes = 0;
        for (index, pattern) in list.iter().enumerate() {
            let hir = match pattern {
                Pattern::Regex(regex) => parse(index, regex, raw)?,
                Pattern::Exact(text) => Hir::literal(text.as_bytes()),
                Pattern::Eof | Pattern::Timeout => continue,
            };
            memory_bytes += syntax::memory_bytes(&hir);
            if memory_bytes > MAX_COMPILED_BYTES {
                return Err(PatternError::PatternTooBig { index });
            }
            hirs.push(hir);
            indexes.push(index);
        }
        let engine = engine(&hirs)?;
        let locators = indexes.into_iter().zip(hirs);
        Ok(Self {
            list: list.to_vec(),
            raw,
            memory_bytes: memory_bytes + engine.memory_bytes(),
            engine,
            locators: locators
                .map(|(index, hir)| Locator::new(index, hir))
                .collect(),
            eof_index: list.iter().position(|pattern| *pattern == Pattern::Eof),
            timeout_index: list.iter().position(|pattern| *pattern == Pattern::Timeout),
            spare: Mutex::new(Vec::new()),
        })
    }

    /// Compiles `list` without the engine for plain texts.
    #[cfg(test)]
    pub(super) fn with_automaton(list: &[Pattern], raw: bool) -> Result<Self, PatternError> {
        Self::with_engine(list, raw, automaton)
    }

    #[cfg(test)]
    pub(super) fn has_only_texts(&self) -> bool {
        matches!(self.engine, Engine::Literals(_))
    }

    pub fn eof_index(&self) -> Option<usize> {
        self.eof_index
    }

    pub fn timeout_index(&self) -> Option<usize> {
        self.timeout_index
    }

    pub fn list(&self) -> &[Pattern] {
        &self.list
    }

    /// Returns whether bytes are matched instead of cleaned text.
    pub fn is_raw(&self) -> bool {
        self.raw
    }

    pub(super) fn locator(&self, pattern: PatternID) -> &Locator {
        &self.locators[pattern.as_usize()]
    }

    /// Returns the buffers of a finished search, or new ones.
    pub(super) fn take_scratch(&self) -> Box<Scratch> {
        let spare = self.spare.lock().pop();
        spare.unwrap_or_else(|| Box::new(Scratch::new(&self.engine)))
    }

    /// Keeps the buffers of a finished search for the next one, unless they are too many or too large.
    pub(super) fn put_scratch(&self, mut scratch: Box<Scratch>) {
        if !scratch.shrink() {
            return;
        }
        let mut spare = self.spare.lock();
        if spare.len() < SPARE_SEARCHES {
            spare.push(scratch);
        }
    }
}

pub(super) fn parse(index: usize, regex: &str, raw: bool) -> Result<Hir, PatternError> {
    if regex.len() > MAX_REGEX_BYTES {
        return Err(PatternError::PatternTooBig { index });
    }
    syntax::parse(regex, raw).map_err(|error| PatternError::Syntax {
        index,
        at: error.at,
        message: error.message,
    })
}

fn automaton(hirs: &[Hir]) -> Result<Engine, PatternError> {
    let nfa = thompson::Compiler::new()
        .configure(
            thompson::Config::new()
                .utf8(false)
                .nfa_size_limit(Some(MAX_COMPILED_BYTES))
                .which_captures(thompson::WhichCaptures::None),
        )
        .build_many_from_hir(hirs)
        .map_err(|_| PatternError::ListTooBig)?;
    let config = Config::new()
        .match_kind(MatchKind::LeftmostFirst)
        .specialize_start_states(true);
    let least_bytes = config
        .get_minimum_cache_capacity(&nfa)
        .map_err(|_| PatternError::ListTooBig)?;
    // Half of the cache has room for a few states of any size: see `Search::has_room`.
    let cache_bytes = SEARCH_CACHE_BYTES.max(4 * least_bytes);
    let dfa = DFA::builder()
        .configure(config.cache_capacity(cache_bytes))
        .build_from_nfa(nfa)
        .map_err(|_| PatternError::ListTooBig)?;
    Ok(Engine::Automaton(Arc::new(dfa)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regex(pattern: &str) -> Pattern {
        Pattern::Regex(pattern.to_owned())
    }

    fn error(list: &[Pattern]) -> PatternError {
        let refused = Patterns::compile(list, false).err();
        refused.expect("must be refused")
    }

    #[test]
    fn lists_beyond_a_limit_are_refused() {
        assert_eq!(error(&[]), PatternError::Empty);
        let many = vec![Pattern::Exact("x".into()); 100_000];
        assert_eq!(error(&many), PatternError::TooMany { count: 100_000 });
        let deep = error(&[regex(r"(\pL{100}){1000}")]);
        assert_eq!(deep, PatternError::ListTooBig);
        let long = error(&[regex("a"), regex(&r"\pL".repeat(30_000))]);
        assert_eq!(long, PatternError::PatternTooBig { index: 1 });
        let classes = vec![regex(&r"\pL".repeat(20_000)); 3];
        assert_eq!(error(&classes), PatternError::PatternTooBig { index: 0 });
    }

    #[test]
    fn eof_and_timeout_keep_their_places() {
        let list = [Pattern::Timeout, regex("a"), Pattern::Eof, Pattern::Eof];
        let patterns = Patterns::compile(&list, false).unwrap();
        assert_eq!(patterns.eof_index(), Some(2));
        assert_eq!(patterns.timeout_index(), Some(0));
        assert_eq!(patterns.list(), list);
    }
}
