//! The text that was typed since the last Enter, in case a shell shows it at its prompt, and whether it is a secret; and
//! whether Ctrl-C was typed.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bytes of the line that are kept; of a longer one, its end.
const MAX_LEN: usize = 1024;

/// Keys that end or remove a line: Enter, Ctrl-C, Ctrl-D, Ctrl-U, Ctrl-Z and Ctrl-\\.
const ENDS: &[u8] = b"\r\n\x03\x04\x15\x1a\x1c";

const INTERRUPT: u8 = 0x03;

/// What was typed through the daemon since the line's start.
#[derive(Debug, Default)]
pub(crate) struct HalfLine {
    text: Mutex<Vec<u8>>,
    /// End of the output when the line before it was entered.
    start_offset: AtomicU64,
    secret_prompt: Mutex<Option<String>>,
    /// A terminal's answer was typed since then.
    has_answer: AtomicBool,
    interrupts: AtomicU64,
}

impl HalfLine {
    /// Adds typed bytes; `offset` is the end of the output before them.
    pub(crate) fn typed(&self, bytes: &[u8], offset: u64) {
        if bytes.contains(&INTERRUPT) {
            self.interrupted();
        }
        let mut line = self.text.lock();
        let start = bytes.iter().rposition(|byte| ENDS.contains(byte));
        if let Some(end) = start {
            *self.secret_prompt.lock() = None;
            self.has_answer.store(false, Ordering::Release);
            self.start_offset.store(offset, Ordering::Release);
            line.clear();
            line.extend_from_slice(&bytes[end + 1..]);
        } else {
            line.extend_from_slice(bytes);
        }
        let surplus = line.len().saturating_sub(MAX_LEN);
        line.drain(..surplus);
    }

    /// Notes that the line was entered by a key that is no text.
    pub(crate) fn entered(&self) {
        self.typed(b"\r", self.start_offset());
    }

    /// Returns where the output starts that was printed since the last line was entered.
    pub(crate) fn start_offset(&self) -> u64 {
        self.start_offset.load(Ordering::Acquire)
    }

    /// Marks the line, up to its end or the next prompt, as the answer to this prompt for a secret.
    pub(crate) fn begin_secret(&self, prompt: String) {
        *self.secret_prompt.lock() = Some(prompt);
    }

    /// Returns whether the terminal's last line still has the prompt that the line answers with a secret.
    pub(crate) fn is_secret(&self, last_line: &str) -> bool {
        let prompt = self.secret_prompt.lock();
        prompt
            .as_ref()
            .is_some_and(|prompt| last_line.starts_with(prompt))
    }

    pub(crate) fn answered(&self) {
        self.has_answer.store(true, Ordering::Release);
    }

    /// Returns whether a shell at its prompt may have nothing but a terminal's answer in its line: the program that asked
    /// did not wait for it.
    pub(crate) fn is_answer(&self) -> bool {
        self.has_answer.load(Ordering::Acquire) && self.text.lock().is_empty()
    }

    pub(crate) fn is_begun(&self) -> bool {
        !self.text.lock().is_empty()
    }

    /// Counts an interrupt by a signal, which does the same as the key.
    pub(crate) fn interrupted(&self) {
        self.interrupts.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn interrupts(&self) -> u64 {
        self.interrupts.load(Ordering::Acquire)
    }

    /// Returns whether the terminal's last line ends with this text. A program that has read it has moved on.
    pub(crate) fn is_shown(&self, last_line: &str) -> bool {
        let line = self.text.lock();
        let text = String::from_utf8_lossy(&line);
        !text.trim().is_empty() && last_line.trim_end().ends_with(text.trim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_that_is_still_shown_counts() {
        let line = HalfLine::default();
        line.typed(b"rm -r", 7);
        line.typed(b"f x", 7);
        assert!(line.is_shown("$ rm -rf x"));
        assert!(!line.is_shown("$ "));
        line.typed(b"\r", 7);
        assert!(!line.is_shown("$ rm -rf x"));
        line.begin_secret("PIN: ".to_owned());
        assert!(line.is_secret("PIN: **") && !line.is_secret("ok> "));
        line.typed(b"a\rb", 9);
        assert_eq!(line.start_offset(), 9);
        assert!(!line.is_secret("PIN: **"));
        assert!(line.is_shown("$ b") && !line.is_shown("$ a"));
        line.typed(b"\x15", 7);
        assert!(!line.is_shown("$ b"));
    }
}
