//! Finds the pattern that came closest if none has matched in time.

use memchr::memmem;
use regex_syntax::hir::Look;
use regex_syntax::hir::literal::{ExtractKind, Extractor};

use super::patterns::Pattern;
use super::syntax;
use std::cmp::Reverse;

/// How much of the recent output is searched.
const RECENT_BYTES: usize = 64 << 10;

/// How many patterns are tried, and how much of each.
const MAX_PATTERNS_TRIED: usize = 32;
const MAX_NEEDLE_BYTES: usize = 1024;

/// Anything shorter is not significant.
const LEAST_BYTES: usize = 3;

/// The pattern that came closest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    pub index: usize,
    /// The similar output.
    pub found: String,
    /// One sentence that describes the difference.
    pub message: String,
}

/// Returns which of `patterns` came closest in the last 64 KiB of the cleaned output `recent_text`: the pattern of
/// whose text the largest part occurs there, ignoring case; `None` if that part is less than half of the text or less
/// than 3 bytes.
/// For a regular expression, only the text with which all its matches start is used.
pub fn closest_miss(patterns: &[Pattern], recent_text: &str) -> Option<Miss> {
    let from = recent_text.len().saturating_sub(RECENT_BYTES);
    let recent = &recent_text[recent_text.ceil_char_boundary(from)..];
    let tried = patterns.iter().enumerate().take(MAX_PATTERNS_TRIED);
    let misses = tried.filter_map(|(index, pattern)| {
        let (needle, rest) = needle(pattern)?;
        let (start, len) = longest_prefix(&needle, recent)?;
        let per_mille = 1000 * len / needle.len();
        if len < LEAST_BYTES || per_mille < 500 {
            return None;
        }
        let found = recent[start..start + len].to_owned();
        let message = message(&needle, rest, &found);
        let miss = Miss {
            index,
            found,
            message,
        };
        Some((per_mille, miss))
    });
    // Of several that are as close, the first.
    let closest = misses.min_by_key(|(per_mille, _)| Reverse(*per_mille));
    closest.map(|(_, miss)| miss)
}

/// What a pattern has besides the text with which its matches start.
enum Rest {
    Nothing,
    /// `^` or `$`, for the whole output.
    Anchors,
    More,
}

fn message(needle: &str, rest: Rest, found: &str) -> String {
    let difference = if found.len() < needle.len() {
        format!("but not followed by {:?}", &needle[found.len()..])
    } else if found != needle {
        format!("which differs from {needle:?} in case")
    } else {
        match rest {
            Rest::Nothing => {
                return format!(
                    "the recent output contains {found:?}, but before the point where the search started"
                );
            }
            Rest::Anchors => {
                "but \"^\" and \"$\" match only at the start and the end of the whole output; put (?m) before the pattern to match at those of each line"
            }
            Rest::More => "but not followed by the rest of the pattern",
        }
        .to_owned()
    };
    format!("the output contains {found:?}, {difference}")
}

/// Returns the text with which a match of `pattern` starts, and what else it has.
fn needle(pattern: &Pattern) -> Option<(String, Rest)> {
    let (mut text, rest) = match pattern {
        Pattern::Exact(text) => (text.clone(), Rest::Nothing),
        Pattern::Regex(regex) => {
            let hir = syntax::parse(regex, false).ok()?;
            let mut extractor = Extractor::new();
            extractor.kind(ExtractKind::Prefix);
            let prefixes = extractor.extract(&hir);
            // If an expression ignores case, any of its prefixes will do.
            let literal = prefixes.literals()?.first()?;
            let is_alone = prefixes.len() == Some(1) || prefixes.longest_common_prefix().is_some();
            let text = std::str::from_utf8(literal.as_bytes()).ok()?;
            let looks = hir.properties().look_set();
            let rest = match is_alone && literal.is_exact() {
                true if looks.is_empty() => Rest::Nothing,
                true if looks
                    .iter()
                    .all(|look| matches!(look, Look::Start | Look::End)) =>
                {
                    Rest::Anchors
                }
                _ => Rest::More,
            };
            (text.to_owned(), rest)
        }
        Pattern::Eof | Pattern::Timeout => return None,
    };
    text.truncate(text.floor_char_boundary(MAX_NEEDLE_BYTES));
    (!text.is_empty()).then_some((text, rest))
}

