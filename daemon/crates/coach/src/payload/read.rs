//! What the detection needs of a payload.

use super::error::PayloadError;
use super::hook_event::HookEvent;
use ccd_base::surrogate::mended_text;
use serde_json::Value;

/// One hook payload. What is missing or of another type is empty.
#[derive(Debug, Clone, PartialEq)]
pub struct Payload {
    pub event: HookEvent,
    pub session_id: String,
    pub transcript_path: Option<String>,
    pub cwd: Option<String>,
    pub prompt_id: Option<String>,
    /// Only inside a sub-agent.
    pub agent_id: Option<String>,
    /// Why a session starts: `startup`, `resume`, `clear`, ….
    pub source: Option<String>,
    pub prompt: Option<String>,
    pub call: ToolCall,
    /// Of a failed tool: `Exit code N`, a new line, and what was printed.
    pub error: Option<String>,
    pub is_interrupt: bool,
    pub reason: Option<String>,
    pub last_assistant_message: Option<String>,
    /// The calls of a PostToolBatch.
    pub batch: Vec<ToolCall>,
}

/// A call of a tool, with its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    pub tool_name: Option<String>,
    pub tool_use_id: Option<String>,
    pub command: Option<String>,
    /// The file of a file tool or a notebook tool.
    pub file_path: Option<String>,
    /// The skill that the tool Skill starts.
    pub skill: Option<String>,
    pub stderr: Option<String>,
    pub interrupted: bool,
    /// The whole answer of a tool that answers with a text.
    pub answer: Option<String>,
}

/// Reads JSON as JavaScript writes it.
pub(crate) fn json(bytes: &[u8]) -> Result<Value, PayloadError> {
    Ok(serde_json::from_str(&mended_text(bytes))?)
}

impl Payload {
    pub fn parse(bytes: &[u8]) -> Result<Self, PayloadError> {
        Self::from_json(&json(bytes)?)
    }

    /// Returns the exit code: 0 for a tool that succeeded, else the number of the error's first line.
    pub fn exit_code(&self) -> Option<i32> {
        match self.event {
            HookEvent::PostToolUse => Some(0),
            _ => self.split_error().0,
        }
    }

    /// Returns what the tool printed as an error: `stderr` of a success, the error without its first line of a failure.
    pub fn stderr(&self) -> &str {
        match self.event {
            HookEvent::PostToolUse => self.call.stderr.as_deref().unwrap_or_default(),
            _ => self.split_error().1,
        }
    }

    fn split_error(&self) -> (Option<i32>, &str) {
        let error = self.error.as_deref().unwrap_or_default();
        let (first, rest) = error.split_once('\n').unwrap_or((error, ""));
        let number = first.trim().strip_prefix("Exit code ");
        match number.and_then(|number| number.parse().ok()) {
            Some(code) => (Some(code), rest),
            None => (None, error),
        }
    }

    pub(crate) fn from_json(json: &Value) -> Result<Self, PayloadError> {
        if !json.is_object() {
            return Err(PayloadError::NotAnObject);
        }
        let text = |name| text(json, name);
        let batch = json["tool_calls"].as_array().into_iter().flatten();
        Ok(Self {
            event: HookEvent::from_name(&text("hook_event_name").unwrap_or_default()),
            session_id: text("session_id").unwrap_or_default(),
            transcript_path: text("transcript_path"),
            cwd: text("cwd"),
            prompt_id: text("prompt_id"),
            agent_id: text("agent_id").filter(|id| !id.is_empty()),
            source: text("source"),
            prompt: text("prompt"),
            call: ToolCall::from_json(json),
            error: text("error"),
            is_interrupt: json["is_interrupt"] == true,
            reason: text("reason"),
            last_assistant_message: text("last_assistant_message"),
            batch: batch.map(ToolCall::from_json).collect(),
        })
    }
}

impl ToolCall {
    fn from_json(json: &Value) -> Self {
        let (input, response) = (&json["tool_input"], &json["tool_response"]);
        Self {
            tool_name: text(json, "tool_name"),
            tool_use_id: text(json, "tool_use_id"),
            command: text(input, "command"),
            file_path: text(input, "file_path").or_else(|| text(input, "notebook_path")),
            skill: text(input, "skill"),
            stderr: text(response, "stderr"),
            interrupted: response["interrupted"] == true,
            answer: response.as_str().map(str::to_owned),
        }
    }
}

fn text(json: &Value, name: &str) -> Option<String> {
    json[name].as_str().map(str::to_owned)
}
