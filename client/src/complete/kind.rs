//! What kind of value an argument takes.

use clap::{Arg, ValueHint};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ValueKind {
    LiveSession,
    /// A live or ended session.
    Session,
    Program,
    Chain,
    Job,
    Tape,
    /// A candidate of the coach that waits for a decision, by its id.
    PendingCandidate,
    Candidate,
    /// A run of Claude Code, by its id.
    Execution,
    Conversation,
    /// A conversation that Claude Code has a transcript of, by its id.
    Transcript,
    /// Such a conversation, or a file.
    TranscriptOrFile,
    Investigation,
    TestReport,
    ConfigKey,
    Category,
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
    match (noun, arg.get_id().as_str()) {
        ("coach", "candidate") if DECIDING.contains(&verb) => ValueKind::PendingCandidate,
        ("coach", "candidate") => ValueKind::Candidate,
        ("coach", "project") => ValueKind::Folders,
        ("coach", "file" | "output") => ValueKind::Files,
        // A session of Claude Code.
        ("coach", "session") => ValueKind::Nothing,
        ("exec", "execution") => ValueKind::Execution,
        ("exec", "conversation" | "session" | "resume") => ValueKind::Conversation,
        ("conversation", "conversation") => ValueKind::TranscriptOrFile,
        ("conversation", "session") => ValueKind::Transcript,
        ("conversation", "project") => ValueKind::Folders,
        ("conversation", "html" | "markdown" | "svg") => ValueKind::Files,
        ("memory" | "data", "project") => ValueKind::Folders,
        ("memory", "file" | "from") => ValueKind::Files,
        ("exec", "permission_mode") => words(&PERMISSION_MODES),
        ("exec", "repo_path") => ValueKind::Folders,
        ("investigate", "report" | "a" | "b") => ValueKind::Investigation,
        ("test", "report") | ("test" | "fuzz", "baseline") => ValueKind::TestReport,
        ("test" | "fuzz", "junit" | "html") => ValueKind::Files,
        ("map", "target") | ("investigate", "target") if nth == 0 => ValueKind::Programs,
        ("map", "target") | ("investigate", "target") => ValueKind::Files,
        (_, "session") if LOOKING.contains(&verb) => ValueKind::Session,
        (_, "session") => ValueKind::LiveSession,
        ("program", "name") => ValueKind::Program,
        ("chain", "name") => ValueKind::Chain,
        (_, "config") => ValueKind::Program,
        (_, "job") => ValueKind::Job,
        ("tape", "tape" | "a" | "b") => ValueKind::Tape,
        (_, "tapes" | "to") => ValueKind::Folders,
        (_, "allow_env" | "ignore_env") => ValueKind::Variables,
        ("tape", "file" | "output") => ValueKind::Files,
        ("config", "key") => ValueKind::ConfigKey,
        (_, "signal") => words(&SIGNALS),
        (_, "keys") => ValueKind::Keys,
        (_, "level") => words(&LEVELS),
        (_, "debug") => words(&["on", "off"]),
        (_, "pattern_type") => {
            let names = ccd_protocol::pattern::PatternType::ALL.map(|kind| kind.name().to_owned());
            ValueKind::Words(names.to_vec())
        }
        ("pattern", "category") => ValueKind::Category,
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

fn words(all: &[&str]) -> ValueKind {
    ValueKind::Words(all.iter().map(|word| (*word).to_owned()).collect())
}
