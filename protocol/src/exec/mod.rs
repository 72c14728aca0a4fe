//! The executor: runs of Claude Code without a person in front of it.

mod result;
mod run;
mod session;
mod tape;

use crate::method::{Done, methods};
pub use result::{
    DiffInfo, ExecutionLog, ExecutionResult, ExecutionStatus, ExecutionSummary, ExecutionUsage,
    FileStatus, PolicyViolation,
};
pub use run::{
    DirtyWorktree, ExecPhase, ExecProgress, ExecRunParams, ExecStarted, OutputFormat,
    PERMISSION_MODES, worktree_branch,
};
pub use session::{
    ConversationMessage, ExecCleanupParams, ExecCleanupReply, ExecListParams, ExecListReply,
    ExecSessionInfo, ExecSessionParams, ExecSessionStatus, ExecSessionsParams, ExecSessionsReply,
    ExecutionParams,
};
pub use tape::ExecTapeOptions;

methods! {
    ExecRun = "exec.run" (ExecRunParams) -> ExecStarted, "Runs Claude Code on an instruction in a git work tree, as a job.";
    ExecGet = "exec.get" (ExecutionParams) -> ExecutionResult, "Returns a run: its verdict, what it changed, and what it printed.", Large;
    ExecList = "exec.list" (ExecListParams) -> ExecListReply, "Lists runs, newest first.", Large;
    ExecCancel = "exec.cancel" (ExecutionParams) -> Done, "Asks a run to stop; it then ends as `failed`.";
    ExecSessions = "exec.sessions" (ExecSessionsParams) -> ExecSessionsReply, "Lists conversations that runs have started, most recently used first.", Large;
    ExecSession = "exec.session" (ExecSessionParams) -> ExecSessionInfo, "Returns a conversation with its instructions and answers.", Large;
    ExecEnd = "exec.end" (ExecSessionParams) -> ExecSessionInfo, "Ends a conversation; it cannot be resumed any more.";
    ExecCleanup = "exec.cleanup" (ExecCleanupParams) -> ExecCleanupReply, "Removes old conversations and runs.";
}
