//! A text without its control sequences, and the original position of each byte.

use super::strip::each_run;

/// Cleaned text, as runs that are also in the raw text.
pub struct Cleaned {
    text: String,
    runs: Runs,
}

/// The start of each run of a text, in the text and in the raw bytes.
#[derive(Default)]
pub(crate) struct Runs(pub(crate) Vec<(usize, usize)>);

impl Runs {
    /// Notes that the text continues at `text` with the raw byte at `raw`.
    pub(crate) fn note(&mut self, text: usize, raw: usize) {
        let last = self.0.last();
        if last.is_none_or(|&(start, at)| at + (text - start) != raw) {
            self.0.push((text, raw));
        }
    }

    /// Returns the position in the raw bytes of the byte at `at` in the text.
    pub(crate) fn raw(&self, at: usize) -> usize {
        let next = self.0.partition_point(|&(text, _)| text <= at);
        match next.checked_sub(1).and_then(|run| self.0.get(run)) {
            Some(&(text, raw)) => raw + (at - text),
            None => at,
        }
    }
}

impl Cleaned {
    /// Cleans a text as expect and `session.read` do.
    pub fn new(raw: &str) -> Self {
        let mut bytes = Vec::with_capacity(raw.len());
        let mut runs = Runs::default();
        each_run(raw.as_bytes(), |run| {
            runs.note(bytes.len(), run.start);
            bytes.extend_from_slice(&raw.as_bytes()[run]);
        });
        // Only whole ASCII characters and whole strings are removed, so no character is split.
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Self { text, runs }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the position in the raw text of the byte at `at` in the cleaned text.
    pub fn raw(&self, at: usize) -> usize {
        self.runs.raw(at)
    }

    /// Returns the position after the byte before `at`, excluding control sequences after it.
    pub(crate) fn raw_end(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |last| self.raw(last) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_byte_knows_its_place() {
        let raw = "a\x1b[1mbc\x1b[0m\r\nd\r";
        let cleaned = Cleaned::new(raw);
        assert_eq!(cleaned.text(), "abc\nd\r");
        let places: Vec<usize> = (0..6).map(|at| cleaned.raw(at)).collect();
        assert_eq!(places, [0, 5, 6, 12, 13, 14]);
        assert_eq!((cleaned.raw_end(3), cleaned.raw_end(0)), (7, 0));
        assert_eq!(Cleaned::new("").raw(0), 0);
    }

    proptest! {
        #[test]
        fn a_byte_is_the_same_in_both_texts(raw in "(?s)(\\x1b\\[[0-9]{0,2}m|\\x1b|\r|\n|é|\\x1b\\]0;é|\\x07|.){0,60}") {
            let cleaned = Cleaned::new(&raw);
            for (at, byte) in cleaned.text().bytes().enumerate() {
                prop_assert_eq!(raw.as_bytes()[cleaned.raw(at)], byte);
            }
        }
    }
}
