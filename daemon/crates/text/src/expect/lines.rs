//! Searches for many patterns at once in complete lines.

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::meta;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::{Input, MatchKind, PatternSet};
use regex_syntax::hir::Hir;

use super::patterns::{MAX_COMPILED_BYTES, PatternError, parse};
use super::syntax;
use super::weight::{fits_a_line, weight};

/// Cache size for the automaton of a search for many patterns.
const SET_CACHE_BYTES: usize = 1 << 20;

/// Cache size for one pattern.
const ONE_CACHE_BYTES: usize = 256 << 10;

/// A list of regular expressions in the usual syntax; `^` and `$` match the ends of a line.
#[derive(Default)]
pub struct LinePatterns {
    /// `None` without patterns.
    any: Option<meta::Regex>,
    each: Vec<One>,
}

struct One {
    hir: Hir,
    weight: u64,
    regex: OnceLock<Option<meta::Regex>>,
}

impl LinePatterns {
    /// Compiles a list; an empty one matches nothing.
    pub fn compile<'a>(list: impl IntoIterator<Item = &'a str>) -> Result<Self, PatternError> {
        let mut hirs = Vec::new();
        let mut memory_bytes = 0;
        for (index, pattern) in list.into_iter().enumerate() {
            let hir = parse_line_pattern(index, pattern)?;
            memory_bytes += syntax::memory_bytes(&hir);
            if memory_bytes > MAX_COMPILED_BYTES {
                return Err(PatternError::PatternTooBig { index });
            }
            hirs.push(hir);
        }
        let config = config(SET_CACHE_BYTES)
            .match_kind(MatchKind::All)
            .which_captures(WhichCaptures::None);
        let any = meta::Builder::new()
            .configure(config)
            .build_many_from_hir(&hirs)
            .map_err(|_| PatternError::ListTooBig)?;
        let each = hirs.into_iter().map(|hir| One {
            weight: weight(&hir),
            hir,
            regex: OnceLock::new(),
        });
        Ok(Self {
            any: Some(any),
            each: each.collect(),
        })
    }

    pub fn is_match(&self, line: &str) -> bool {
        self.any.as_ref().is_some_and(|any| any.is_match(line))
    }

    /// Returns the indexes of all patterns that match somewhere in the line.
    pub fn matching(&self, line: &str) -> Vec<usize> {
        let Some(any) = &self.any else {
            return Vec::new();
        };
        let mut found = PatternSet::new(any.pattern_len());
        any.which_overlapping_matches(&Input::new(line), &mut found);
        found.iter().map(|pattern| pattern.as_usize()).collect()
    }

    /// Returns where a pattern matches, at most `most` times; each search takes linear time.
    pub fn spans(&self, index: usize, line: &str, most: usize) -> Vec<Range<usize>> {
        let matches = self.regex(index).map(|regex| regex.find_iter(line));
        let spans = matches.into_iter().flatten().take(most);
        spans.map(|found| found.range()).collect()
    }

    /// Returns the worst-case cost of a search for one match of a pattern: its weight for each byte of the line.
    pub fn cost(&self, index: usize, line: &str) -> u64 {
        let weight = self.each.get(index).map_or(0, |one| one.weight);
        weight.saturating_mul(line.len() as u64)
    }

    /// Returns the first match of a named group of a pattern.
    pub fn group<'t>(&self, index: usize, line: &'t str, name: &str) -> Option<&'t str> {
        let regex = self.regex(index)?;
        let mut captures = regex.create_captures();
        regex.search_captures(&Input::new(line), &mut captures);
        line.get(captures.get_group_by_name(name)?.range())
    }

    fn regex(&self, index: usize) -> Option<&meta::Regex> {
        let one = self.each.get(index)?;
        let regex = one.regex.get_or_init(|| {
            let mut builder = meta::Builder::new();
            builder.configure(config(ONE_CACHE_BYTES));
            builder.build_from_hir(&one.hir).ok()
        });
        regex.as_ref()
    }
}

/// Returns the maximum number of positions of each pattern that a search may have to follow at once, for each byte of a
/// line.
pub fn line_weights<'a>(list: impl IntoIterator<Item = &'a str>) -> Result<Vec<u64>, PatternError> {
    let patterns = (0..).zip(list);
    patterns
        .map(|(index, pattern)| Ok(weight(&parse_line_pattern(index, pattern)?)))
        .collect()
}

fn parse_line_pattern(index: usize, pattern: &str) -> Result<Hir, PatternError> {
    let hir = parse(index, pattern, false)?;
    if hir.properties().minimum_len() == Some(0) {
        return Err(PatternError::MatchesNothing { index });
    }
    if !fits_a_line(&hir) {
        return Err(PatternError::NeedsLineEnd { index });
    }
    Ok(hir)
}

fn config(cache_bytes: usize) -> meta::Config {
    meta::Config::new()
        .utf8_empty(false)
        .nfa_size_limit(Some(MAX_COMPILED_BYTES))
        .hybrid_cache_capacity(cache_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_that_match_are_found_with_their_places_and_groups() {
        let patterns = LinePatterns::compile(["b+", "^a", r"(?P<last>\w)$", "never"]).unwrap();
        assert!(patterns.is_match("abbab") && !patterns.is_match("-"));
        assert_eq!(patterns.matching("abbab"), [0, 1, 2]);
        assert_eq!(patterns.spans(0, "abbab", 9), [1..3, 4..5]);
        assert_eq!(patterns.spans(0, "abbab", 1).len(), 1);
        assert_eq!(patterns.group(2, "abc", "last"), Some("c"));
        assert_eq!(patterns.group(2, "abc", "first"), None);
    }

    #[test]
    fn a_pattern_that_matches_everything_is_refused() {
        for pattern in ["", "x*", "^$", "(?:a|)"] {
            let error = LinePatterns::compile(["a", pattern]).err();
            assert_eq!(
                error,
                Some(PatternError::MatchesNothing { index: 1 }),
                "{pattern}"
            );
        }
        assert!(!LinePatterns::compile([]).unwrap().is_match("x"));
    }
}
