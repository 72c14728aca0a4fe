//! `ccctl rec` and `play`: the tape options of a request, from flags and the caller's environment.

use crate::Failure;
use crate::args::{NamedTapeArgs, RecordArgs};
use crate::caller::given_path;
use ccd_protocol::tape::{FallbackMode, RecordMode, TapeOptions};
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

/// Returns the tape options of `rec` or `play`; `record` and `fallback` are the defaults.
pub(crate) fn of_verb(
    args: &RecordArgs,
    record: RecordMode,
    fallback: FallbackMode,
) -> Result<TapeOptions, Failure> {
    let mut options = given(&args.tape)?;
    options.record.get_or_insert(record);
    options.fallback.get_or_insert(fallback);
    let modes = (options.record, options.fallback);
    if let (Some(record), Some(fallback)) = modes {
        let checked = (args.tape.tape).check_effect(&args.tape.tape_name, record, fallback);
        checked.map_err(Failure::Usage)?;
    }
    Ok(options)
}

/// Returns the tape options of other commands; `None` if none is given.
pub(crate) fn named(args: &NamedTapeArgs) -> Result<Option<TapeOptions>, Failure> {
    let is_given = args.tape_name.is_some() || args.tape.is_given();
    is_given.then(|| given(args)).transpose()
}

/// Returns the given options, completed from the environment.
fn given(args: &NamedTapeArgs) -> Result<TapeOptions, Failure> {
    let mut options = TapeOptions {
        root: given_path(args.tape.tapes.as_deref())?,
        name: args.tape_name.clone(),
        ..args.tape.options()
    };
    add_environment(&mut options, |name| std::env::var_os(name));
    Ok(options)
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
