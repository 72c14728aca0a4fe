//! What the end of a transcript of Claude Code says.

use crate::look::Tail;
use crate::words;
use ccd_base::surrogate::mended;
use ccd_conversation::line::{Block, Line, LineType, blocks, milliseconds, read};

/// What Claude Code writes when its user interrupts a turn starts with this.
const INTERRUPTED: &str = "[Request interrupted by user";

/// Subtypes of the lines that Claude Code writes after a turn.
const TURN_ENDS: [&str; 2] = ["\"turn_duration\"", "\"stop_hook_summary\""];

/// Prompts that nobody typed start with one of these.
const NOT_TYPED: [&str; 2] = ["<", "Caveat: "];

/// Reads whole lines; what is not understood is skipped.
#[must_use]
pub fn tail(lines: &[u8]) -> Tail {
    let mut tail = Tail::default();
    for line in lines.split(|byte| *byte == b'\n') {
        let bytes = mended(line);
        if let Ok(line) = read(&bytes)
            && !line.is_sidechain
            && line.parent_tool_use_id.is_none()
        {
            tail.take(&line, &bytes);
        }
    }
    tail
}

impl Tail {
    fn take(&mut self, line: &Line<'_>, bytes: &[u8]) {
        let is_user = line.kind == LineType::User;
        if line.kind != LineType::Assistant && !is_user {
            return self.noted(line, bytes);
        }
        let Some(message) = &line.message else { return };
        self.at(line);
        (self.is_interrupted, self.has_ended) = (false, false);
        for block in blocks(message.content) {
            match block {
                Block::Text(text) if is_user => self.prompted(&text, line.is_meta),
                Block::Text(text) => self.answer = Some(words::text(&text)),
                Block::ToolResult { tool_use_id, .. } => {
                    self.results.insert(tool_use_id.into_owned());
                }
                Block::ToolUse { .. } | Block::Thinking(_) | Block::Other => {}
            }
        }
        if let Some(usage) = &message.usage {
            let tokens = &usage.tokens;
            let input = tokens.input_tokens
                + tokens.cache_creation_input_tokens
                + tokens.cache_read_input_tokens;
            self.context_tokens = Some(input + tokens.output_tokens)
                .filter(|sum| *sum > 0)
                .or(self.context_tokens);
        }
        if let Some(model) = message
            .model
            .as_deref()
            .filter(|model| !model.starts_with('<'))
        {
            self.model = Some(words::line(model));
        }
    }

    fn prompted(&mut self, text: &str, is_meta: bool) {
        if text.starts_with(INTERRUPTED) {
            self.is_interrupted = true;
        } else if !is_meta && !NOT_TYPED.iter().any(|start| text.starts_with(start)) {
            self.prompt = Some(words::text(text));
        }
    }

    /// Takes a line that is no part of the conversation; two kinds of them follow the end of a turn.
    fn noted(&mut self, line: &Line<'_>, bytes: &[u8]) {
        let ends = |mark: &str| {
            bytes
                .windows(mark.len())
                .any(|part| part == mark.as_bytes())
        };
        let is_system = line.kind == LineType::Other("system".into());
        if is_system && TURN_ENDS.into_iter().any(ends) {
            self.at(line);
            self.has_ended = true;
        }
    }

    fn at(&mut self, line: &Line<'_>) {
        let at = line.timestamp.as_deref().and_then(milliseconds);
        let at = at.and_then(|ms| u64::try_from(ms).ok());
        self.unix_ms = at.unwrap_or(self.unix_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: &str, at: &str, content: &str) -> String {
        format!(
            r#"{{"type":"{kind}","uuid":"u","sessionId":"c","timestamp":"2026-01-01T00:00:{at}.000Z","message":{{"role":"{kind}","model":"claude-opus-5-5","content":{content},"usage":{{"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":5}}}}}}"#
        )
    }

    fn call(id: &str) -> String {
        format!(r#"[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"make"}}}}]"#)
    }

    fn result(id: &str) -> String {
        format!(r#"[{{"type":"tool_result","tool_use_id":"{id}","content":"ok"}}]"#)
    }

    #[test]
    fn the_last_line_that_counts_decides() {
        let text = |text: &str| format!(r#"[{{"type":"text","text":"{text}"}}]"#);
        let prompt = record("user", "01", "\"build it\"");
        let called = record("assistant", "02", &call("t"));
        let done = record("user", "03", &result("t"));
        let answered = record("assistant", "04", &text("Built."));
        let ended =
            r#"{"type":"system","subtype":"turn_duration","timestamp":"2026-01-01T00:00:05.000Z"}"#
                .to_owned();
        let cut = record(
            "user",
            "05",
            &text("[Request interrupted by user for tool use]"),
        );
        let of = |lines: &[&String]| {
            let lines: Vec<&str> = lines.iter().map(|line| line.as_str()).collect();
            tail(lines.join("\n").as_bytes())
        };
        // A use of a tool may follow the text.
        let open = of(&[&prompt, &called, &done, &answered]);
        assert!(!open.has_ended && open.results.contains("t"));
        assert_eq!(open.context_tokens, Some(105));
        let ended = of(&[&prompt, &called, &done, &answered, &ended]);
        assert!(ended.has_ended && ended.unix_ms > open.unix_ms);
        assert_eq!(
            (ended.prompt.as_deref(), ended.answer.as_deref()),
            (Some("build it"), Some("Built."))
        );
        let cut = of(&[&prompt, &called, &cut]);
        assert!(cut.is_interrupted && !cut.has_ended);
        assert_eq!(tail(b"\xff\n{}\n[]\n"), Tail::default());
    }
}
