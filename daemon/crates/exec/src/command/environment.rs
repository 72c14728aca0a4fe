//! The environment of Claude Code: its caller's, without what marks a run inside another.

/// Variables that Claude Code sets for its tools and hooks. A caller that is such a tool has them, and a run that
/// inherited them would take itself for a part of the other one.
pub const REMOVED_VARIABLES: [&str; 9] = [
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
];

/// Returns whether a variable is left out of Claude Code's environment.
#[must_use]
pub fn is_removed(name: &str) -> bool {
    REMOVED_VARIABLES.contains(&name)
}
