//! The text that was typed since the last Enter, in case a shell shows it at its prompt, and whether it is a secret; and
//! whether Ctrl-C was typed.

use parking_lot::Mutex;

/// Bytes of the line that are kept; of a longer one, its end.
const MAX_LEN: usize = 1024;

/// Keys that end or remove a line: Enter, Ctrl-C, Ctrl-D, Ctrl-U, Ctrl-Z and Ctrl-\\.
const ENDS: &[u8] = b"\r\n\x03\x04\x15\x1a\x1c";

const INTERRUPT: u8 = 0x03;

/// What was typed through the daemon since the line's start.
#[derive(Debug, Default)]
pub(crate) struct HalfLine(Mutex<BegunLine>);

#[derive(Debug, Default)]
struct BegunLine {
    text: Vec<u8>,
    /// End of the output when the line before it was entered.
    start_offset: u64,
    secret_prompt: Option<String>,
    /// A terminal's answer was typed since then.
    has_answer: bool,
    interrupts: u64,
}

impl HalfLine {
    /// Adds typed bytes; `offset` is the end of the output before them.
    pub(crate) fn typed(&self, bytes: &[u8], offset: u64) {
        let line = &mut *self.0.lock();
        line.interrupts += u64::from(bytes.contains(&INTERRUPT));
        let start = bytes.iter().rposition(|byte| ENDS.contains(byte));
        if let Some(end) = start {
            line.secret_prompt = None;
            line.has_answer = false;
            line.start_offset = offset;
            line.text.clear();
            line.text.extend_from_slice(&bytes[end + 1..]);
        } else {
            line.text.extend_from_slice(bytes);
        }
        let surplus = line.text.len().saturating_sub(MAX_LEN);
        line.text.drain(..surplus);
    }

    /// Notes that the line was entered by a key that is no text.
    pub(crate) fn entered(&self) {
        self.typed(b"\r", self.start_offset());
    }

    /// Returns where the output starts that was printed since the last line was entered.
    pub(crate) fn start_offset(&self) -> u64 {
        self.0.lock().start_offset
    }

    /// Marks the line, up to its end or the next prompt, as the answer to this prompt for a secret.
    pub(crate) fn begin_secret(&self, prompt: String) {
        self.0.lock().secret_prompt = Some(prompt);
    }

    /// Returns whether the terminal's last line still has the prompt that the line answers with a secret.
    pub(crate) fn is_secret(&self, last_line: &str) -> bool {
        let line = self.0.lock();
        let prompt = line.secret_prompt.as_ref();
        prompt.is_some_and(|prompt| last_line.starts_with(prompt))
    }

    pub(crate) fn answered(&self) {
        self.0.lock().has_answer = true;
    }

    /// Returns whether a shell at its prompt may have nothing but a terminal's answer in its line: the program that asked
    /// did not wait for it.
    pub(crate) fn is_answer(&self) -> bool {
        let line = self.0.lock();
        line.has_answer && line.text.is_empty()
    }

    pub(crate) fn is_begun(&self) -> bool {
        !self.0.lock().text.is_empty()
    }

    /// Counts an interrupt by a signal, which does the same as the key.
    pub(crate) fn interrupted(&self) {
        self.0.lock().interrupts += 1;
    }

    pub(crate) fn interrupts(&self) -> u64 {
        self.0.lock().interrupts
    }

    /// Returns whether the terminal's last line ends with this text. A program that has read it has moved on.
    pub(crate) fn is_shown(&self, last_line: &str) -> bool {
        let line = self.0.lock();
        let text = String::from_utf8_lossy(&line.text);
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
