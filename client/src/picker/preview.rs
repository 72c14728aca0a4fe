//! What the preview of a conversation shows besides its line in the list: how it began, and what was said last.

use crate::Failure;
use crate::call::{DaemonAddress, garbled, request_at};
use crate::fields::Fields as _;
use crate::render::{self, on_one_line, readable};
use ccd_base::surrogate::mended;
use ccd_protocol::conversation::typed;
use serde_json::{Value, json};

/// Turns in which the first prompt is looked for.
const FIRST_TURNS: u64 = 10;

/// Turns of which the last ones are shown; those with results only say nothing.
const LAST_TURNS: u64 = 24;

/// Characters of a text that are kept, which is more than a preview shows.
const MAX_CHARS: usize = 2000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Preview {
    pub(super) prompt: String,
    /// Who says what, the last one at the end.
    pub(super) last: Vec<(String, String)>,
}

pub(super) fn preview(file: &str, place: &DaemonAddress) -> Result<Preview, Failure> {
    let turns = |from: u64, limit: u64| {
        let params = json!({"file": file, "from": from, "limit": limit, "nested": true});
        let json = request_at(place, "conversation.turns", &params)?;
        // Half a character may be escaped in what Claude Code wrote.
        serde_json::from_slice::<Value>(&mended(json.get().as_bytes()))
            .map_err(|error| garbled("conversation.turns", &error))
    };
    let first = turns(0, FIRST_TURNS)?;
    let last = first.number("total_turns").saturating_sub(LAST_TURNS);
    let last = turns(last, LAST_TURNS)?;
    Ok(of(first.list("turns"), last.list("turns")))
}

fn of(first: &[Value], last: &[Value]) -> Preview {
    let main = |turn: &&Value| turn["parentToolUseId"].is_null();
    let mut prompts = first.iter().filter(main);
    let is_user = |turn: &&Value| turn.text("role") == "user";
    let prompt = prompts.find_map(|turn| Some(turn).filter(is_user).and_then(said));
    let last = last.iter().filter(main);
    Preview {
        prompt: prompt.unwrap_or_default(),
        last: last
            .filter_map(|turn| Some((turn.text("role").to_owned(), said(turn)?)))
            .collect(),
    }
}

/// Returns the text of a turn and its calls, a line each; `None` if there is nothing.
fn said(turn: &Value) -> Option<String> {
    let blocks = turn.list("contentBlocks").iter();
    let texts = blocks.filter_map(|block| match block.text("type") {
        "text" => Some(readable(&typed(block.text("text")))),
        kind if kind.ends_with("tool_use") => {
            let about = render::about(block.at("input"));
            Some(on_one_line(&format!("• {} {about}", block.text("name"))))
        }
        _ => None,
    });
    let texts: Vec<String> = texts.filter(|text| !text.trim().is_empty()).collect();
    let text: String = texts.join("\n").trim().chars().take(MAX_CHARS).collect();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_has_the_first_prompt_and_what_was_said_last() {
        let turn = |role: &str, parent: Option<&str>, blocks: Value| json!({"role": role, "parentToolUseId": parent, "contentBlocks": blocks});
        let text = |text: &str| json!({"type": "text", "text": text});
        let call =
            json!({"type": "tool_use", "name": "Bash", "input": {"command": "cargo\n test"}});
        let first = [
            turn("user", None, json!([])),
            turn("user", None, json!([text(" do\u{1b}[2J it ")])),
        ];
        let last = [
            turn("assistant", None, json!([text("Yes."), call])),
            turn("user", None, json!([])),
            turn("assistant", Some("t1"), json!([text("deep")])),
            turn("assistant", None, json!([text("Done.")])),
        ];
        let preview = of(&first, &last);
        assert_eq!(preview.prompt, "do it");
        let said: Vec<&str> = preview.last.iter().map(|(_, text)| &**text).collect();
        assert_eq!(said, ["Yes.\n• Bash cargo test", "Done."]);
    }
}
