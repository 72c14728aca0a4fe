//! The events of Claude Code that hooks can be installed for.

/// Events of Claude Code, without WorktreeCreate: a hook for it replaces what Claude Code does by itself.
pub(crate) const EVENTS: [&str; 32] = [
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionDenied",
    "PermissionRequest",
    "Notification",
    "Stop",
    "StopFailure",
    "SubagentStop",
    "SessionStart",
    "SessionEnd",
    "PreCompact",
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "Elicitation",
    "ElicitationResult",
    "FileChanged",
    "InstructionsLoaded",
    "MessageDisplay",
    "PostCompact",
    "PostModelSwitch",
    "PreModelSwitch",
    "Setup",
    "SubagentStart",
    "TaskCompleted",
    "TaskCreated",
    "TeammateIdle",
    "UserPromptExpansion",
    "WorktreeRemove",
];

/// The events that the daemon makes use of.
pub(crate) const DEFAULT_EVENTS: &[&str] = EVENTS.split_at(14).0;
