//! `ccctl data`.

use super::value::{time, word};
use ccd_protocol::data::DataPart;
use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};

/// Arguments of `ccctl data`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl data
  ccctl data --json | jq -r '.parts[] | \"\\(.part) \\(.bytes)\"'
  ccctl data forget --project ~/secret
  ccctl data forget sessions hooks --before 30d

Without a command, lists each part of what ccd keeps: its size, its place, since when, how long, and what switches it \
off. Your configuration, patterns, programs and chains are not listed; they stay until you delete them.")]
pub(crate) struct DataArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<DataVerb>,
}

/// Commands for what is kept.
#[derive(Debug, Subcommand)]
pub(crate) enum DataVerb {
    /// Delete what is kept, after a preview
    #[command(after_help = "Examples:
  ccctl data forget                                  everything, in all parts
  ccctl data forget coach hooks
  ccctl data forget --project ~/secret
  ccctl data forget sessions runs --before 2026-01-31 --yes

What would be deleted is shown first, and you are asked to confirm it. Without a terminal or with --json, nothing is \
deleted unless --yes is given. What stays is reported with the reason: live sessions, approved rules, Claude Code's own \
transcripts, and parts that belong to no project.

With --project, the coach and the hooks forget the whole repository that the directory is in.")]
    Forget(DataForgetArgs),
}

/// Arguments of `data forget`.
#[derive(Debug, Args)]
pub(crate) struct DataForgetArgs {
    /// Only these parts [default: all]
    #[arg(value_name = "PART", ignore_case = true, value_parser = part())]
    pub(crate) parts: Vec<DataPart>,
    /// Only what belongs to this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<String>,
    /// Only what is older than this time: 90d, 2026-01-31 (UTC) or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) before: Option<String>,
    /// Only show what would be deleted
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Delete without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
}

fn part() -> impl TypedValueParser<Value = DataPart> {
    let named = |name: &str| DataPart::ALL.into_iter().find(|part| part.name() == name);
    word(DataPart::ALL.map(DataPart::name), named)
}
