//! What a value is, by the argument that it is for.

use clap::{Arg, ValueHint};

/// What may stand for an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    LiveSession,
    /// An ended one too.
    Session,
    Program,
    Chain,
    Job,
    /// A tape by its id.
    Tape,
    ConfigKey,
    /// A category of the pattern library.
    Category,
    /// Variables of the environment.
    Variables,
    /// Names of keys, with commas between them.
    Keys,
    /// One of these.
    Words(Vec<String>),
    // These the shell knows.
    Files,
    Folders,
    Programs,
    /// A text of which nobody knows anything.
    Nothing,
}

const SIGNALS: [&str; 16] = [
    "INT", "TERM", "HUP", "KILL", "STOP", "CONT", "QUIT", "USR1", "USR2", "TSTP", "WINCH", "ALRM",
    "PIPE", "ABRT", "TTIN", "TTOU",
];

const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// Verbs that know ended sessions too.
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

/// Returns what may stand for the `nth` value of an argument, counted from 0, of the verb at `path`.
pub(super) fn of(path: &[&str], arg: &Arg, nth: usize) -> Kind {
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        let names = possible.iter().filter(|value| !value.is_hide_set());
        return Kind::Words(names.map(|value| value.get_name().to_owned()).collect());
    }
    let noun = path.first().copied().unwrap_or_default();
    let verb = path.last().copied().unwrap_or_default();
    match (noun, arg.get_id().as_str()) {
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
