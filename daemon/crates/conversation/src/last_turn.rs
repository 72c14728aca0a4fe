//! The last thing that the user said to Claude Code in a project, and what it answered.

use crate::line::{LineType, read, said};
use crate::task_list::{TAIL_BYTES, newest, tail};
use ccd_base::surrogate::mended;
use std::path::Path;

/// Of the newest transcripts: that of a session that is just starting has no prompt.
const TRANSCRIPTS: usize = 3;

/// A prompt, and the last text of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastTurn {
    /// Their starts.
    pub prompt: String,
    pub answer: Option<String>,
    /// When the last of both was written, RFC 3339.
    pub at: Option<String>,
}

/// Returns the last turn in the newest transcripts of the project `root`, an absolute path with links resolved. Blocks.
pub(crate) fn last_turn(claude_dir: &Path, root: &Path) -> Option<LastTurn> {
    let transcripts = newest(claude_dir, root).into_iter().rev().take(TRANSCRIPTS);
    let mut tails = transcripts.filter_map(|transcript| tail(&transcript, TAIL_BYTES).ok());
    tails.find_map(|tail| of_lines(&tail))
}

fn of_lines(lines: &[u8]) -> Option<LastTurn> {
    let mut last: Option<LastTurn> = None;
    for line in lines.split(|byte| *byte == b'\n') {
        let line = mended(line);
        let Ok(line) = read(&line) else { continue };
        let Some((_, text)) = said(&line) else {
            continue;
        };
        let at = line.timestamp.as_deref().map(str::to_owned);
        match (&line.kind, &mut last) {
            (LineType::User, _) => {
                last = Some(LastTurn {
                    prompt: text,
                    answer: None,
                    at,
                });
            }
            (_, Some(turn)) => (turn.answer, turn.at) = (Some(text), at),
            (_, None) => {}
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_prompt_and_the_last_answer_to_it_are_found() {
        let line = |rest: &str| format!("{{\"sessionId\":\"s\",\"uuid\":\"u\",{rest}}}");
        let said = |role: &str, text: &str, time: &str| {
            line(&format!(
                r#""type":"{role}","message":{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}]}},"timestamp":"2026-01-01T00:{time}:00Z""#
            ))
        };
        let lines = [
            said("user", "first", "00"),
            said("assistant", "no more", "00"),
            said("user", "fix the lamp", "01"),
            said("assistant", "Looking.", "01"),
            line(
                r#""type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}"#,
            ),
            "no json".to_owned(),
            line(r#""type":"user","isMeta":true,"message":{"role":"user","content":"caveat"}"#),
            said("assistant", "Fixed.", "02"),
        ];
        let expected = LastTurn {
            prompt: "fix the lamp".to_owned(),
            answer: Some("Fixed.".to_owned()),
            at: Some("2026-01-01T00:02:00Z".to_owned()),
        };
        assert_eq!(of_lines(lines.join("\n").as_bytes()), Some(expected));
        assert_eq!(of_lines(b""), None);
    }
}
