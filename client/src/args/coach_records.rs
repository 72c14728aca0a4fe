//! Records of `ccctl coach`: events, the ledger, and documents.

use super::coach_decide::candidate_type;
use super::value::{time, word};
use ccd_protocol::coach::{CandidateStatus, CandidateType, SignalType};
use clap::Args;
use clap::builder::TypedValueParser;
use std::path::PathBuf;

/// Arguments of `coach events`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl coach events --since 7d
  ccctl coach events --type command_failure --project .
  ccctl coach events --since 2026-01-31T12:00:00Z --json | jq -r '.events[].content'")]
pub(crate) struct EventsArgs {
    /// Only events from this time on: 12h, 7d, 2026-01-31 (UTC) or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) since: Option<String>,
    /// Only events of this type
    #[arg(long = "type", value_name = "TYPE", ignore_case = true, value_parser = signal_type())]
    pub(crate) signal_type: Option<SignalType>,
    /// Only events of this project: a directory in it, or its repository id
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<String>,
    /// At most N events, 1 to 1000 [default: 100]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Only events older than the one with this id, for the next page
    #[arg(long, value_name = "EVENT")]
    pub(crate) before: Option<String>,
}

/// Arguments of `coach ledger`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl coach ledger
  ccctl coach ledger pnpm
  ccctl coach ledger --status rejected")]
pub(crate) struct LedgerArgs {
    /// Only candidates whose title, trigger or action contains this text (case-insensitive)
    pub(crate) search: Option<String>,
    /// Only candidates of this status
    #[arg(long, value_name = "STATUS", ignore_case = true, value_parser = status())]
    pub(crate) status: Option<CandidateStatus>,
    /// At most N candidates, 1 to 1000 [default: 100]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<u32>,
}

/// Arguments of `coach report`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl coach report
  ccctl coach report --since 30d
  ccctl coach report --json | jq '.rules[] | {title, effect}'

Each approved rule has a chart of its weeks: one bar per week, with a line where the rule was \
approved. Without a UTF-8 locale, each week is a digit instead; + means 10 or more.")]
pub(crate) struct ReportArgs {
    /// Count events from this time on: 30d, 2026-01-31 (UTC) or 2026-01-31T12:00:00Z [default: the last 12 weeks]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) since: Option<String>,
}

/// Arguments of `coach detect`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl coach detect --json < payloads.jsonl
  echo '{\"hook_event_name\": \"UserPromptSubmit\", \"session_id\": \"s\", \"prompt\": \"no, use pnpm\"}' | ccctl coach detect

Each line is one payload. Earlier payloads of the same session are taken into account. With \
--json, the output has one line per payload: {\"signals\": […]}.")]
pub(crate) struct DetectArgs {
    /// File of hook payloads, one JSON object per line
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
}

/// Arguments of `coach fingerprint`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl coach fingerprint --type rule --trigger 'When installing packages' --action 'Use pnpm' --json")]
pub(crate) struct FingerprintArgs {
    /// Type of the candidate
    #[arg(long = "type", value_name = "TYPE", ignore_case = true, value_parser = candidate_type())]
    pub(crate) candidate_type: CandidateType,
    /// When it applies
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) trigger: String,
    /// What to do
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) action: String,
}

/// Arguments of `coach mute`.
#[derive(Debug, Args)]
#[command(
    group(clap::ArgGroup::new("what").args(["signal_type", "project"]).required(true).multiple(true)),
    after_help = "Examples:
  ccctl coach mute tone_escalation
  ccctl coach mute --project ~/scratch
  ccctl coach mute tone_escalation --project . --off

Muted events are not recorded; hook payloads still are. ccctl coach status lists what is muted."
)]
pub(crate) struct MuteArgs {
    /// Type of event to stop recording [default: all]
    #[arg(value_name = "TYPE", ignore_case = true, value_parser = signal_type())]
    pub(crate) signal_type: Option<SignalType>,
    /// Only in this project: a directory in it, or its repository id
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<String>,
    /// Record again
    #[arg(long)]
    pub(crate) off: bool,
}

/// Arguments of `coach forget`.
#[derive(Debug, Args)]
#[command(
    group(clap::ArgGroup::new("what").args(["project", "session", "before", "all"]).required(true).multiple(true)),
    after_help = "Examples:
  ccctl coach forget --project ~/secret
  ccctl coach forget --before 90d --yes
  ccctl coach forget --all

Options combine: an event is deleted if it matches all of them. Approved and promoted rules are \
kept. At a terminal, you are asked first."
)]
pub(crate) struct ForgetArgs {
    /// Delete events of this project: a directory in it, or its repository id
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<String>,
    /// Delete events of this session of Claude Code
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Delete events before this time: 90d, 2026-01-31 (UTC) or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) before: Option<String>,
    /// Delete all events, payloads, and pending and rejected candidates
    #[arg(long)]
    pub(crate) all: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    pub(crate) yes: bool,
}

/// Arguments of `coach import`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ccctl coach import rules.json
  ccctl coach export | ssh build ccctl coach import -

Candidates that exist in both places are merged. Decisions in the ledger are kept.")]
pub(crate) struct ImportArgs {
    /// Document of ccctl coach export, or - for standard input
    pub(crate) file: PathBuf,
}

fn signal_type() -> impl TypedValueParser<Value = SignalType> {
    word(SignalType::ALL.map(SignalType::name), SignalType::named)
}

fn status() -> impl TypedValueParser<Value = CandidateStatus> {
    let names = CandidateStatus::ALL.iter().map(|one| one.name());
    word(names, CandidateStatus::named)
}
