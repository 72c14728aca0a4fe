//! Starting a run.

use super::tape::ExecTapeOptions;
use crate::Inherited;
use crate::named::named;
use serde::{Deserialize, Serialize};
use serde_with::{apply, skip_serializing_none};

/// How Claude Code treats calls that would need a person's permission: the values of its option `--permission-mode`.
pub const PERMISSION_MODES: &[&str] = &[
    "default",
    "acceptEdits",
    "plan",
    "dontAsk",
    "auto",
    "bypassPermissions",
];

/// Parameters of `exec.run`: the ExecutionRequest of the seed, and more. The daemon checks them.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecRunParams {
    /// What Claude Code should do; at most 10 MB.
    #[serde_with(skip_apply)]
    pub instruction: String,
    #[serde_with(skip_apply)]
    #[serde(default)]
    pub output_format: OutputFormat,
    /// Rules such as `Read` and `Bash(git:*)`: only these calls are allowed. Empty: no restriction.
    pub allowed_tools: Vec<String>,
    /// Rules for calls that are refused. Cannot be combined with `allowed_tools`.
    pub disallowed_tools: Vec<String>,
    /// Continue this conversation.
    pub resume_session_id: Option<String>,
    /// Continue the last conversation of this repository.
    pub continue_last: bool,
    /// Add logs to the result.
    pub verbose: bool,
    /// Time limit in seconds, 1 to 3600. Default: the configuration's, 600.
    pub timeout: Option<i64>,
    /// What to do about changes that are not committed.
    #[serde_with(skip_apply)]
    #[serde(default)]
    pub dirty_worktree: DirtyWorktree,
    /// The work tree, absolute. Required; ccctl sends its own directory.
    pub repo_path: Option<String>,
    pub model: Option<String>,
    /// At least 1.
    pub max_turns: Option<i64>,
    /// `default`, `manual`, `acceptEdits`, `plan`, `dontAsk`, `auto` or `bypassPermissions`.
    pub permission_mode: Option<String>,
    /// Longest wait for other runs in the same work tree, in seconds. Default: the configuration's, 300.
    pub lock_timeout: Option<i64>,
    /// End the run after this many seconds without output. Default: never.
    pub stall_timeout: Option<i64>,
    /// Run in a new git worktree, which is kept; the result names it.
    pub worktree: bool,
    /// Record Claude Code, or replay a tape in its place. Absent: neither.
    pub tape: Option<ExecTapeOptions>,
    #[serde_with(skip_apply)]
    #[serde(flatten)]
    pub inherited: Inherited,
}

/// Reply of `exec.run`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecStarted {
    /// Its progress is {request_id, session_id, phase, position, waits_for, turns, calls, tool, tokens, stalled_s, evidence},
    /// where `phase` is `queued`, `preparing`, `running` or `finishing`. Its entries are the lines that Claude Code prints, as
    /// texts. Its result is an ExecutionSummary, as in `exec.list`; `exec.get` has the rest.
    pub job: String,
    /// Id for `exec.get` and `exec.cancel`, a uuid.
    pub request_id: String,
    /// Conversation, a uuid: new, or the one that is resumed.
    pub session_id: String,
}

/// Progress of the job of a run.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecProgress {
    pub request_id: String,
    pub session_id: String,
    pub phase: ExecPhase,
    /// Runs in front of this one in the same work tree, and why it waits if none of them is of this daemon.
    pub position: Option<u64>,
    pub waits_for: Option<String>,
    /// Messages of the model so far.
    #[serde(default)]
    pub turns: u64,
    /// Calls of tools so far.
    #[serde(default)]
    pub calls: u64,
    /// The tool that was called last.
    pub tool: Option<String>,
    /// Tokens that the model has printed, from the results so far.
    pub tokens: Option<u64>,
    /// Seconds without output, once there are more than `exec.stall_s`.
    pub stalled_s: Option<u64>,
    /// What is known about the silence: processes of the run and what they wait for.
    pub evidence: Option<String>,
}

/// Where a run is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ExecPhase {
    /// Waits for other runs.
    #[default]
    Queued,
    /// Takes a snapshot of the work tree, and puts changes away if asked to.
    Preparing,
    Running,
    /// Compares the work tree with the snapshot, and restores what was put away.
    Finishing,
}

named! {
    /// The form of a result, and of what Claude Code would have printed.
    #[derive(Default)]
    OutputFormat {
        #[default]
        Text = "text",
        Json = "json",
        StreamJson = "stream-json",
    }
}

named! {
    /// What to do about changes that are not committed.
    #[derive(Default)]
    DirtyWorktree {
        /// Do not run.
        #[default]
        Block = "block",
        /// Put them away and restore them after the run.
        Stash = "stash",
        /// Run on top of them.
        Allow = "allow",
    }
}

/// Returns the branch of the fresh work tree of a run with `worktree`.
#[must_use]
pub fn worktree_branch(request_id: &str) -> String {
    let short: String = request_id.chars().take(8).collect();
    format!("ccd/{short}")
}

#[cfg(test)]
mod tests {
    use super::{DirtyWorktree, ExecRunParams, OutputFormat};

    #[test]
    fn choices_are_read_in_any_case_and_have_defaults() {
        let read = |text: &str| serde_json::from_str::<ExecRunParams>(text).unwrap();
        let params = read(r#"{"instruction":"x"}"#);
        assert_eq!(
            (params.output_format, params.dirty_worktree),
            (OutputFormat::Text, DirtyWorktree::Block)
        );
        let params = read(
            r#"{"instruction":"x","output_format":"STREAM-JSON","dirty_worktree":"Stash","other":1}"#,
        );
        assert_eq!(
            (params.output_format, params.dirty_worktree),
            (OutputFormat::StreamJson, DirtyWorktree::Stash)
        );
    }
}
