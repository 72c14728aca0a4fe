//! What a program printed after an input.

use super::exit::Exit;
use ccd_text::expect::clean_lossy;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// It waits for input; `hidden` if the terminal would not show it.
    Waits {
        hidden: bool,
    },
    Ended(Exit),
    /// It neither waited for input nor printed anything at the end of the time limit.
    Hangs,
    /// It did not stop printing.
    Floods,
}

/// What a program printed after an input, and what it does now.
#[derive(Debug, Clone)]
pub struct Reply {
    /// Without escape sequences, the echo of the input and the prompt. At most 1 MiB.
    pub text: String,
    /// As printed, at most 1 MiB.
    pub raw: Vec<u8>,
    /// All that was printed, in bytes, without what a line editor may print while it reads the input.
    pub printed_bytes: u64,
    /// The line to the left of the cursor, if the program waits for input after it.
    pub prompt: Option<String>,
    pub settled: Settled,
    pub took: Duration,
}

impl Reply {
    /// Reads what a program printed after `typed`; `line` is the text to the left of the cursor.
    pub(super) fn new(typed: &str, raw: Vec<u8>, line: &str, settled: Settled) -> Self {
        let waits = matches!(settled, Settled::Waits { .. });
        let prompt = Some(line.trim()).filter(|line| waits && !line.is_empty());
        let cleaned = clean_lossy(&raw, encoding_rs::UTF_8).replace("\r\n", "\n");
        let text = without_prompt(without_echo(&cleaned, typed), prompt);
        Self {
            text: text.to_owned(),
            printed_bytes: raw.len() as u64,
            prompt: prompt.map(str::to_owned),
            raw,
            settled,
            took: Duration::ZERO,
        }
    }

    /// Reads a part of a recorded output: what was printed after `typed` and before the next input.
    pub fn recorded(typed: &str, raw: Vec<u8>) -> Self {
        let cleaned = clean_lossy(&raw, encoding_rs::UTF_8);
        let line = cleaned.rsplit(['\n', '\r']).next().unwrap_or_default();
        Self::new(typed, raw, line, Settled::Waits { hidden: false })
    }

    /// Returns whether the program can be asked more.
    pub fn waits(&self) -> bool {
        matches!(self.settled, Settled::Waits { .. })
    }

    /// Returns whether the program waits for something that it does not show.
    pub fn is_hidden(&self) -> bool {
        self.settled == Settled::Waits { hidden: true }
    }

    /// Returns whether the program asks to show more of a long answer.
    pub fn is_paged(&self) -> bool {
        let line = self.prompt.as_deref().unwrap_or_default().to_lowercase();
        line == "(end)" || (line.starts_with("--") && line.contains("more"))
    }

    pub fn shown(&self) -> String {
        let prompt = self.prompt.as_deref().unwrap_or_default();
        format!("{}\n{prompt}", self.text)
    }

    pub fn exit(&self) -> Option<Exit> {
        match self.settled {
            Settled::Ended(exit) => Some(exit),
            _ => None,
        }
    }
}

/// Returns the text after the line that repeats the input; line editors also print parts of it before.
fn without_echo<'a>(text: &'a str, typed: &str) -> &'a str {
    let typed = typed.trim_end();
    if typed.is_empty() {
        return text.trim_start_matches(['\r', '\n']);
    }
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if first.trim_end().ends_with(typed) {
        rest
    } else {
        text
    }
}

/// Returns the text before the prompt at its end.
fn without_prompt<'a>(text: &'a str, prompt: Option<&str>) -> &'a str {
    let text = text.trim_end_matches([' ', '\t']);
    let Some(prompt) = prompt else {
        return text;
    };
    let (before, last) = match text.rfind(['\n', '\r']) {
        Some(end) => text.split_at(end + 1),
        None => ("", text),
    };
    // What was printed without a line end is before the prompt.
    match last.rfind(prompt) {
        Some(at) => &text[..before.len() + at],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAITS: Settled = Settled::Waits { hidden: false };

    fn text(typed: &str, raw: &str, line: &str) -> (String, Option<String>) {
        let reply = Reply::new(typed, raw.as_bytes().to_vec(), line, WAITS);
        (reply.text, reply.prompt)
    }

    #[test]
    fn echo_and_prompt_are_no_part_of_an_answer() {
        let prompt = Some("sqlite>".to_owned());
        assert_eq!(
            text(".help", ".help\r\na\r\nb\r\nsqlite> ", "sqlite> "),
            ("a\nb\n".into(), prompt.clone())
        );
        assert_eq!(
            text(
                "x",
                "\r\u{1b}[Ksqlite> x\r\nno\r\n\u{1b}[1msqlite> \u{1b}[m",
                "sqlite> "
            ),
            ("no\n".into(), prompt.clone())
        );
        assert_eq!(text("x", "x\r\nabcsqlite> ", "abcsqlite> ").0, "");
        assert_eq!(
            text("", "\r\nsqlite> ", "sqlite> "),
            (String::new(), prompt)
        );
        assert_eq!(text("cat", "cat\r\ncat\r\n", ""), ("cat\n".into(), None));
        let ended = Reply::new(
            "q",
            b"q\r\nbye".to_vec(),
            "bye",
            Settled::Ended(Exit::default()),
        );
        assert_eq!((&*ended.text, ended.prompt), ("bye", None));
    }
}
