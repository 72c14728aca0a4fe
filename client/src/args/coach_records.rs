//! Records of `ccctl coach`: events, the ledger, and documents.

use super::coach_decide::candidate_type;
use super::value::{time, word};
use ccd_protocol::coach::{CandidateStatus, CandidateType, SignalType};
use clap::builder::TypedValueParser;
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// Arguments of `coach events`.
#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// Only events from this time on: 12h, 7d, 2026-01-31 (UTC) or 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) since: Option<String>,
    /// Only events of this type
    #[arg(long = "type", value_name = "TYPE", ignore_case = true, value_parser = signal_type())]
    pub(crate) signal_type: Option<SignalType>,
    /// Only events of this project: a directory in it, or its repository id
    #[arg(long, value_name = "DIR")]
    #[arg(value_hint = ValueHint::DirPath)]
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
pub(crate) struct ReportArgs {
    /// Count events from this time on: 30d, 2026-01-31 (UTC) or 2026-01-31T12:00:00Z [default: the last 12 weeks]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) since: Option<String>,
}

/// Arguments of `coach detect`.
#[derive(Debug, Args)]
pub(crate) struct DetectArgs {
    /// File of hook payloads, one JSON object per line
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
}

/// Arguments of `coach fingerprint`.
#[derive(Debug, Args)]
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
    group(clap::ArgGroup::new("what").args(["signal_type", "project"]).required(true).multiple(true))
)]
pub(crate) struct MuteArgs {
    /// Type of event to stop recording [default: all]
    #[arg(value_name = "TYPE", ignore_case = true, value_parser = signal_type())]
    pub(crate) signal_type: Option<SignalType>,
    /// Only in this project: a directory in it, or its repository id
    #[arg(long, value_name = "DIR")]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) project: Option<String>,
    /// Record again
    #[arg(long)]
    pub(crate) off: bool,
}

/// Arguments of `coach forget`.
#[derive(Debug, Args)]
#[command(
    group(clap::ArgGroup::new("what").args(["project", "session", "before", "all"]).required(true).multiple(true))
)]
pub(crate) struct ForgetArgs {
    /// Delete events of this project: a directory in it, or its repository id
    #[arg(long, value_name = "DIR")]
    #[arg(value_hint = ValueHint::DirPath)]
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
