//! Computes how much of a pattern a search may have to follow for one byte.

use regex_syntax::hir::{Class, Hir, HirKind};

/// After the ASCII characters, one stands for all others, and one for any character.
const OTHERS: usize = 128;
const ALWAYS: usize = 129;

/// Returns the maximum number of positions of a pattern that a search follows at once. This is the worst-case time per
/// byte, in units of about 8 ns.
/// With repetitions expanded, one text can only reach the positions that accept the same character: `[ab]{1000}` weighs
/// a thousand times as much as `abcd`. Optional parts (`a?`) are checked for every byte.
pub(super) fn weight(hir: &Hir) -> u64 {
    let places = next_places(hir);
    let most = places[..ALWAYS].iter().copied().max().unwrap_or(0);
    most.saturating_add(places[ALWAYS])
}

/// Returns whether a text without line ends can match at all.
pub(super) fn fits_a_line(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => true,
        HirKind::Literal(literal) => !literal.0.iter().any(|byte| matches!(byte, b'\n' | b'\r')),
        HirKind::Class(class) => ranges(class).into_iter().any(|(start, end)| {
            let is_line_end = start == end && matches!(start, 0x0a | 0x0d);
            !is_line_end
        }),
        HirKind::Repetition(repetition) => repetition.min == 0 || fits_a_line(&repetition.sub),
        HirKind::Capture(capture) => fits_a_line(&capture.sub),
        HirKind::Concat(parts) => parts.iter().all(fits_a_line),
        HirKind::Alternation(parts) => parts.iter().any(fits_a_line),
    }
}

/// Returns the first and the last character of each range of a class.
fn ranges(class: &Class) -> Vec<(u32, u32)> {
    match class {
        Class::Unicode(class) => {
            let ranges = class.iter();
            ranges
                .map(|range| (range.start().into(), range.end().into()))
                .collect()
        }
        Class::Bytes(class) => {
            let ranges = class.iter();
            ranges
                .map(|range| (range.start().into(), range.end().into()))
                .collect()
        }
    }
}

/// Returns the numbers of positions that may be reached by each character, and by any.
// The parser limits the depth of a pattern, and so of this recursion.
fn next_places(hir: &Hir) -> [u64; ALWAYS + 1] {
    let mut places = [0; ALWAYS + 1];
    let mut always: u64 = 0;
    match hir.kind() {
        HirKind::Empty => {}
        HirKind::Look(_) => always = 1,
        HirKind::Literal(literal) => {
            for &byte in &literal.0 {
                places[usize::from(byte).min(OTHERS)] += 1;
            }
        }
        // A class counts once for a character, however many of its ranges contain it.
        HirKind::Class(class) => {
            let clip = |character| usize::try_from(character).unwrap_or(OTHERS).min(OTHERS);
            for (start, end) in ranges(class) {
                places[clip(start)..=clip(end)].fill(1);
            }
        }
        HirKind::Repetition(repetition) => {
            let least = repetition.min.saturating_add(1);
            let times = u64::from(repetition.max.unwrap_or(least)).max(1);
            places = next_places(&repetition.sub).map(|place| place.saturating_mul(times));
            let may_be_empty = repetition.sub.properties().minimum_len() == Some(0);
            always = if may_be_empty { times } else { 1 };
        }
        HirKind::Capture(capture) => places = next_places(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            for part in parts {
                for (place, more) in places.iter_mut().zip(next_places(part)) {
                    *place = place.saturating_add(more);
                }
            }
            if matches!(hir.kind(), HirKind::Alternation(_)) {
                always = parts.len() as u64;
            }
        }
    }
    places[ALWAYS] = places[ALWAYS].saturating_add(always);
    places
}

#[cfg(test)]
mod tests {
    use super::super::syntax;
    use super::*;

    fn of(pattern: &str) -> u64 {
        weight(&syntax::parse(pattern, false).unwrap())
    }

    #[test]
    fn repetitions_weigh_what_they_stand_for() {
        assert_eq!(of("abcd"), 1);
        assert_eq!(of("aaaa"), 4);
        assert_eq!(of("[ab]{1000}"), 1001);
        assert_eq!(of("(?:a{1000}){1000}"), 1_001_001);
        assert_eq!(of("(?:a{0,10}){0,10}"), 120);
        assert_eq!(of(".{3,}x"), 6);
        assert!(of("(?:a?b?){500}c") >= 1500);
        let nested = "(?:".repeat(20) + "a" + &"{1000}){1000}".repeat(20);
        assert_eq!(of(&nested), u64::MAX);
    }

    #[test]
    fn ordinary_patterns_weigh_little() {
        for pattern in [
            r"\w+\s+\p{L}+",
            r"^[A-Za-z0-9_]+\[[0-9]+\]\| $",
            r"(?i)\bconnection (?:refused|timed out|reset by peer)\b",
            r"^\p{Lu}\p{Ll}*, \p{Lu}\p{Ll}*: .*$",
            "出错了|ошибка: .*",
        ] {
            assert!(of(pattern) <= 25, "{pattern} weighs {}", of(pattern));
        }
    }

    #[test]
    fn what_needs_a_line_end_fits_no_line() {
        let fits = |pattern| fits_a_line(&syntax::parse(pattern, false).unwrap());
        for pattern in [r"a\nb", r"\r\n$", r"(?:a\n)+b", r"[\r\n]", r"(?:\n|\nx)y"] {
            assert!(!fits(pattern), "{pattern}");
        }
        for pattern in [r"a\n?b", r"a|\nb", r"\s", r"[^x]", "(?s)a.b", "(?m)^a$"] {
            assert!(fits(pattern), "{pattern}");
        }
    }
}
