//! What kind of value an argument takes.

use crate::names::NameKind;
use ccd_protocol::pattern::PatternType;
use clap::{Arg, ValueHint};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ValueKind {
    Names(NameKind),
    /// A conversation that Claude Code has a transcript of, or a file.
    TranscriptOrFile,
    Variables,
    /// Names of keys, separated by commas.
    Keys,
    Words(Vec<String>),
    // The shell completes these itself.
    Files,
    Folders,
    Programs,
    /// Any text; nothing to offer.
    Nothing,
}

const SIGNALS: [&str; 16] = [
    "INT", "TERM", "HUP", "KILL", "STOP", "CONT", "QUIT", "USR1", "USR2", "TSTP", "WINCH", "ALRM",
    "PIPE", "ABRT", "TTIN", "TTOU",
];

/// Names of Claude Code; the daemon checks them.
const PERMISSION_MODES: [&str; 6] = [
    "default",
    "acceptEdits",
    "plan",
    "dontAsk",
    "auto",
    "bypassPermissions",
];

const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// Commands that accept ended sessions.
const LOOKING: [&str; 8] = [
    "get",
    "read",
    "screen",
    "tail",
    "subscribe",
    "history",
    "wait",
    "save",
];

/// Commands that decide on pending candidates.
const DECIDING: [&str; 3] = ["approve", "reject", "edit"];

/// Returns the kind of the `nth` value, counted from 0, of an argument of the command at `path`.
pub(super) fn of(path: &[&str], arg: &Arg, nth: usize) -> ValueKind {
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        let names = possible.iter().filter(|value| !value.is_hide_set());
        return ValueKind::Words(names.map(|value| value.get_name().to_owned()).collect());
    }
    let noun = path.first().copied().unwrap_or_default();
    let verb = path.last().copied().unwrap_or_default();
    let id = arg.get_id().as_str();
    if let Some(kind) = named(noun, verb, id) {
        return ValueKind::Names(kind);
    }
    match (noun, id) {
        ("conversation", "conversation") => ValueKind::TranscriptOrFile,
        ("coach" | "conversation" | "memory" | "data", "project") => ValueKind::Folders,
        ("exec", "permission_mode") => words(&PERMISSION_MODES),
        ("exec", "repo_path") => ValueKind::Folders,
        ("map" | "investigate", "target") if nth == 0 => ValueKind::Programs,
        ("map" | "investigate", "target") => ValueKind::Files,
        (_, "tapes" | "to") => ValueKind::Folders,
        (_, "allow_env" | "ignore_env") => ValueKind::Variables,
        (_, "signal") => words(&SIGNALS),
        (_, "keys") => ValueKind::Keys,
        (_, "level") => words(&LEVELS),
        (_, "debug") => words(&["on", "off"]),
        (_, "pattern_type") => words(&PatternType::ALL.map(PatternType::name)),
        ("call", "method") => {
            let names = ccd_protocol::methods().map(|method| method.name.to_owned());
            ValueKind::Words(names.collect())
        }
        (_, "program") if nth == 0 => ValueKind::Programs,
        (_, "interpreter") => ValueKind::Programs,
        (_, "cwd" | "dir") => ValueKind::Folders,
        (_, "program" | "file" | "socket") => ValueKind::Files,
        _ => match arg.get_value_hint() {
            ValueHint::AnyPath | ValueHint::FilePath => ValueKind::Files,
            _ => ValueKind::Nothing,
        },
    }
}

/// The kind of an argument that names something of the daemon.
fn named(noun: &str, verb: &str, id: &str) -> Option<NameKind> {
    Some(match (noun, id) {
        ("coach", "candidate") if DECIDING.contains(&verb) => NameKind::PendingCandidates,
        ("coach", "candidate") => NameKind::Candidates,
        ("exec", "execution") => NameKind::Executions,
        ("exec", "conversation" | "session" | "resume") => NameKind::Conversations,
        ("conversation", "session") => NameKind::Transcripts,
        ("investigate", "report" | "a" | "b") => NameKind::Investigations,
        ("test", "report") | ("test" | "fuzz", "baseline") => NameKind::TestReports,
        // A session of Claude Code.
        ("coach", "session") => return None,
        (_, "session") if LOOKING.contains(&verb) => NameKind::Sessions,
        (_, "session") => NameKind::LiveSessions,
        ("program", "name") | (_, "config") => NameKind::Programs,
        ("chain", "name") => NameKind::Chains,
        (_, "job") => NameKind::Jobs,
        ("tape", "tape" | "a" | "b") => NameKind::Tapes,
        ("config", "key") => NameKind::ConfigKeys,
        ("pattern", "category") => NameKind::Categories,
        _ => return None,
    })
}

fn words(all: &[&str]) -> ValueKind {
    ValueKind::Words(all.iter().map(|word| (*word).to_owned()).collect())
}