/// Returns start and length of the last of the longest parts of `text` with which `needle` starts, ignoring ASCII case.
fn longest_prefix(needle: &str, text: &str) -> Option<(usize, usize)> {
    let (needle, lower) = (needle.to_ascii_lowercase(), text.to_ascii_lowercase());
    let last = |len: &usize| memmem::rfind(lower.as_bytes(), &needle.as_bytes()[..*len]);
    let lens: Vec<usize> = (1..=needle.len()).collect();
    // Where a part occurs, all shorter ones do too.
    let len = lens.partition_point(|len| last(len).is_some());
    let start = last(&len)?;
    // Only half of a character may be equal.
    let end = text.floor_char_boundary(start + len);
    (end > start).then_some((start, end - start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn miss(patterns: &[Pattern], text: &str) -> Option<(usize, String)> {
        closest_miss(patterns, text).map(|miss| (miss.index, miss.found))
    }

    fn exact(text: &str) -> Pattern {
        Pattern::Exact(text.to_owned())
    }

    fn regex(text: &str) -> Pattern {
        Pattern::Regex(text.to_owned())
    }

    #[test]
    fn the_largest_part_counts() {
        let patterns = [Pattern::Eof, exact("ready to go"), exact("Password:")];
        let found = miss(&patterns, "read\nPassword for me");
        assert_eq!(found, Some((2, "Password".into())));
        assert_eq!(miss(&patterns, "not re at all"), None);
        assert_eq!(miss(&patterns, ""), None);
    }

    #[test]
    fn a_difference_in_case_is_told() {
        let found = closest_miss(&[exact("login:")], "host Login: ").unwrap();
        assert_eq!(found.found, "Login:");
        let message = r#"the output contains "Login:", which differs from "login:" in case"#;
        assert_eq!(found.message, message);
    }

    #[test]
    fn of_a_regular_expression_the_beginning_is_looked_at() {
        let found = closest_miss(&[regex(r"passed in (\d+)s")], "3 passed in a hurry").unwrap();
        assert_eq!(found.found, "passed in ");
        let message = found.message;
        assert!(message.contains("not followed by the rest"), "{message}");
        assert_eq!(miss(&[regex(r"\d+ x"), regex("(")], "12 y"), None);
    }

    #[test]
    fn what_the_search_began_after_is_told_from_what_stands_at_another_place() {
        for (pattern, wanted) in [
            ("tick 12", "before the point"),
            ("tick 12$", "put (?m) before the pattern"),
            ("^tick 12$", "put (?m) before the pattern"),
            (r"tick 12\b", "not followed by the rest"),
            ("(?m)tick 12$", "not followed by the rest"),
        ] {
            let found = closest_miss(&[regex(pattern)], "tick 12\ntick 13\n").unwrap();
            assert!(
                found.message.contains(wanted),
                "{pattern}: {}",
                found.message
            );
        }
    }

    #[test]
    fn characters_stay_whole() {
        let found = miss(&[exact("ünïcödé")], "ünïcöd\u{e8}");
        assert_eq!(found, Some((0, "ünïcöd".into())));
        let long = "é".repeat(RECENT_BYTES);
        assert_eq!(miss(&[exact("éééx")], &long), Some((0, "ééé".into())));
    }

    #[test]
    fn a_piece_that_repeats_itself_is_found() {
        assert_eq!(longest_prefix("aab", "aaab aaaab"), Some((7, 3)));
        assert_eq!(longest_prefix("abab", "xababababy"), Some((5, 4)));
    }
}
