//! What a run did.

use super::run::OutputFormat;
use crate::named::named;
use crate::tape::TapeUse;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::apply;

named! {
    /// Where a run is, or how it ended.
    #[derive(Default)]
    ExecutionStatus {
        #[default]
        Queued = "queued",
        Running = "running",
        /// Claude Code's last result is a success, and its exit code is 0.
        Success = "success",
        /// Everything else, including a cancelled run.
        Failed = "failed",
        /// The daemon ended it at its time limit.
        Timeout = "timeout",
    }
}

impl ExecutionStatus {
    /// True once the run has ended.
    #[must_use]
    pub fn has_ended(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

/// A run and its result. All texts except the diff are redacted.
#[apply(_ => #[serde(default)])]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecutionResult {
    #[serde_with(skip_apply)]
    pub request_id: String,
    #[serde_with(skip_apply)]
    pub status: ExecutionStatus,
    #[serde_with(skip_apply)]
    pub instruction: String,
    /// What the run changed, as `git diff -M --binary` prints it: staged, unstaged, untracked and committed. Bytes that
    /// are not UTF-8 are replaced by U+FFFD.
    pub diff: String,
    /// The last of `commits`; null if there is none.
    pub commit_hash: Option<String>,
    /// Paths in the work tree, sorted; of a renamed file, the new one.
    pub files_changed: Vec<String>,
    /// What Claude Code would have printed in `output_format`.
    pub stdout: String,
    pub stderr: String,
    /// Why the run did not succeed.
    pub error_message: Option<String>,
    /// Seconds from the start of the run, without the time in the queue, to the end of Claude Code. 0 if the daemon ended
    /// before the run.
    pub execution_time: f64,
    pub session_id: String,
    /// When the run was requested.
    pub timestamp: String,
    pub diff_info: Vec<DiffInfo>,
    /// Commits that the run made, oldest first; full ids.
    pub commits: Vec<String>,
    /// Calls of tools that were denied, each once.
    pub policy_violations: Vec<PolicyViolation>,
    /// Kind of the error, such as `dirty_worktree` or `claude_unusable`, if the run failed for a reason that has one.
    pub error_kind: Option<String>,
    /// The work tree in which it ran: with `worktree`, the fresh one.
    pub repo_path: String,
    pub output_format: OutputFormat,
    /// `all`, `whitelist` or `blacklist`.
    pub mode: String,
    /// The job of the run.
    pub job: String,
    /// What Claude Code reported of itself.
    pub usage: ExecutionUsage,
    /// What the user should know besides the verdict, such as a stash that could not be restored.
    pub warnings: Vec<String>,
    /// Ids of the git trees that `diff` compares. Nothing refers to these trees, so git deletes them after about two
    /// weeks.
    pub tree_before: Option<String>,
    pub tree_after: Option<String>,
    /// How the run used tapes, if it was requested with `tape`: `used` has the tape that answered, `new` the one that was
    /// written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tape: Option<TapeUse>,
    /// Logs of the run, if it was requested with `verbose`: at most 10,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logs: Option<Vec<ExecutionLog>>,
}

/// What a run changed in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DiffInfo {
    pub file_path: String,
    /// This file's part of the diff. Empty if the whole diff exceeds 16 MiB.
    pub diff_text: String,
    /// Lines; 0 for a binary file.
    pub additions: u64,
    pub deletions: u64,
    pub status: FileStatus,
    /// The path before a rename.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
}

/// How a file changed; a changed mode or type is `modified`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FileStatus {
    Added,
    Modified,
    Deleted,
    Renamed,
}

/// A call of a tool that was denied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PolicyViolation {
    pub tool_name: String,
    pub tool_use_id: String,
    pub tool_input: Value,
}

/// What Claude Code reported of a run.
#[apply(_ => #[serde(default)])]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecutionUsage {
    /// Version of Claude Code.
    pub version: Option<String>,
    pub model: Option<String>,
    pub turns: u64,
    /// Calls of tools.
    pub calls: u64,
    /// Claude Code's own estimate in US dollars. Version 2.1.330 reports the sum of all runs of a resumed conversation.
    pub cost_usd: Option<f64>,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_creation_tokens: u64,
    /// Exit code of Claude Code; none if a signal ended it.
    pub exit_code: Option<i32>,
    /// `completed`, `max_turns` and others, in Claude Code's words.
    pub terminal_reason: Option<String>,
}

/// A log line of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecutionLog {
    pub at: String,
    /// `info`, `warn` or `error` from the daemon; `debug` from Claude Code.
    pub level: String,
    pub message: String,
}

/// A run in a list, and the result of its job.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecutionSummary {
    pub request_id: String,
    /// The first 1,000 characters.
    pub instruction: String,
    pub status: ExecutionStatus,
    pub session_id: String,
    pub timestamp: String,
    pub execution_time: f64,
    pub repo_path: String,
    pub files_changed_count: u64,
    pub commit_count: u64,
    pub violation_count: u64,
    #[serde(default)]
    pub error_message: Option<String>,
    #[serde(default)]
    pub error_kind: Option<String>,
    #[serde(default)]
    pub cost_usd: Option<f64>,
    #[serde(default)]
    pub job: String,
}
