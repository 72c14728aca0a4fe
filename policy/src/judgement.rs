//! What a policy says of a call.

/// What the reason of every denial starts with, by which it is found in the answers of a run.
pub const DENIAL: &str = "forbidden by the tool policy of this run: ";

/// What a policy says of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    Allowed,
    /// The reason is a sentence fragment for the model and for the log.
    Denied {
        reason: String,
    },
}

impl Judgement {
    pub(super) fn denied(reason: impl Into<String>) -> Self {
        Self::Denied {
            reason: reason.into(),
        }
    }

    /// Returns what a PreToolUse hook prints to deny the call; `None` if the call is allowed: the hook says nothing then,
    /// so that Claude Code's own rules still hold.
    #[must_use]
    pub fn hook_answer(&self) -> Option<String> {
        let Self::Denied { reason } = self else {
            return None;
        };
        let answer = serde_json::json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": format!("{DENIAL}{reason}"),
        }});
        Some(answer.to_string())
    }

    #[must_use]
    pub fn is_allowed(&self) -> bool {
        *self == Self::Allowed
    }
}
