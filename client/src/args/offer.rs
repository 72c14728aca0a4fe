//! What completion offers for the value of an argument, which the argument itself says: one of these, or a hint of clap's for
//! files, directories and programs.

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

pub(super) const SIGNALS: &[&str] = &[
    "INT", "TERM", "HUP", "KILL", "STOP", "CONT", "QUIT", "USR1", "USR2", "TSTP", "WINCH", "ALRM",
    "PIPE", "ABRT", "TTIN", "TTOU",
];

pub(super) const LEVELS: &[&str] = &["error", "warn", "info", "debug", "trace"];
