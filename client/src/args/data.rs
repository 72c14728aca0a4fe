//! `ccctl data`.

use super::value::{named, time, word};
use ccd_protocol::data::DataPart;
use clap::{Args, Subcommand};

/// Arguments of `ccctl data`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl data
  ccctl data --json | jq -r '.parts[] | \"\\(.part) \\(.bytes)\"'
  ccctl data forget --project ~/src/app
  ccctl data forget sessions hooks --before 30d

Without a command, lists what ccd keeps: for each part, size, location, oldest entry, how long it is kept, and what \
turns it off. Not listed, and never deleted: your configuration, patterns, programs and chains, and files set aside as \
damaged (*.corrupt-*).")]
pub(crate) struct DataArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<DataVerb>,
}

/// Commands for what is kept.
#[derive(Debug, Subcommand)]
pub(crate) enum DataVerb {
    /// Delete what ccd keeps, after a preview
    #[command(after_help = "Examples:
  ccctl data forget
  ccctl data forget coach hooks
  ccctl data forget --project ~/src/app
  ccctl data forget sessions runs --before 2026-01-31 --yes

Shows what would be deleted and asks for confirmation. Without a terminal or with --json, deletes nothing unless you \
give --yes. If something could be deleted and nothing was, the exit status is 1. Reports what stays, and why: live sessions, approved rules, Claude Code's own transcripts, and parts that \
belong to no project.

The parts are sessions, tapes, coach, hooks, conversations, memory, runs, reports, jobs and logs. With --project, data \
of coach and hooks is deleted for the whole repository that contains the directory.")]
    Forget(DataForgetArgs),
}

/// Arguments of `data forget`.
#[derive(Debug, Args)]
pub(crate) struct DataForgetArgs {
    /// Delete only these parts [default: all]
    #[arg(value_name = "PART", ignore_case = true, value_parser = word(DataPart::ALL.map(DataPart::name), named::<DataPart>))]
    pub(crate) parts: Vec<DataPart>,
    /// Delete only the data of this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<String>,
    /// Delete only what is older: 90d, 2026-01-31 (UTC) or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) before: Option<String>,
    /// Show what would be deleted, without deleting it
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Delete without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}
