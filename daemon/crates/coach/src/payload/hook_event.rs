//! The kind of a payload.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookEvent {
    UserPromptSubmit,
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    PostToolBatch,
    PermissionDenied,
    Stop,
    SessionStart,
    SessionEnd,
    /// Any other, which is kept and gives no signals. The name is empty when the payload has none.
    Other(String),
}

const NAMES: [(&str, HookEvent); 9] = [
    ("UserPromptSubmit", HookEvent::UserPromptSubmit),
    ("PreToolUse", HookEvent::PreToolUse),
    ("PostToolUse", HookEvent::PostToolUse),
    ("PostToolUseFailure", HookEvent::PostToolUseFailure),
    ("PostToolBatch", HookEvent::PostToolBatch),
    ("PermissionDenied", HookEvent::PermissionDenied),
    ("Stop", HookEvent::Stop),
    ("SessionStart", HookEvent::SessionStart),
    ("SessionEnd", HookEvent::SessionEnd),
];

impl HookEvent {
    pub fn from_name(name: &str) -> Self {
        let known = NAMES.into_iter().find(|(known, _)| *known == name);
        known.map_or_else(|| Self::Other(name.to_owned()), |(_, event)| event)
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Other(name) => name,
            known => NAMES
                .iter()
                .find(|(_, event)| event == known)
                .map_or("", |(name, _)| name),
        }
    }
}
