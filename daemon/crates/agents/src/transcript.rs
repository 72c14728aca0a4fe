//! What the end of a transcript of Claude Code says.

use crate::hook::ToolUse;
use crate::look::Tail;
use crate::words;
use ccd_base::about::about;
use ccd_base::surrogate::mended;
use ccd_conversation::line::{Block, Line, LineType, blocks, milliseconds, read};

/// What Claude Code writes when its user interrupts a turn starts with this.
const INTERRUPTED: &str = "[Request interrupted by user";

/// Prompts that nobody typed start with one of these.
const NOT_TYPED: [&str; 2] = ["<", "Caveat: "];

/// Reads whole lines; what is not understood is skipped.
#[must_use]
pub fn tail(lines: &[u8]) -> Tail {
    let mut tail = Tail::default();
    for line in lines.split(|byte| *byte == b'\n') {
        if let Ok(line) = read(&mended(line))
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
        let is_user = line.kind == LineType::User;
        if !is_user && line.kind != LineType::Assistant {
            return;
        }
        let Some(message) = &line.message else { return };
        let at = line.timestamp.as_deref().and_then(milliseconds);
        self.unix_ms = at
            .and_then(|ms| u64::try_from(ms).ok())
            .unwrap_or(self.unix_ms);
        (self.is_interrupted, self.has_ended) = (false, false);
        for block in blocks(message.content) {
            match block {
                Block::Text(text) if is_user => self.prompted(&text, line.is_meta),
                Block::Text(text) => {
                    self.has_ended = true;
                    self.answer = Some(words::text(&text));
                }
                Block::ToolUse { id, name, input } => {
                    let input = input.and_then(|input| serde_json::from_str(input.get()).ok());
                    self.has_ended = false;
                    self.calls.push(ToolUse {
                        id: Some(id.into_owned()),
                        name: words::line(&name),
                        about: words::line(&about(&input.unwrap_or_default())),
                    });
                }
                Block::ToolResult { tool_use_id, .. } => {
                    self.calls
                        .retain(|call| call.id.as_deref() != Some(&tool_use_id));
                    self.results.insert(tool_use_id.into_owned());
                }
                Block::Thinking(_) | Block::Other => {}
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
            self.model = Some(model.to_owned());
        }
    }

    fn prompted(&mut self, text: &str, is_meta: bool) {
        if text.starts_with(INTERRUPTED) {
            self.is_interrupted = true;
            self.calls.clear();
        } else if !is_meta && !NOT_TYPED.iter().any(|start| text.starts_with(start)) {
            self.prompt = Some(words::text(text));
            self.calls.clear();
        }
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
        let cut = record(
            "user",
            "05",
            &text("[Request interrupted by user for tool use]"),
        );
        let of = |lines: &[&String]| {
            tail(
                lines
                    .iter()
                    .map(|line| line.as_str())
                    .collect::<Vec<_>>()
                    .join("\n")
                    .as_bytes(),
            )
        };
        let calls = of(&[&prompt, &called]);
        assert_eq!((calls.calls.len(), calls.has_ended), (1, false));
        assert_eq!(calls.calls[0].line(), "Bash: make");
        let ended = of(&[&prompt, &called, &done, &answered]);
        assert!(ended.has_ended && ended.calls.is_empty() && ended.results.contains("t"));
        assert_eq!(ended.context_tokens, Some(105));
        assert_eq!(
            (ended.prompt.as_deref(), ended.answer.as_deref()),
            (Some("build it"), Some("Built."))
        );
        let cut = of(&[&prompt, &called, &cut]);
        assert!(cut.is_interrupted && cut.calls.is_empty() && !cut.has_ended);
        assert_eq!(tail(b"\xff\n{}\n[]\n"), Tail::default());
    }
}
