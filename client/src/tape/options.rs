//! `ccctl rec` and `play`: the tape options of a request, from flags and the caller's environment.

use crate::Failure;
use crate::args::Given;
use crate::fields::Fields as _;
use ccd_protocol::tape::{FallbackMode, IgnoredArg, MatchOptions, RecordMode, TapeOptions};
use std::ffi::OsString;

/// If this variable is set, only exact matches are accepted: a build must not pass by chance.
const CI: &str = "CI";

/// If this variable is off, secrets are not removed.
const REDACT: &str = "CLAUDECONTROL_REDACT";

const OFF: [&str; 3] = ["0", "false", "off"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TapeCommand {
    Rec,
    Play,
    /// `play` with the real program as the fallback, for shims.
    Proxy,
}

impl TapeCommand {
    pub(crate) fn name(self) -> &'static str {
        match self {
            TapeCommand::Rec => "rec",
            TapeCommand::Play => "play",
            TapeCommand::Proxy => "play --fallback proxy",
        }
    }

    /// What to record, and what answers an input that is on no tape, unless options say otherwise.
    pub(crate) fn modes(self) -> (RecordMode, FallbackMode) {
        match self {
            TapeCommand::Rec => (RecordMode::New, FallbackMode::NotFound),
            TapeCommand::Play => (RecordMode::Disabled, FallbackMode::NotFound),
            TapeCommand::Proxy => (RecordMode::Disabled, FallbackMode::Proxy),
        }
    }
}

/// The arguments that are tape options. If any of them is given, tapes are used.
const OPTIONS: [&str; 17] = [
    "root",
    "record",
    "fallback",
    "latency",
    "error_rate",
    "seed",
    "strict",
    "no_strict",
    "tag",
    "tape_name",
    "no_summary",
    "no_redact",
    "allow_env",
    "ignore_env",
    "ignore_arg",
    "ignore_stdin",
    "match_cwd",
];

/// Returns the tape options of `rec` or `play`, with the modes of the command unless others are given.
pub(crate) fn of_verb(command: TapeCommand, args: &Given) -> Result<TapeOptions, Failure> {
    let (record, fallback) = modes(command, args);
    check_effect(args, record, fallback)?;
    Ok(TapeOptions {
        record: Some(record),
        fallback: Some(fallback),
        ..given(args)
    })
}

/// Returns the tape options of other commands; `None` if none is given.
pub(crate) fn named(args: &Given) -> Option<TapeOptions> {
    let mut all = OPTIONS.iter().chain(&["decorate"]);
    all.any(|name| args.is_given(name)).then(|| given(args))
}

/// What to record, and what answers an input that is on no tape.
pub(super) fn modes(command: TapeCommand, args: &Given) -> (RecordMode, FallbackMode) {
    let (record, fallback) = command.modes();
    (
        args.typed("record").unwrap_or(record),
        args.typed("fallback").unwrap_or(fallback),
    )
}

/// Returns the given options, completed from the environment.
fn given(args: &Given) -> TapeOptions {
    let text = |name| args.word(name).map(str::to_owned);
    let flag = |name, value| args.has(name).then_some(value);
    let list = |name| Some(args.words(name)).filter(|all| !all.is_empty());
    let ignored = args
        .words("ignore_arg")
        .into_iter()
        .map(|text| match text.parse() {
            Ok(index) => IgnoredArg::Index(index),
            Err(_) => IgnoredArg::Text(text),
        });
    let matching = MatchOptions {
        allow_env: list("allow_env"),
        ignore_env: list("ignore_env"),
        ignore_args: Some(ignored.collect()).filter(|all: &Vec<_>| !all.is_empty()),
        ignore_stdin: flag("ignore_stdin", true),
        match_cwd: flag("match_cwd", true),
    };
    let mut options = TapeOptions {
        root: text("root"),
        record: args.typed("record"),
        fallback: args.typed("fallback"),
        latency: args.typed("latency"),
        error_rate: args.seconds("error_rate"),
        seed: args.count("seed"),
        strict: flag("strict", true).or_else(|| flag("no_strict", false)),
        tag: text("tag"),
        name: text("tape_name"),
        summary: flag("no_summary", false),
        decorators: args
            .typed("decorate")
            .filter(|all: &Vec<_>| !all.is_empty()),
        redact: flag("no_redact", false),
        matching: Some(matching).filter(|given| *given != MatchOptions::default()),
    };
    add_environment(&mut options, |name| std::env::var_os(name));
    options
}

/// Checks that each given option has an effect in these modes.
pub(super) fn check_effect(
    args: &Given,
    record: RecordMode,
    fallback: FallbackMode,
) -> Result<(), Failure> {
    let replays = match record {
        RecordMode::Disabled => true,
        RecordMode::New => fallback == FallbackMode::Proxy,
        RecordMode::Overwrite => false,
    };
    let given = |names: &[&'static str]| names.iter().find(|name| args.is_given(name)).copied();
    // A new tape stores these.
    let of_tape = given(&["latency", "error_rate", "seed"]).filter(|_| record != RecordMode::New);
    let of_replay = of_tape.or_else(|| given(&["strict", "no_strict", "ignore_stdin"]));
    let (option, what, instead) = match (of_replay, given(&["tape_name", "tag", "decorate"])) {
        (Some(option), _) if !replays => (option, "no tape is replayed", ""),
        (_, Some(option)) if record == RecordMode::Disabled => {
            (option, "nothing is recorded", "ccctl rec or ")
        }
        _ => return Ok(()),
    };
    let option = option.replace('_', "-");
    Failure::usage(format!(
        "--{option}: {what}, so it has no effect; leave it out, or use {instead}ccctl play --fallback proxy --record new"
    ))
}

/// True if this runs in a build, where nobody types at the terminal.
pub(super) fn is_ci() -> bool {
    is_set(std::env::var_os(CI))
}

fn is_set(value: Option<OsString>) -> bool {
    value.is_some_and(|value| !value.is_empty() && !says_no(&value))
}

fn says_no(value: &OsString) -> bool {
    OFF.iter().any(|off| value.eq_ignore_ascii_case(off))
}

/// Flags take precedence over the environment.
fn add_environment(options: &mut TapeOptions, env: impl Fn(&str) -> Option<OsString>) {
    if is_set(env(CI)) {
        options.strict.get_or_insert(true);
    }
    if env(REDACT).is_some_and(|value| says_no(&value)) {
        options.redact.get_or_insert(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(env: &[(&str, &str)], mut options: TapeOptions) -> (Option<bool>, Option<bool>) {
        let find = |name: &str| {
            let found = env.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        add_environment(&mut options, find);
        (options.strict, options.redact)
    }

    #[test]
    fn a_build_is_strict_unless_an_option_says_otherwise() {
        let none = TapeOptions::default;
        assert_eq!(with(&[], none()).0, None);
        assert_eq!(with(&[("CI", "true")], none()).0, Some(true));
        for off in ["", "false", "0"] {
            assert_eq!(with(&[("CI", off)], none()).0, None, "{off}");
        }
        let lenient = TapeOptions {
            strict: Some(false),
            ..none()
        };
        assert_eq!(with(&[("CI", "1")], lenient).0, Some(false));
    }

    #[test]
    fn only_a_word_for_off_turns_redaction_off() {
        for (value, redact) in [
            ("0", Some(false)),
            ("FALSE", Some(false)),
            ("off", Some(false)),
            ("1", None),
            ("", None),
        ] {
            let env = [("CLAUDECONTROL_REDACT", value)];
            assert_eq!(with(&env, TapeOptions::default()).1, redact, "{value}");
        }
    }
}
