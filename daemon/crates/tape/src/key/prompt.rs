//! The prompt: the last line of output.

use super::hash::Fingerprint;
use super::scrub::scrub;
use ccd_text::expect::{Stripper, clean_lossy};
use ccd_text::redact::redact;
use serde::{Deserialize, Serialize};

/// Maximum length of a prompt: only the end of a longer last line counts.
pub(super) const MAX_PROMPT_BYTES: usize = 512;

/// Returns the output after the last line break, without control sequences and at most [`MAX_PROMPT_BYTES`]; trailing
/// blanks are kept.
/// A `\r` starts the line again once text follows; until then, the line is kept.
pub fn prompt_of(output: &[u8]) -> String {
    PromptTracker::after(output).prompt()
}

/// Follows output that arrives in pieces, so that the prompt is known at any time. It is stored as the text that it
/// shows.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct PromptTracker {
    stripper: Stripper,
    /// Its start may be missing; never longer than twice the maximum.
    line: Vec<u8>,
    /// The next text starts the line again.
    is_returned: bool,
    /// The start of the line was dropped.
    is_cut: bool,
    /// Buffer for a piece without control sequences, kept between calls.
    text: Vec<u8>,
}

/// Output is processed in pieces of this size, which limits memory.
const PIECE_BYTES: usize = 4096;

impl PromptTracker {
    pub(crate) fn after(output: &[u8]) -> Self {
        let mut tracker = Self::default();
        tracker.feed(output);
        tracker
    }

    pub fn feed(&mut self, output: &[u8]) {
        for piece in output.chunks(PIECE_BYTES) {
            let mut text = std::mem::take(&mut self.text);
            text.clear();
            self.stripper.feed(piece, &mut text);
            self.take(&text);
            self.text = text;
        }
    }

    /// Returns the current prompt, as [`prompt_of`] returns it for all output so far.
    pub fn prompt(&self) -> String {
        let start = self.line.len().saturating_sub(MAX_PROMPT_BYTES);
        let mut line = &self.line[start..];
        if start > 0 || self.is_cut {
            // The rest of a character that was cut in two.
            let rest = line.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80);
            line = &line[rest.count()..];
        }
        String::from_utf8_lossy(line).into_owned()
    }

    fn take(&mut self, text: &[u8]) {
        // Lines before the last one do not matter.
        let text = match memchr::memrchr(b'\n', text) {
            None => text,
            Some(end) => {
                self.restart();
                self.is_returned = false;
                &text[end + 1..]
            }
        };
        for (number, part) in text.split(|byte| *byte == b'\r').enumerate() {
            self.is_returned |= number > 0;
            if part.is_empty() {
                continue;
            }
            if std::mem::take(&mut self.is_returned) {
                self.restart();
            }
            self.line.extend_from_slice(part);
            if self.line.len() > 2 * MAX_PROMPT_BYTES {
                self.line.drain(..self.line.len() - MAX_PROMPT_BYTES);
                self.is_cut = true;
            }
        }
    }

    fn restart(&mut self) {
        self.line.clear();
        self.is_cut = false;
    }
}

impl From<String> for PromptTracker {
    fn from(text: String) -> Self {
        Self::after(text.as_bytes())
    }
}

impl From<PromptTracker> for String {
    fn from(tracker: PromptTracker) -> Self {
        tracker.prompt()
    }
}

/// Returns the normal form of a prompt for matching: without control sequences, secrets and trailing blanks; and
/// scrubbed.
pub fn prompt_signature(prompt: &str) -> String {
    let text = clean_lossy(prompt.as_bytes(), encoding_rs::UTF_8);
    let text = redact(&text).text;
    scrub(text.trim_end_matches([' ', '\t', '\r'])).into_owned()
}

impl Fingerprint {
    pub(crate) fn from_prompt(prompt: &str) -> Self {
        Self::new("prompt", prompt_signature(prompt).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_prompt_is_what_stands_on_the_last_line() {
        for (output, prompt) in [
            (&b""[..], ""),
            (b"sqlite> ", "sqlite> "),
            (b"1\r\n2\r\nsqlite> ", "sqlite> "),
            (b"\x1b[?2004h\x1b[32muser@host\x1b[0m:~$ ", "user@host:~$ "),
            (b"50%\r100%", "100%"),
            (b"abc\r", "abc"),
            (b"abc\r\x1b[K", "abc"),
            (b"abc\r\r\x1b[K$ ", "$ "),
            (b"abc\r\r\n", ""),
            (b"a\nb\rc\nd", "d"),
            (b"a\xff> ", "a\u{fffd}> "),
        ] {
            assert_eq!(prompt_of(output), prompt, "{output:?}");
        }
    }

    #[test]
    fn of_a_long_line_the_end_counts() {
        let line = "é".repeat(5000);
        assert_eq!(prompt_of(line.as_bytes()), "é".repeat(256));
        let line = format!("{line}x");
        assert_eq!(prompt_of(line.as_bytes()), format!("{}x", "é".repeat(255)));
    }

    #[test]
    fn what_is_memory_of_a_long_output_is_small() {
        let mut tracker = PromptTracker::default();
        tracker.feed(&vec![b'x'; 1 << 20]);
        assert!(tracker.line.capacity() < 4 * PIECE_BYTES);
        assert!(tracker.text.capacity() < 4 * PIECE_BYTES);
    }

    #[test]
    fn blanks_colours_and_times_do_not_count_for_a_match() {
        let signature = prompt_signature("\u{1b}[1m[12:00:01] $ \u{1b}[0m");
        assert_eq!(signature, "[<time>] $");
        let [ann, bob] = ["/home/ann/x$ ", "/home/bob/x$"].map(Fingerprint::from_prompt);
        assert_eq!(ann, bob);
    }

    proptest! {
        #[test]
        fn cuts_change_nothing(
            output in proptest::collection::vec(
                prop_oneof![
                    6 => proptest::sample::select(&b"\r\r\n\x1b[Kab \xc3\xa9"[..]).prop_map(|byte| vec![byte]),
                    1 => (0usize..1500).prop_map(|len| "\u{e9}x".repeat(len).into_bytes()),
                ],
                0..40,
            ),
            cuts in proptest::collection::vec(1usize..700, 1..20),
        ) {
            let output = output.concat();
            let (mut tracker, mut rest) = (PromptTracker::default(), &output[..]);
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (piece, after) = rest.split_at(rest.len().min(*cut));
                tracker.feed(piece);
                rest = after;
            }
            prop_assert_eq!(tracker.prompt(), prompt_of(&output));
            prop_assert!(tracker.prompt().len() <= 3 * MAX_PROMPT_BYTES);
        }
    }
}
