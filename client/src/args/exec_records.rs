//! `ccctl exec` and its subcommands, which are about records: runs and conversations.

use super::exec::ExecRunArgs;
use super::offer::NameKind;
use super::value::{directory, named, word};
use ccd_protocol::exec::{ExecSessionStatus, ExecutionStatus};
use clap::{Args, Subcommand, ValueHint};

/// Arguments of `exec`: an instruction and its options, or a subcommand.
#[derive(Debug, Args)]
#[command(
    subcommand_negates_reqs = true,
    override_usage = "ccctl exec [OPTIONS] <INSTRUCTION>\n       ccctl exec <COMMAND>"
)]
pub(crate) struct ExecArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<ExecVerb>,
    #[command(flatten)]
    pub(crate) run: ExecRunArgs,
}

/// Commands for runs and conversations.
#[derive(Debug, Subcommand)]
pub(crate) enum ExecVerb {
    /// Run Claude Code on an instruction (same as ccctl exec INSTRUCTION)
    Run(Box<ExecRunArgs>),
    /// List runs, newest first
    #[command(visible_alias = "ls")]
    List(ExecListArgs),
    /// Show a run: its verdict, what it changed and what Claude answered
    #[command(visible_alias = "show")]
    Get(ExecGetArgs),
    /// Ask a run to stop
    Cancel {
        /// Run id, or a unique prefix of one
        #[arg(add = NameKind::Executions)]
        execution: String,
    },
    /// List conversations, most recently used first
    Sessions {
        /// Only conversations of the repository of this directory
        #[arg(long, value_name = "DIR", value_parser = directory)]
        #[arg(value_hint = ValueHint::DirPath)]
        repo_path: Option<String>,
        /// Only conversations with this status
        #[arg(long, value_name = "STATUS", ignore_case = true, value_parser = word(["active", "completed", "expired"], named::<ExecSessionStatus>))]
        status: Option<ExecSessionStatus>,
    },
    /// Show a conversation: its instructions and answers
    Session {
        /// Conversation id, or a unique prefix of one
        #[arg(add = NameKind::Conversations)]
        conversation: String,
    },
    /// End a conversation, so that it cannot be resumed
    End {
        /// Conversation id, or a unique prefix of one
        #[arg(add = NameKind::Conversations)]
        conversation: String,
    },
    /// Remove old conversations and runs
    #[command(visible_alias = "clean")]
    Cleanup {
        /// Remove conversations and runs older than DAYS days [default: exec.session_days for conversations, exec.keep_days for runs]
        #[arg(long, value_name = "DAYS")]
        older_than: Option<u32>,
    },
}

/// Arguments of `exec list`.
#[derive(Debug, Args)]
pub(crate) struct ExecListArgs {
    /// Only runs in the repository of this directory
    #[arg(long, value_name = "DIR", value_parser = directory)]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) repo_path: Option<String>,
    /// Only runs of this conversation
    #[arg(long, value_name = "ID")]
    #[arg(add = NameKind::Conversations)]
    pub(crate) session: Option<String>,
    /// Only runs with this status
    #[arg(long, value_name = "STATUS", ignore_case = true, value_parser = word(["queued", "running", "success", "failed", "timeout"], named::<ExecutionStatus>))]
    pub(crate) status: Option<ExecutionStatus>,
    /// Print at most N runs, 1 to 1000 [default: 100]
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) limit: Option<u64>,
}

/// Arguments of `exec get`.
#[derive(Debug, Args)]
pub(crate) struct ExecGetArgs {
    /// Run id, or a unique prefix of one
    #[arg(add = NameKind::Executions)]
    pub(crate) execution: String,
    /// Print the diff of what the run changed
    #[arg(long, conflicts_with = "stdout")]
    pub(crate) diff: bool,
    /// Print what Claude Code printed, in the output format that the run was started with
    #[arg(long)]
    pub(crate) stdout: bool,
}
