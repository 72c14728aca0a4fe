//! What a run did.

use super::run::OutputFormat;
use crate::tape::TapeUse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where a run is, or how it ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ExecutionStatus {
    #[default]
    Queued,
    Running,
    /// The last result of Claude Code is good, and its exit code is 0.
    Success,
    /// Everything else, also a run that was cancelled.
    Failed,
    /// The daemon ended it at its time limit.
    Timeout,
}

impl ExecutionStatus {
    /// True once the run has ended.
    #[must_use]
    pub fn has_ended(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// The status as it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
        }
    }
}

/// A run: the ExecutionResult of the seed, and more. All texts but the diff are redacted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecutionResult {
    pub request_id: String,
    pub status: ExecutionStatus,
    pub instruction: String,
    /// What the run changed, as `git diff -M --binary` prints it: staged, unstaged, untracked and committed. Bytes that
    /// are not UTF-8 are replaced by U+FFFD.
    #[serde(default)]
    pub diff: String,
    /// The last of `commits`; null if there is none.
    #[serde(default)]
    pub commit_hash: Option<String>,
    /// Paths in the work tree, sorted; of a renamed file, the new one.
    #[serde(default)]
    pub files_changed: Vec<String>,
    /// What Claude Code would have printed in `output_format`.
    #[serde(default)]
    pub stdout: String,
    #[serde(default)]
    pub stderr: String,
    /// Why the run did not succeed.
    #[serde(default)]
    pub error_message: Option<String>,
    /// Seconds from the start of the run, without the time in the queue, to the end of Claude Code. 0 if the daemon ended
    /// before the run.
    #[serde(default)]
    pub execution_time: f64,
    #[serde(default)]
    pub session_id: String,
    /// When the run was requested.
    #[serde(default)]
    pub timestamp: String,
    #[serde(default)]
    pub diff_info: Vec<DiffInfo>,
    /// Commits that the run made, oldest first; full ids.
    #[serde(default)]
    pub commits: Vec<String>,
    /// Calls of tools that were denied, each once.
    #[serde(default)]
    pub policy_violations: Vec<PolicyViolation>,
    /// Kind of the error, such as `dirty_worktree` or `claude_unusable`, if the run failed for a reason that has one.
    #[serde(default)]
    pub error_kind: Option<String>,
    /// The work tree in which it ran: with `worktree`, the fresh one.
    #[serde(default)]
    pub repo_path: String,
    #[serde(default)]
    pub output_format: OutputFormat,
    /// `all`, `whitelist` or `blacklist`.
    #[serde(default)]
    pub mode: String,
    /// The job of the run.
    #[serde(default)]
    pub job: String,
    /// What Claude Code reported of itself.
    #[serde(default)]
    pub usage: ExecutionUsage,
    /// What the user should know beside the verdict, such as a stash that could not be restored.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Ids of git's trees that `diff` compares. They are kept as long as git keeps what nothing refers to, about two weeks.
    #[serde(default)]
    pub tree_before: Option<String>,
    #[serde(default)]
    pub tree_after: Option<String>,
    /// How the run used tapes, if it was requested with `tape`: `used` has the tape that answered, `new` the one that was
    /// written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tape: Option<TapeUse>,
    /// Logs of the run, if it was requested with `verbose`: at most 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecutionUsage {
    /// Version of Claude Code.
    #[serde(default)]
    pub version: Option<String>,
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default)]
    pub turns: u64,
    /// Calls of tools.
    #[serde(default)]
    pub calls: u64,
    /// Claude Code's own estimate in US dollars. Since 2.1.330 or before, a resumed conversation reports the sum of its
    /// runs.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    #[serde(default)]
    pub input_tokens: u64,
    #[serde(default)]
    pub output_tokens: u64,
    #[serde(default)]
    pub cache_read_tokens: u64,
    #[serde(default)]
    pub cache_creation_tokens: u64,
    /// Exit code of Claude Code; none if a signal ended it.
    #[serde(default)]
    pub exit_code: Option<i32>,
    /// `completed`, `max_turns` and others, in Claude Code's words.
    #[serde(default)]
    pub terminal_reason: Option<String>,
}

/// A log line of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecutionLog {
    pub at: String,
    /// `info`, `warn`, `error` of the daemon; `debug` of Claude Code.
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
