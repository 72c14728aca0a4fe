//! What the end of a transcript of Claude Code says.

use crate::look::Tail;
use crate::words;
use ccd_base::surrogate::mended;
use ccd_conversation::line::{Block, Line, LineType, blocks, milliseconds, read};

/// Prompts that nobody typed start with one of these.
const NOT_TYPED: [&str; 3] = ["<", "Caveat: ", "[Request interrupted by user"];

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
            tail.take(&line);
        }
    }
    tail
}

impl Tail {
    fn take(&mut self, line: &Line<'_>) {
        let Some(message) = &line.message else { return };
        let at = line.timestamp.as_deref().and_then(milliseconds);
        let at = at.and_then(|ms| u64::try_from(ms).ok());
        self.unix_ms = at.unwrap_or(self.unix_ms);
        for block in blocks(message.content) {
            let Block::Text(text) = block else { continue };
            match line.kind {
                LineType::Assistant => self.answer = Some(words::text(&text)),
                LineType::User if is_typed(&text) && !line.is_meta => {
                    self.prompt = Some(words::text(&text));
                }
                _ => {}
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
}

fn is_typed(text: &str) -> bool {
    !NOT_TYPED.iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_prompt_and_the_last_answer_are_found() {
        let record = |kind: &str, second: u32, content: &str| {
            format!(
                r#"{{"type":"{kind}","uuid":"u","sessionId":"c","timestamp":"2026-01-01T00:00:{second:02}.000Z","message":{{"role":"{kind}","model":"claude-opus-5-5","content":{content},"usage":{{"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":5}}}}}}"#
            )
        };
        let text = |text: &str| format!(r#"[{{"type":"text","text":"{text}"}}]"#);
        let lines = [
            record("user", 1, "\"build it\""),
            record(
                "assistant",
                2,
                r#"[{"type":"tool_use","id":"t","name":"Bash","input":{}}]"#,
            ),
            record(
                "user",
                3,
                r#"[{"type":"tool_result","tool_use_id":"t","content":"ok"}]"#,
            ),
            record("assistant", 4, &text("Built.")),
            record(
                "user",
                5,
                &text("[Request interrupted by user for tool use]"),
            ),
        ];
        let found = tail(lines.join("\n").as_bytes());
        assert_eq!(
            (found.prompt.as_deref(), found.answer.as_deref()),
            (Some("build it"), Some("Built."))
        );
        assert_eq!(
            (found.unix_ms % 60_000, found.context_tokens),
            (5000, Some(105))
        );
        assert_eq!(tail(b"\xff\n{}\n[]\n"), Tail::default());
    }
}
