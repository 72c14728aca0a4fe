//! The labelled cases.

use crate::payload::Payload;
use crate::signal::SignalType;
use serde::Deserialize;
use serde_json::{Value, json};

/// A set of labelled cases.
#[derive(Debug, Clone, Copy)]
pub(super) enum LabelledSet {
    Tuned,
    HeldOut,
    /// Written by a second author, who then changed the rules: 230 cases before that author had read them, 134 made to
    /// mislead, and 75 ordinary ones.
    Others,
}

/// A prompt, a command, an edit or the end of a turn, with the kinds of signals that a careful reader sees in it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) prompt: Option<String>,
    /// Whether the prompt is the first of a session that was seen to start.
    #[serde(default)]
    first: bool,
    /// Whether the assistant has edited a file before.
    #[serde(default)]
    acted: bool,
    /// Earlier prompts of the session.
    #[serde(default)]
    pub(super) history: Vec<String>,
    pub(super) command: Option<String>,
    #[serde(default)]
    pub(super) exit_code: i32,
    #[serde(default)]
    pub(super) stderr: String,
    /// A tool that worked on `file`.
    pub(super) tool: Option<String>,
    pub(super) file: Option<String>,
    /// The assistant's last message.
    pub(super) stop: Option<String>,
    /// Number of tool results of the turn.
    #[serde(default)]
    pub(super) tool_outputs: usize,
    pub(super) expect: Vec<SignalType>,
}

impl LabelledSet {
    /// Returns the cases, and the lines that are none, of which there are none in the sets.
    pub(super) fn cases(self) -> Vec<Result<Case, serde_json::Error>> {
        let lines = match self {
            Self::Tuned => include_str!("labelled/tuned.jsonl"),
            Self::HeldOut => include_str!("labelled/held_out.jsonl"),
            Self::Others => include_str!("labelled/others.jsonl"),
        };
        lines.lines().map(serde_json::from_str).collect()
    }
}

impl Case {
    /// Returns the payloads of the case; the signals of the last one are what is judged.
    pub(super) fn payloads(&self) -> Vec<Payload> {
        let mut payloads = Vec::new();
        if self.first {
            payloads.push(json!({"hook_event_name": "SessionStart", "source": "startup"}));
        }
        payloads.extend(self.history.iter().map(|prompt| prompt_payload(prompt)));
        if self.acted {
            payloads.push(json!({"hook_event_name": "PostToolUse", "tool_name": "Edit"}));
        }
        if let Some(prompt) = &self.prompt {
            payloads.push(prompt_payload(prompt));
        }
        if let Some(command) = &self.command {
            let mut payload = json!({"tool_name": "Bash", "tool_input": {"command": command}});
            if self.exit_code == 0 {
                payload["hook_event_name"] = "PostToolUse".into();
                payload["tool_response"] = json!({"stdout": "", "stderr": self.stderr});
            } else {
                payload["hook_event_name"] = "PostToolUseFailure".into();
                payload["error"] = format!("Exit code {}\n{}", self.exit_code, self.stderr).into();
            }
            payloads.push(payload);
        }
        if let (Some(tool), Some(file)) = (&self.tool, &self.file) {
            payloads.push(json!({"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": {"file_path": file}}));
        }
        if let Some(message) = &self.stop {
            let result = json!({"hook_event_name": "PostToolUse", "tool_name": "Read"});
            payloads.extend(std::iter::repeat_n(result, self.tool_outputs));
            payloads.push(json!({"hook_event_name": "Stop", "last_assistant_message": message}));
        }
        payloads
            .iter()
            .filter_map(|payload| Payload::parse(payload.to_string().as_bytes()).ok())
            .collect()
    }

    /// Returns what is judged, in a few words.
    pub(super) fn shown(&self) -> String {
        let texts = [&self.prompt, &self.command, &self.file, &self.stop];
        let mut shown = texts
            .into_iter()
            .flatten()
            .cloned()
            .collect::<Vec<_>>()
            .join(" ");
        if self.command.is_some() {
            shown.push_str(&format!(" -> {} {}", self.exit_code, self.stderr));
        }
        shown
    }
}

fn prompt_payload(prompt: &str) -> Value {
    json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt})
}
