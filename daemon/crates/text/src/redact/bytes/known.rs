//! Texts that are known to be secret: they go wherever they stand, with no sign of a secret beside them.

use super::raw::mask;
use crate::redact::engine::MASK;
use aho_corasick::{AhoCorasick, MatchKind};

/// A shorter text stands in much that is innocent.
const MIN_CHARS: usize = 8;

/// Known texts, ready to search.
pub struct KnownTexts(Option<AhoCorasick>);

impl KnownTexts {
    pub fn of<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Self {
        let mut texts = texts.into_iter().peekable();
        if texts.peek().is_none() {
            return Self(None);
        }
        // One may be a part of another.
        let mut search = AhoCorasick::builder();
        search.match_kind(MatchKind::LeftmostLongest);
        Self(search.build(texts).ok())
    }

    /// Puts [`MASK`] in place of each, also where it goes over the border of chunks; returns how often they stood there.
    pub fn mask(&self, chunks: &mut [Vec<u8>]) -> usize {
        let Some(search) = &self.0 else {
            return 0;
        };
        let whole = chunks.concat();
        let found = search.find_iter(&whole).map(|found| found.range());
        let places: Vec<_> = found.filter(|place| !place.is_empty()).collect();
        if !places.is_empty() {
            let mut counts = vec![0; chunks.len()];
            mask(chunks, &places, &mut counts);
        }
        places.len()
    }
}

/// Whether a text may go wherever it stands: it is no word, no number and no path.
pub fn is_distinctive(text: &str) -> bool {
    let is_path = text.starts_with(['/', '~', '.']);
    !is_path && text.chars().count() >= MIN_CHARS && is_mixed(text)
}

/// Whether a text is of more than one kind of characters.
pub(in crate::redact) fn is_mixed(text: &str) -> bool {
    let has = |wanted: fn(char) -> bool| text.chars().any(wanted);
    let is_special = |c: char| !(c.is_alphanumeric() || c.is_whitespace() || "-_./:,".contains(c));
    let changes_case = has(char::is_lowercase) && text.chars().skip(1).any(char::is_uppercase);
    has(char::is_alphabetic) && (has(|c| c.is_ascii_digit()) || changes_case || has(is_special))
}

/// What stood in `before` where `after` has masks.
pub fn masked_texts<'a>(before: &'a str, after: &str) -> Vec<&'a str> {
    let mut kept: Vec<&str> = after.split(MASK).collect();
    let end = kept.pop().unwrap_or_default();
    let Some((begin, between)) = kept.split_first() else {
        return Vec::new();
    };
    let rest = before.strip_prefix(begin);
    let Some(mut rest) = rest.and_then(|rest| rest.strip_suffix(end)) else {
        return Vec::new();
    };
    let mut texts = Vec::new();
    for text in between {
        let Some((masked, behind)) = rest.split_once(text).filter(|_| !text.is_empty()) else {
            break;
        };
        texts.push(masked);
        rest = behind;
    }
    texts.push(rest);
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_text_is_masked_wherever_chunks_are_cut() {
        let known = KnownTexts::of(["hunter2", "hunter2!x", ""]);
        let text = b"you typed hunter2 and hunter2!x!";
        for cut in 0..=text.len() {
            let (a, b) = text.split_at(cut);
            let mut chunks = [a.to_vec(), b.to_vec()];
            assert_eq!(known.mask(&mut chunks), 2);
            assert_eq!(chunks.concat(), b"you typed *** and ***!", "{cut}");
        }
        assert_eq!(KnownTexts::of([""; 0]).mask(&mut [b"a".to_vec()]), 0);
    }

    #[test]
    fn a_word_a_number_and_a_path_are_no_secret_by_themselves() {
        for text in ["Qx7hunterzz99w", "correctHorse", "geheim-9", "s3cret!!x"] {
            assert!(is_distinctive(text), "{text}");
        }
        for text in [
            "test",
            "password",
            "Password",
            "12345678",
            "2026-01-02",
            "hunter2",
            "correct horse battery",
            "/run/secrets/db1",
            "some-name",
        ] {
            assert!(!is_distinctive(text), "{text}");
        }
    }

    #[test]
    fn what_was_masked_is_known_from_what_is_left() {
        assert_eq!(masked_texts("a=1 b=2 c", "a=*** b=*** c"), ["1", "2"]);
        assert_eq!(masked_texts("https://u:p@h@h", "https://u:***@h"), ["p@h"]);
        assert_eq!(masked_texts("abc", "***"), ["abc"]);
        assert_eq!(masked_texts("abc", "abc"), [""; 0]);
        assert_eq!(masked_texts("abc", "x***"), [""; 0]);
    }
}
