//! `ccctl rec` and `play`: the tape options of a request, from flags and the caller's environment.

use crate::args::Given;
use crate::fields::Fields as _;
use crate::{Failure, caller};
use ccd_protocol::tape::{FallbackMode, RecordMode, TapeOptions};
use serde_json::json;
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
const OPTIONS: &str = "root record fallback latency error_rate seed strict no_strict tag tape_name no_summary no_redact \
                       allow_env ignore_env ignore_arg ignore_stdin match_cwd decorate";

/// Returns the tape options of `rec` or `play`, with the modes of the command unless others are given.
pub(crate) fn of_verb(command: TapeCommand, args: &Given) -> Result<TapeOptions, Failure> {
    let (record, fallback) = modes(command, args);
    check_effect(args, record, fallback)?;
    Ok(TapeOptions {
        record: Some(record),
        fallback: Some(fallback),
        ..given(args)?
    })
}

/// Returns the tape options of other commands; `None` if none is given.
pub(crate) fn named(args: &Given) -> Result<Option<TapeOptions>, Failure> {
    let has_any = args.pick(OPTIONS).has(".");
    has_any.then(|| given(args)).transpose()
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
fn given(args: &Given) -> Result<TapeOptions, Failure> {
    let ignored = args.words("ignore_arg").into_iter();
    let ignored = ignored.map(|text| match text.parse::<u64>() {
        Ok(index) => json!(index),
        Err(_) => json!(text),
    });
    let mut matching = args.pick("allow_env ignore_env ignore_stdin match_cwd");
    if args.has("ignore_arg") {
        matching["ignore_args"] = ignored.collect();
    }
    let mut all = args.pick("root record fallback latency error_rate seed strict tag");
    all["name"] = args.at("tape_name").clone();
    all["decorators"] = args
        .has("decorate")
        .then(|| args.at("decorate").clone())
        .into();
    for (name, option) in [
        ("strict", "no_strict"),
        ("summary", "no_summary"),
        ("redact", "no_redact"),
    ] {
        if args.has(option) {
            all[name] = false.into();
        }
    }
    all["match"] = matching.has(".").then_some(matching).into();
    let mut options: TapeOptions = caller::params(&all)?;
    add_environment(&mut options, |name| std::env::var_os(name));
    Ok(options)
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
