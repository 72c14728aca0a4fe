//! Finds the start and the groups of a match with a known end.

use parking_lot::Mutex;
use std::sync::OnceLock;

use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input, MatchKind, Span, meta};
use regex_syntax::hir::Hir;

/// Cache size for the automaton of a reverse search.
const REVERSE_CACHE_BYTES: usize = 4 << 20;

/// Maximum size of a reverse search's automaton that is kept for the next one.
const SPARE_CACHE_BYTES: usize = 256 << 10;

/// One pattern of a list, which can determine details of its matches.
/// Its engines are built at the first match that needs them.
pub(super) struct Locator {
    index: usize,
    fixed_len: Option<usize>,
    group_count: usize,
    hir: Hir,
    reverse: OnceLock<Option<Reverse>>,
    groups: OnceLock<Option<meta::Regex>>,
}

struct Reverse {
    dfa: DFA,
    spare: Mutex<Option<Cache>>,
}

impl Locator {
    /// Returns the locator of the pattern at `index` in the user's list.
    pub(super) fn new(index: usize, hir: Hir) -> Self {
        let properties = hir.properties();
        let least = properties.minimum_len();
        Self {
            index,
            fixed_len: least.filter(|_| least == properties.maximum_len()),
            group_count: properties.explicit_captures_len() + 1,
            hir,
            reverse: OnceLock::new(),
            groups: OnceLock::new(),
        }
    }

    /// Returns the pattern's index in the user's list.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// Returns where the match that ends at `end` starts, which is at `least` or later.
    /// `None` if it could start before `bytes`; `is_whole` says that there is no text before. Bytes before `least` and
    /// after `end` are context.
    pub(super) fn start(
        &self,
        bytes: &[u8],
        least: usize,
        end: usize,
        is_whole: bool,
    ) -> Option<usize> {
        if let Some(len) = self.fixed_len {
            return end.checked_sub(len);
        }
        let reverse = self.reverse.get_or_init(|| Reverse::new(&self.hir));
        match reverse {
            Some(reverse) => reverse.start(bytes, least, end, is_whole),
            None => Some(least),
        }
    }

    /// Returns the groups of the match at `span`, the first one the whole match.
    pub(super) fn groups(&self, bytes: &[u8], span: Span) -> Vec<Option<Span>> {
        let mut groups = vec![None; self.group_count];
        if self.group_count > 1
            && let Some(regex) = self.groups.get_or_init(|| groups_regex(&self.hir))
        {
            let mut captures = regex.create_captures();
            let input = Input::new(bytes).span(span).anchored(Anchored::Yes);
            regex.search_captures(&input, &mut captures);
            for (number, group) in groups.iter_mut().enumerate() {
                *group = captures.get_group(number);
            }
        }
        groups[0] = Some(span);
        groups
    }

    /// Returns one group for the whole match at `span`, and no match for the others.
    pub(super) fn only_whole(&self, span: Span) -> Vec<Option<Span>> {
        let mut groups = vec![None; self.group_count];
        groups[0] = Some(span);
        groups
    }
}

impl Reverse {
    fn new(hir: &Hir) -> Option<Self> {
        let nfa = thompson::Compiler::new()
            .configure(
                thompson::Config::new()
                    .utf8(false)
                    .reverse(true)
                    .which_captures(thompson::WhichCaptures::None),
            )
            .build_from_hir(hir)
            .ok()?;
        let config = Config::new()
            .match_kind(MatchKind::All)
            .cache_capacity(REVERSE_CACHE_BYTES)
            .skip_cache_capacity_check(true);
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        Some(Self {
            dfa,
            spare: Mutex::new(None),
        })
    }

    fn start(&self, bytes: &[u8], least: usize, end: usize, is_whole: bool) -> Option<usize> {
        let spare = self.spare.lock().take();
        let mut cache = spare.unwrap_or_else(|| self.dfa.create_cache());
        let start = self.walk_back(&mut cache, bytes, least, end, is_whole);
        if cache.memory_usage() <= SPARE_CACHE_BYTES {
            *self.spare.lock() = Some(cache);
        }
        start
    }

    /// Searches backwards from `end` as long as the match could be longer.
    fn walk_back(
        &self,
        cache: &mut Cache,
        bytes: &[u8],
        least: usize,
        end: usize,
        is_whole: bool,
    ) -> Option<usize> {
        let input = Input::new(bytes).range(..end).anchored(Anchored::Yes);
        let mut state = self.dfa.start_state_reverse(cache, &input).ok()?;
        let mut found = None;
        // Matches are reported one byte late here too, so the byte before `least` is needed.
        for at in (least.saturating_sub(1)..end).rev() {
            state = self.dfa.next_state(cache, state, bytes[at]).ok()?;
            if state.is_match() {
                found = Some(at + 1);
            } else if state.is_dead() {
                return found;
            }
        }
        if least > 0 {
            return found;
        }
        if !is_whole {
            return None;
        }
        let last = self.dfa.next_eoi_state(cache, state).ok()?;
        if last.is_match() { Some(0) } else { found }
    }
}

/// Returns the engine that finds groups in a match with a known span.
fn groups_regex(hir: &Hir) -> Option<meta::Regex> {
    // Optimisations for finding a match are useless here.
    let config = meta::Config::new()
        .utf8_empty(false)
        .hybrid(false)
        .auto_prefilter(false);
    meta::Builder::new()
        .configure(config)
        .build_from_hir(hir)
        .ok()
}

#[cfg(test)]
mod tests {
    use super::super::syntax::parse;
    use super::*;

    fn locator(pattern: &str) -> Locator {
        Locator::new(0, parse(pattern, false).unwrap())
    }

    #[test]
    fn the_start_is_the_leftmost_one() {
        let repeated = locator("(?:xyz)*ab");
        assert_eq!(repeated.start(b"--xyzxyzab", 0, 10, false), Some(2));
        assert_eq!(repeated.start(b"-xyzxyzab", 4, 9, false), Some(4));
        let many = locator("a+b");
        assert_eq!(many.start(b"aab", 0, 3, true), Some(0));
        assert_eq!(many.start(b"aab", 1, 3, true), Some(1));
        assert_eq!(many.start(b"aab", 0, 3, false), None);
        let line = locator("(?m)^a*b$");
        assert_eq!(line.start(b"b\naab\n", 2, 5, false), Some(2));
    }

    #[test]
    fn groups_are_those_of_the_known_match() {
        let groups = locator("(a|ab)(c|bcd)?(x)?").groups(b"-abcd-", Span { start: 1, end: 5 });
        let span = |start, end| Some(Span { start, end });
        assert_eq!(groups, [span(1, 5), span(1, 2), span(2, 5), None]);
    }
}
