//! The kind of a payload.

use crate::signal::EventType;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum HookEvent {
    UserPromptSubmit,
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    PostToolBatch,
    PermissionRequest,
    PermissionDenied,
    Notification,
    Stop,
    StopFailure,
    SubagentStop,
    SessionStart,
    SessionEnd,
    PreCompact,
    /// Any other, which is kept and gives no signals. The name is empty when the payload has none.
    Other(String),
}

impl HookEvent {
    pub fn from_name(name: &str) -> Self {
        match name {
            "UserPromptSubmit" => Self::UserPromptSubmit,
            "PreToolUse" => Self::PreToolUse,
            "PostToolUse" => Self::PostToolUse,
            "PostToolUseFailure" => Self::PostToolUseFailure,
            "PostToolBatch" => Self::PostToolBatch,
            "PermissionRequest" => Self::PermissionRequest,
            "PermissionDenied" => Self::PermissionDenied,
            "Notification" => Self::Notification,
            "Stop" => Self::Stop,
            "StopFailure" => Self::StopFailure,
            "SubagentStop" => Self::SubagentStop,
            "SessionStart" => Self::SessionStart,
            "SessionEnd" => Self::SessionEnd,
            "PreCompact" => Self::PreCompact,
            other => Self::Other(other.to_owned()),
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::PostToolBatch => "PostToolBatch",
            Self::PermissionRequest => "PermissionRequest",
            Self::PermissionDenied => "PermissionDenied",
            Self::Notification => "Notification",
            Self::Stop => "Stop",
            Self::StopFailure => "StopFailure",
            Self::SubagentStop => "SubagentStop",
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::PreCompact => "PreCompact",
            Self::Other(name) => name,
        }
    }

    /// Returns when in a turn it happens: the column `event_type` of its signals.
    pub fn event_type(&self) -> EventType {
        match self {
            Self::UserPromptSubmit => EventType::Pre,
            Self::PreToolUse
            | Self::PostToolUse
            | Self::PostToolUseFailure
            | Self::PostToolBatch
            | Self::PermissionRequest
            | Self::PermissionDenied => EventType::Tool,
            Self::Notification
            | Self::Stop
            | Self::StopFailure
            | Self::SubagentStop
            | Self::SessionStart
            | Self::SessionEnd
            | Self::PreCompact
            | Self::Other(_) => EventType::Post,
        }
    }
}
