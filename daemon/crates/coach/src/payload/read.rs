//! What the detection needs of a payload.

use super::error::PayloadError;
use super::hook_event::HookEvent;
use super::tree::Tree;

/// One hook payload. What is missing or of another type is empty.
#[derive(Debug, Clone, PartialEq)]
pub struct Payload {
    pub event: HookEvent,
    pub session_id: String,
    pub transcript_path: Option<String>,
    pub cwd: Option<String>,
    pub permission_mode: Option<String>,
    pub prompt_id: Option<String>,
    /// Only inside a sub-agent.
    pub agent_id: Option<String>,
    /// Why a session starts: `startup`, `resume`, `clear`, ….
    pub source: Option<String>,
    pub prompt: Option<String>,
    pub tool_name: Option<String>,
    pub tool_use_id: Option<String>,
    pub tool_input: ToolInput,
    pub tool_response: ToolResponse,
    /// Of a failed tool: `Exit code N`, a new line, and what was printed.
    pub error: Option<String>,
    pub is_interrupt: bool,
    pub reason: Option<String>,
    pub last_assistant_message: Option<String>,
    /// The calls of a PostToolBatch.
    pub batch: Vec<BatchCall>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolInput {
    pub command: Option<String>,
    /// The file of a file tool or a notebook tool.
    pub file_path: Option<String>,
    /// The skill that the tool Skill starts.
    pub skill: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolResponse {
    pub stdout: Option<String>,
    pub stderr: Option<String>,
    pub interrupted: bool,
    /// The whole answer of a tool that answers with a text.
    pub text: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchCall {
    pub tool_name: Option<String>,
    pub tool_use_id: Option<String>,
    pub tool_input: ToolInput,
    pub tool_response: ToolResponse,
}

impl Payload {
    pub fn parse(bytes: &[u8]) -> Result<Self, PayloadError> {
        let text = std::str::from_utf8(bytes).map_err(|error| PayloadError::NotText {
            offset: error.valid_up_to(),
        })?;
        let tree = serde_json::from_str(text).map_err(|source| PayloadError::NotJson { source })?;
        match tree {
            Tree::Object(_) => Ok(Self::of(tree)),
            _ => Err(PayloadError::NotAnObject),
        }
    }

    /// Replaces every text that can end in an event by what `redact` returns for it.
    pub fn redact_with(&mut self, mut redact: impl FnMut(&str) -> String) {
        let response = &mut self.tool_response;
        let texts = [
            &mut self.prompt,
            &mut self.tool_input.command,
            &mut self.error,
            &mut self.reason,
            &mut self.last_assistant_message,
            &mut response.stdout,
            &mut response.stderr,
            &mut response.text,
        ];
        let batch = self.batch.iter_mut().flat_map(|call| {
            let response = &mut call.tool_response;
            [
                &mut call.tool_input.command,
                &mut response.stdout,
                &mut response.stderr,
                &mut response.text,
            ]
        });
        for text in texts.into_iter().chain(batch).flatten() {
            *text = redact(text);
        }
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
            HookEvent::PostToolUse => self.tool_response.stderr.as_deref().unwrap_or_default(),
            _ => self.split_error().1,
        }
    }

    fn split_error(&self) -> (Option<i32>, &str) {
        let error = self.error.as_deref().unwrap_or_default();
        let (first, rest) = error.split_once('\n').unwrap_or((error, ""));
        match first
            .trim()
            .strip_prefix("Exit code ")
            .and_then(|number| number.parse().ok())
        {
            Some(code) => (Some(code), rest),
            None => (None, error),
        }
    }

    fn of(mut tree: Tree) -> Self {
        let event = tree.take_text("hook_event_name").unwrap_or_default();
        Self {
            event: HookEvent::from_name(&event),
            session_id: tree.take_text("session_id").unwrap_or_default(),
            transcript_path: tree.take_text("transcript_path"),
            cwd: tree.take_text("cwd"),
            permission_mode: tree.take_text("permission_mode"),
            prompt_id: tree.take_text("prompt_id"),
            agent_id: tree.take_text("agent_id").filter(|id| !id.is_empty()),
            source: tree.take_text("source"),
            prompt: tree.take_text("prompt"),
            tool_name: tree.take_text("tool_name"),
            tool_use_id: tree.take_text("tool_use_id"),
            tool_input: ToolInput::of(tree.take("tool_input")),
            tool_response: ToolResponse::of(tree.take("tool_response")),
            error: tree.take_text("error"),
            is_interrupt: tree.is_true("is_interrupt"),
            reason: tree.take_text("reason"),
            last_assistant_message: tree.take_text("last_assistant_message"),
            batch: match tree.take("tool_calls") {
                Tree::Array(calls) => calls.into_iter().map(BatchCall::of).collect(),
                _ => Vec::new(),
            },
        }
    }
}

impl ToolInput {
    fn of(mut tree: Tree) -> Self {
        Self {
            command: tree.take_text("command"),
            file_path: tree
                .take_text("file_path")
                .or_else(|| tree.take_text("notebook_path")),
            skill: tree.take_text("skill"),
        }
    }
}

impl ToolResponse {
    fn of(mut tree: Tree) -> Self {
        if let Tree::Text(text) = tree {
            return Self {
                text: Some(text),
                ..Self::default()
            };
        }
        Self {
            stdout: tree.take_text("stdout"),
            interrupted: tree.is_true("interrupted"),
            stderr: tree.take_text("stderr"),
            text: None,
        }
    }
}

impl BatchCall {
    fn of(mut tree: Tree) -> Self {
        Self {
            tool_name: tree.take_text("tool_name"),
            tool_use_id: tree.take_text("tool_use_id"),
            tool_input: ToolInput::of(tree.take("tool_input")),
            tool_response: ToolResponse::of(tree.take("tool_response")),
        }
    }
}
