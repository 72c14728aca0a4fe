//! Whether the terminal has echoed what was typed, or the program has printed it afterwards.

/// Characters that programs print in place of typed secrets.
const MASKS: [char; 4] = ['*', '•', '●', '·'];

/// Characters at the end of a prompt after which typed text is echoed again.
const PROMPT_ENDS: [char; 8] = ['$', '#', '%', '>', '❯', '➜', '»', 'λ'];

const ESC: u8 = 0x1b;
const BACKSPACE: u8 = 0x08;

/// The output since an input was typed.
pub struct Echo {
    /// Its lines, without control sequences and blanks.
    lines: Vec<String>,
    /// The cursor was moved in the first line, as line editors and full-screen programs do to show what is typed.
    is_drawn: bool,
}

impl Echo {
    /// `text` is `raw` without control sequences.
    pub fn new(raw: &[u8], text: &str) -> Self {
        let first_line = raw.split(|byte| *byte == b'\n').next().unwrap_or_default();
        Self {
            lines: text.split('\n').map(without_blanks).collect(),
            is_drawn: moves_cursor(first_line),
        }
    }

    /// Returns how much of a typed line was echoed so far, in bytes, if nothing else was printed.
    pub fn has_begun(&self, line: &str) -> Option<usize> {
        let [first] = &self.lines[..] else {
            return None;
        };
        let is_begun = !first.is_empty() && without_blanks(line).starts_with(first);
        is_begun.then_some(first.len())
    }

    /// Returns whether one of the lines of a typed text was echoed. `is_first`: nothing was typed before it.
    /// Programs print secrets too: "logged in with hunter2". So the text must begin the output, follow a prompt, or be
    /// drawn. Where other output comes first, as when somebody types ahead, it may be anywhere.
    pub fn shows(&self, line: &str, is_first: bool) -> bool {
        let line = without_blanks(line);
        if !self.lines.concat().contains(&line) {
            return false;
        }
        let first = self.lines.first().map_or("", String::as_str);
        if !is_first || first.starts_with(&line) {
            return true;
        }
        let is_masked = !first.is_empty() && first.chars().all(|c| MASKS.contains(&c));
        if self.is_drawn && !is_masked {
            return true;
        }
        let follows_prompt = |shown: &String| {
            let mut places = shown.match_indices(&line);
            places.any(|(at, _)| shown[..at].ends_with(PROMPT_ENDS))
        };
        if self.lines.iter().any(follows_prompt) {
            return true;
        }
        !(first.is_empty() || is_masked || first.contains(&line))
    }
}

/// Returns whether control sequences in a line move the cursor or erase.
fn moves_cursor(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let returns = line.iter().any(|byte| matches!(*byte, b'\r' | BACKSPACE));
    let mut sequences = line.split(|byte| *byte == ESC).skip(1);
    returns
        || sequences.any(|sequence| {
            let body = sequence.strip_prefix(b"[").unwrap_or_default();
            let last = body.iter().find(|byte| (0x40..=0x7e).contains(*byte));
            last.is_some_and(|last| b"ABCDGHJKPXdf@".contains(last))
        })
}

/// Line editors wrap and redraw, so blanks are ignored.
fn without_blanks(text: &str) -> String {
    let counts = |c: &char| !c.is_whitespace() && !c.is_control();
    text.chars().filter(counts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expect::clean_lossy;

    fn shows(raw: &str) -> bool {
        let text = clean_lossy(raw.as_bytes(), encoding_rs::UTF_8);
        Echo::new(raw.as_bytes(), &text).shows("hunter 2", true)
    }

    #[test]
    fn an_echo_is_told_from_what_a_program_prints() {
        for raw in [
            "hunter 2\r\n",
            "\x1b[?2004lhunter 2\r\ngot it\r\n",
            "\r\x1b[Kname> hunter 2",
            "h\x08hu\x08hunter 2\r\n",
            "\x1b[5;3Hhunter 2",
            // Typed ahead.
            "other output\r\nhunter 2\r\n",
            "me@host:~$ hunter 2\r\n",
            "\r\n>>> hunter 2\r\n",
        ] {
            assert!(shows(raw), "{raw:?}");
        }
        for raw in [
            "",
            "\r\n",
            "\r\ngot hunter 2\r\n",
            "got hunter 2\r\n",
            "********\r\nhello hunter 2\r\n",
            "\x1b[2D**\x1b[3D*****\r\nhello hunter 2\r\n",
            "\r\nhunter 2\r\n",
            "hunter\r\n",
        ] {
            assert!(!shows(raw), "{raw:?}");
        }
    }

    #[test]
    fn an_echo_that_has_begun_is_told_from_other_output() {
        for (raw, begun) in [
            ("", None),
            ("hun", Some(3)),
            ("hunter \r2", Some(7)),
            ("hunter 2\r\n", None),
            ("*", None),
            ("got", None),
        ] {
            let echo = Echo::new(raw.as_bytes(), raw);
            assert_eq!(echo.has_begun("hunter 2"), begun, "{raw:?}");
        }
    }
}
