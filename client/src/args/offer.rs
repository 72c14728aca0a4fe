//! What completion offers for the value of an argument, which the argument itself says: one of these, or a hint of clap's for
//! files, directories and programs.

use ccd_protocol::exec::PERMISSION_MODES;
use clap::builder::ArgExt;

/// Names that the daemon knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameKind {
    LiveSessions,
    Sessions,
    Programs,
    Chains,
    Jobs,
    Tapes,
    /// Runs of Claude Code.
    Executions,
    /// Of the executor.
    Conversations,
    /// Of Claude Code.
    Transcripts,
    Investigations,
    TestReports,
    /// Of the coach, those that wait for a decision.
    PendingCandidates,
    Candidates,
    ConfigKeys,
    Categories,
}

impl ArgExt for NameKind {}

impl NameKind {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "live" => Self::LiveSessions,
            "sessions" => Self::Sessions,
            "programs" => Self::Programs,
            "chains" => Self::Chains,
            "jobs" => Self::Jobs,
            "tapes" => Self::Tapes,
            "executions" => Self::Executions,
            "conversations" => Self::Conversations,
            "transcripts" => Self::Transcripts,
            "investigations" => Self::Investigations,
            "test_reports" => Self::TestReports,
            "pending" => Self::PendingCandidates,
            "candidates" => Self::Candidates,
            "config_keys" => Self::ConfigKeys,
            "categories" => Self::Categories,
            _ => return None,
        })
    }
}

/// A path that the daemon gets in its absolute form, or something else that stands for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DaemonPath {
    Directory,
    /// Or the id of a repository.
    Project,
    /// Or the id of a tape.
    Tape,
}

impl ArgExt for DaemonPath {}

/// Other values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// A conversation that Claude Code has a transcript of, or a file.
    TranscriptOrFile,
    /// Environment variables.
    Variables,
    /// Names of keys, separated by commas.
    Keys,
    /// Methods of the protocol.
    Methods,
    PatternTypes,
    Words(&'static [&'static str]),
}

impl ArgExt for ValueKind {}

impl ValueKind {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "transcript_or_file" => Self::TranscriptOrFile,
            "variables" => Self::Variables,
            "keys" => Self::Keys,
            "methods" => Self::Methods,
            "pattern_types" => Self::PatternTypes,
            "signals" => Self::Words(SIGNALS),
            "levels" => Self::Words(&["error", "warn", "info", "debug", "trace"]),
            "switch" => Self::Words(&["on", "off"]),
            "permission_modes" => Self::Words(PERMISSION_MODES),
            _ => return None,
        })
    }
}

const SIGNALS: &[&str] = &[
    "INT", "TERM", "HUP", "KILL", "STOP", "CONT", "QUIT", "USR1", "USR2", "TSTP", "WINCH", "ALRM",
    "PIPE", "ABRT", "TTIN", "TTOU",
];
