//! What the preview of a conversation shows besides its line in the list: how it began, and what was said last.

use crate::Failure;
use crate::call::{DaemonAddress, call_at};
use crate::render::{self, on_one_line, readable};
use ccd_protocol::conversation::{
    ConversationPageParams, ConversationParams, ConversationTurn, ConversationTurns,
    ConversationTurnsReply, TurnRole, typed,
};
use serde_json::Value;

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
    pub(super) last: Vec<(TurnRole, String)>,
}

pub(super) fn preview(file: &str, place: &DaemonAddress) -> Result<Preview, Failure> {
    let turns = |from: u64, limit: u64| -> Result<ConversationTurnsReply, Failure> {
        let params = ConversationPageParams {
            conversation: ConversationParams {
                file: Some(file.to_owned()),
                ..ConversationParams::default()
            },
            from: Some(from),
            limit: Some(limit),
            nested: true,
            ..ConversationPageParams::default()
        };
        Ok(call_at::<ConversationTurns>(place, &params)?.value)
    };
    let first = turns(0, FIRST_TURNS)?;
    let last = turns(first.total_turns.saturating_sub(LAST_TURNS), LAST_TURNS)?;
    Ok(of(&first.turns, &last.turns))
}

fn of(first: &[ConversationTurn], last: &[ConversationTurn]) -> Preview {
    let main = |turn: &&ConversationTurn| turn.parent_tool_use_id.is_none();
    let mut prompts = first.iter().filter(main);
    let prompt = prompts.find_map(|turn| match turn.role {
        TurnRole::User => said(turn),
        TurnRole::Assistant => None,
    });
    let last = last.iter().filter(main);
    Preview {
        prompt: prompt.unwrap_or_default(),
        last: last
            .filter_map(|turn| Some((turn.role, said(turn)?)))
            .collect(),
    }
}

/// Returns the text of a turn and its calls, a line each; `None` if there is nothing.
fn said(turn: &ConversationTurn) -> Option<String> {
    let blocks = turn.content_blocks.iter().filter_map(|raw| {
        let block: Value = serde_json::from_str(raw.get()).unwrap_or_default();
        match block["type"].as_str().unwrap_or_default() {
            "text" => Some(readable(&typed(block["text"].as_str().unwrap_or_default()))),
            kind if kind.ends_with("tool_use") => {
                let tool = block["name"].as_str().unwrap_or_default();
                let call = format!("• {tool} {}", render::about(&block["input"]));
                Some(on_one_line(&call))
            }
            _ => None,
        }
    });
    let text: Vec<String> = blocks.filter(|text| !text.trim().is_empty()).collect();
    let text: String = text.join("\n").trim().chars().take(MAX_CHARS).collect();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::to_raw_value;

    fn turn(role: TurnRole, parent: Option<&str>, blocks: &[Value]) -> ConversationTurn {
        ConversationTurn {
            role,
            parent_tool_use_id: parent.map(str::to_owned),
            content_blocks: blocks
                .iter()
                .map(|block| to_raw_value(block).unwrap())
                .collect(),
            ..ConversationTurn::default()
        }
    }

    #[test]
    fn a_preview_has_the_first_prompt_and_what_was_said_last() {
        let text = |text: &str| serde_json::json!({"type": "text", "text": text});
        let call = serde_json::json!({"type": "tool_use", "name": "Bash", "input": {"command": "cargo\n test"}});
        let first = [
            turn(TurnRole::User, None, &[]),
            turn(TurnRole::User, None, &[text(" do\u{1b}[2J it ")]),
        ];
        let last = [
            turn(TurnRole::Assistant, None, &[text("Yes."), call]),
            turn(TurnRole::User, None, &[]),
            turn(TurnRole::Assistant, Some("t1"), &[text("deep")]),
            turn(TurnRole::Assistant, None, &[text("Done.")]),
        ];
        let preview = of(&first, &last);
        assert_eq!(preview.prompt, "do it");
        let said: Vec<&str> = preview.last.iter().map(|(_, text)| &**text).collect();
        assert_eq!(said, ["Yes.\n• Bash cargo test", "Done."]);
    }
}
