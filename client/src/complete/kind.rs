//! What kind of value an argument takes.

use clap::{Arg, ValueHint};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
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
pub(super) fn of(path: &[&str], arg: &Arg, nth: usize) -> Kind {
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        let names = possible.iter().filter(|value| !value.is_hide_set());
        return Kind::Words(names.map(|value| value.get_name().to_owned()).collect());
    }
    let noun = path.first().copied().unwrap_or_default();
    let verb = path.last().copied().unwrap_or_default();
    match (noun, arg.get_id().as_str()) {
        ("coach", "candidate") if DECIDING.contains(&verb) => Kind::PendingCandidate,
        ("coach", "candidate") => Kind::Candidate,
        ("coach", "project") => Kind::Folders,
        ("coach", "file" | "output") => Kind::Files,
        // A session of Claude Code.
        ("coach", "session") => Kind::Nothing,
        ("exec", "execution") => Kind::Execution,
        ("exec", "conversation" | "session" | "resume") => Kind::Conversation,
        ("conversation", "conversation") => Kind::TranscriptOrFile,
        ("conversation", "session") => Kind::Transcript,
        ("conversation", "project") => Kind::Folders,
        ("conversation", "html" | "markdown" | "svg") => Kind::Files,
        ("memory" | "data", "project") => Kind::Folders,
        ("memory", "file" | "from") => Kind::Files,
        ("exec", "permission_mode") => words(&PERMISSION_MODES),
        ("exec", "repo_path") => Kind::Folders,
        ("investigate", "report" | "a" | "b") => Kind::Investigation,
        ("test", "report") | ("test" | "fuzz", "baseline") => Kind::TestReport,
        ("test" | "fuzz", "junit" | "html") => Kind::Files,
        ("map", "target") | ("investigate", "target") if nth == 0 => Kind::Programs,
        ("map", "target") | ("investigate", "target") => Kind::Files,
        (_, "session") if LOOKING.contains(&verb) => Kind::Session,
        (_, "session") => Kind::LiveSession,
        ("program", "name") => Kind::Program,
        ("chain", "name") => Kind::Chain,
        (_, "config") => Kind::Program,
        (_, "job") => Kind::Job,
        ("tape", "tape" | "a" | "b") => Kind::Tape,
        (_, "tapes" | "to") => Kind::Folders,
        (_, "allow_env" | "ignore_env") => Kind::Variables,
        ("tape", "file" | "output") => Kind::Files,
        ("config", "key") => Kind::ConfigKey,
        (_, "signal") => words(&SIGNALS),
        (_, "keys") => Kind::Keys,
        (_, "level") => words(&LEVELS),
        (_, "debug") => words(&["on", "off"]),
        (_, "pattern_type") => {
            let names = ccd_protocol::pattern::PatternType::ALL.map(|kind| kind.name().to_owned());
            Kind::Words(names.to_vec())
        }
        ("pattern", "category") => Kind::Category,
        ("call", "method") => {
            let names = ccd_protocol::methods().map(|method| method.name.to_owned());
            Kind::Words(names.collect())
        }
        (_, "program") if nth == 0 => Kind::Programs,
        (_, "interpreter") => Kind::Programs,
        (_, "cwd" | "dir") => Kind::Folders,
        (_, "program" | "file" | "socket") => Kind::Files,
        _ => match arg.get_value_hint() {
            ValueHint::AnyPath | ValueHint::FilePath => Kind::Files,
            _ => Kind::Nothing,
        },
    }
}

fn words(all: &[&str]) -> Kind {
    Kind::Words(all.iter().map(|word| (*word).to_owned()).collect())
}
