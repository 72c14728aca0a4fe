//! The environment of Claude Code: its caller's, without what marks a run inside another.

/// Variables that Claude Code sets for its tools and hooks. A caller that is such a tool has them, and a run that
/// inherited them would take itself for a part of the other one.
const REMOVED_VARIABLES: [&str; 16] = [
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_DATA",
    // git sets these for its hooks. A run that inherited them would work on that repository, not on its own.
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
];

/// Returns whether a variable is left out of Claude Code's environment.
pub(crate) fn is_removed(name: &str) -> bool {
    REMOVED_VARIABLES.contains(&name)
}
