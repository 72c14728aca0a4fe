//! Texts that are known to be secret: they are masked wherever they appear, without any sign of a secret near them.

use super::raw::mask;
use aho_corasick::{AhoCorasick, MatchKind};

/// Minimum length, in characters: shorter texts often appear in innocent output.
const MIN_CHARS: usize = 8;

/// Known texts, ready to search.
pub struct KnownTexts(Option<AhoCorasick>);

impl KnownTexts {
    /// Prepares the search. A text may be part of another; the longest one is masked.
    pub fn new<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Self {
        let mut texts = texts.into_iter().peekable();
        if texts.peek().is_none() {
            return Self(None);
        }
        let mut search = AhoCorasick::builder();
        search.match_kind(MatchKind::LeftmostLongest);
        Self(search.build(texts).ok())
    }

    /// Returns the lines of a secret that can be masked wherever they appear.
    pub fn distinctive_lines(secret: &str) -> impl Iterator<Item = &str> {
        let lines = secret.lines().map(str::trim);
        lines.filter(|line| is_distinctive(line))
    }

    /// Masks every known text in the concatenated chunks, including those that cross a border; returns how many there
    /// were.
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

/// Returns whether a text can be masked wherever it appears: it is not a word, a number or a path.
fn is_distinctive(text: &str) -> bool {
    let is_path = text.starts_with(['/', '~', '.']);
    !is_path && text.chars().count() >= MIN_CHARS && is_mixed(text)
}

/// Returns whether a text has more than one kind of characters.
pub(super) fn is_mixed(text: &str) -> bool {
    let has = |wanted: fn(char) -> bool| text.chars().any(wanted);
    let is_special = |c: char| !(c.is_alphanumeric() || c.is_whitespace() || "-_./:,".contains(c));
    let changes_case = has(char::is_lowercase) && text.chars().skip(1).any(char::is_uppercase);
    has(char::is_alphabetic) && (has(|c| c.is_ascii_digit()) || changes_case || has(is_special))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_text_is_masked_wherever_chunks_are_cut() {
        let known = KnownTexts::new(["hunter2", "hunter2!x", ""]);
        let text = b"you typed hunter2 and hunter2!x!";
        for cut in 0..=text.len() {
            let (a, b) = text.split_at(cut);
            let mut chunks = [a.to_vec(), b.to_vec()];
            assert_eq!(known.mask(&mut chunks), 2);
            assert_eq!(chunks.concat(), b"you typed *** and ***!", "{cut}");
        }
        assert_eq!(KnownTexts::new([""; 0]).mask(&mut [b"a".to_vec()]), 0);
    }

    #[test]
    fn a_word_a_number_and_a_path_are_not_secrets_by_themselves() {
        for text in ["Qx7hunterzz99w", "correctHorse", "geheim-9", "s3cret!!x"] {
            assert!(is_distinctive(text), "{text}");
        }
        #[rustfmt::skip]
        let texts = [
            "test", "password", "Password", "12345678", "2026-01-02", "hunter2", "correct horse battery",
            "/run/secrets/db1", "some-name",
        ];
        for text in texts {
            assert!(!is_distinctive(text), "{text}");
        }
    }
}
