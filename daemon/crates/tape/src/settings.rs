//! What a session does with tapes: its request over the configuration over the defaults, checked.

use super::decorate::{DecoratorError, Decorators};
use super::key::{RuleError, Rules};
use super::name::{NameError, NameTemplate};
use ccd_protocol::tape::{FallbackMode, Latency, MatchOptions, RecordMode, TapeOptions};
use ccd_text::redact;
use std::path::{Path, PathBuf};

pub use super::replay_defaults::{OptionalPath, Replay};

/// Longest pause before a chunk, in milliseconds.
pub const MAX_LATENCY_MS: u64 = 60_000;

/// The folder of tapes in the base folder.
const FOLDER: &str = "tapes";

/// Longest tag, in bytes.
const MAX_TAG_BYTES: usize = 128;

/// Why a request cannot be followed. Each names the field.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    #[error("tape.root must be an absolute path without `..`, found {found:?}")]
    Root { found: String },
    #[error("tape.error_rate must be from 0 to 100, found {found}")]
    ErrorRate { found: f64 },
    #[error(
        "tape.latency must be at most {MAX_LATENCY_MS} ms, with the smaller end of a range first, found {found}"
    )]
    Latency { found: String },
    #[error("tape.tag must have from 1 to {MAX_TAG_BYTES} bytes and no control characters")]
    Tag,
    #[error("tape.name cannot be used: {0}")]
    Name(#[from] NameError),
    #[error("tape.{0}")]
    Match(#[from] RuleError),
    #[error("tape.{0}")]
    Decorator(#[from] DecoratorError),
}

/// What a session does with tapes; every value is in its range.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Absolute.
    pub root: PathBuf,
    /// It is where tapes are that nobody names a folder for.
    pub is_default_root: bool,
    pub record: RecordMode,
    pub fallback: FallbackMode,
    /// `None`: as the tape says.
    pub latency: Option<Latency>,
    /// Percent; `None`: as the tape says.
    pub error_rate: Option<f64>,
    /// `None`: as the tape says, else 0.
    pub seed: Option<u64>,
    pub strict: bool,
    pub tag: Option<String>,
    pub name: NameTemplate,
    /// New and unused tapes are listed at the end.
    pub summary: bool,
    /// Each decision is told in the log.
    pub debug: bool,
    pub decorators: Decorators,
    /// Secrets are taken out of what is recorded.
    pub redact: bool,
    /// What `rules` was made of, with nothing left open: for a journal, or another worker.
    pub matching: MatchOptions,
    pub rules: Rules,
}

impl Settings {
    /// Returns what `options` ask for, with the configuration's values for what they do not say.
    ///
    /// `base` is the daemon's base folder.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] for the first field that is out of its range.
    pub fn over(
        options: &TapeOptions,
        replay: &Replay,
        base: &Path,
    ) -> Result<Self, SettingsError> {
        let matching = matching(options.matching.as_ref(), replay);
        let latency = options.latency.as_ref().or(replay.latency.as_ref());
        let silent = replay.silent;
        // The configuration's 0 says no more than its absence: tapes may have their own.
        let configured = Some(replay.error_rate).filter(|percent| *percent > 0.0);
        let root = root_of(options.root.as_deref(), replay, base)?;
        Ok(Self {
            is_default_root: root == root_of(None, replay, base)?,
            root,
            record: options.record.unwrap_or(replay.record),
            fallback: options.fallback.unwrap_or(replay.fallback),
            latency: latency.map(checked_latency).transpose()?,
            error_rate: options
                .error_rate
                .map(checked_percent)
                .transpose()?
                .or(configured),
            seed: options.seed,
            strict: options.strict.unwrap_or(replay.strict),
            tag: options.tag.as_deref().map(checked_tag).transpose()?,
            name: options
                .name
                .as_deref()
                .map_or_else(|| Ok(NameTemplate::default()), NameTemplate::new)?,
            summary: options.summary.unwrap_or(replay.summary) && !silent,
            debug: replay.debug,
            decorators: Decorators::new(&options.decorators)?,
            redact: redact::is_on(options.redact.or((!replay.redact).then_some(false))),
            rules: Rules::new(&matching)?,
            matching,
        })
    }
}

/// Returns the root that a request names, else the configured one, else the one in the base folder.
///
/// # Errors
///
/// [`SettingsError::Root`] when it is not absolute or has `..`.
pub fn root_of(
    requested: Option<&str>,
    replay: &Replay,
    base: &Path,
) -> Result<PathBuf, SettingsError> {
    let Some(root) = requested else {
        let configured = replay.tapes_path.0.clone();
        return Ok(configured.unwrap_or_else(|| base.join(FOLDER)));
    };
    let path = Path::new(root);
    let leads_up = path.components().any(|part| part.as_os_str() == "..");
    if !path.is_absolute() || leads_up || root.contains('\0') {
        let found = root.to_owned();
        return Err(SettingsError::Root { found });
    }
    // One form of a folder, so that it is one root: without a slash at the end or two in a row.
    Ok(path.components().collect())
}

fn matching(options: Option<&MatchOptions>, replay: &Replay) -> MatchOptions {
    let none = MatchOptions::default();
    let options = options.unwrap_or(&none);
    MatchOptions {
        allow_env: options
            .allow_env
            .clone()
            .or_else(|| Some(replay.allow_env.clone())),
        ignore_env: options
            .ignore_env
            .clone()
            .or_else(|| Some(replay.ignore_env.clone())),
        ignore_args: options
            .ignore_args
            .clone()
            .or_else(|| Some(replay.ignore_args.clone())),
        ignore_stdin: options.ignore_stdin.or(Some(replay.ignore_stdin)),
        match_cwd: options.match_cwd.or(Some(replay.match_cwd)),
    }
}

fn checked_latency(latency: &Latency) -> Result<Latency, SettingsError> {
    let (is_fine, found) = match latency {
        Latency::Constant(ms) => (*ms <= MAX_LATENCY_MS, ms.to_string()),
        Latency::Range([least, most]) => (
            least <= most && *most <= MAX_LATENCY_MS,
            format!("[{least}, {most}]"),
        ),
        Latency::Named(_) => (true, String::new()),
    };
    if is_fine {
        Ok(latency.clone())
    } else {
        Err(SettingsError::Latency { found })
    }
}

fn checked_percent(percent: f64) -> Result<f64, SettingsError> {
    if (0.0..=100.0).contains(&percent) {
        Ok(percent)
    } else {
        Err(SettingsError::ErrorRate { found: percent })
    }
}

fn checked_tag(tag: &str) -> Result<String, SettingsError> {
    let is_fine = (1..=MAX_TAG_BYTES).contains(&tag.len()) && !tag.contains(char::is_control);
    if is_fine {
        Ok(tag.to_owned())
    } else {
        Err(SettingsError::Tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccd_protocol::tape::{Decorator, DecoratorTarget, IgnoredArg};

    fn over(options: TapeOptions, replay: &Replay) -> Result<Settings, String> {
        Settings::over(&options, replay, Path::new("/base")).map_err(|error| error.to_string())
    }

    fn options() -> TapeOptions {
        TapeOptions::default()
    }

    #[test]
    fn a_request_comes_before_the_configuration_and_that_before_the_defaults() {
        let defaults = over(options(), &Replay::default()).unwrap();
        assert_eq!(defaults.root, Path::new("/base/tapes"));
        assert_eq!(defaults.record, RecordMode::Disabled);
        assert_eq!(defaults.fallback, FallbackMode::NotFound);
        assert_eq!((defaults.latency, defaults.error_rate), (None, None));
        assert!(defaults.summary && defaults.redact && !defaults.strict);
        let replay = Replay {
            record: RecordMode::New,
            latency: Some(Latency::Constant(5)),
            error_rate: 50.0,
            strict: true,
            redact: false,
            ignore_stdin: true,
            ..Replay::default()
        };
        let configured = over(options(), &replay).unwrap();
        assert_eq!(configured.record, RecordMode::New);
        assert_eq!(configured.latency, Some(Latency::Constant(5)));
        assert_eq!(configured.error_rate, Some(50.0));
        assert!(
            configured.strict
                && !configured.redact
                && configured.matching.ignore_stdin == Some(true)
        );
        let requested = TapeOptions {
            root: Some("/tapes//of/mine/".to_owned()),
            record: Some(RecordMode::Overwrite),
            error_rate: Some(0.0),
            strict: Some(false),
            redact: Some(true),
            matching: Some(MatchOptions {
                ignore_stdin: Some(false),
                ..MatchOptions::default()
            }),
            ..options()
        };
        let requested = over(requested, &replay).unwrap();
        assert_eq!(requested.root.as_os_str(), "/tapes/of/mine");
        assert_eq!(requested.record, RecordMode::Overwrite);
        assert_eq!(
            requested.error_rate,
            Some(0.0),
            "no errors, whatever the tape says"
        );
        assert!(
            !requested.strict && requested.redact && requested.matching.ignore_stdin == Some(false)
        );
    }

    #[test]
    fn silence_has_no_summary() {
        let replay = Replay {
            silent: true,
            ..Replay::default()
        };
        assert!(!over(options(), &replay).unwrap().summary);
    }

    #[test]
    fn a_value_out_of_range_is_named_by_its_field() {
        let matching = |args: &str| MatchOptions {
            ignore_args: Some(vec![IgnoredArg::Text(args.to_owned())]),
            ..MatchOptions::default()
        };
        let decorator = Decorator {
            on: DecoratorTarget::Input,
            replace: Some("(".to_owned()),
            with: Some(String::new()),
            filter: None,
        };
        for (wrong, field) in [
            (
                TapeOptions {
                    root: Some("tapes".to_owned()),
                    ..options()
                },
                "tape.root must",
            ),
            (
                TapeOptions {
                    root: Some("/a/../b".to_owned()),
                    ..options()
                },
                "tape.root must",
            ),
            (
                TapeOptions {
                    error_rate: Some(100.5),
                    ..options()
                },
                "tape.error_rate must",
            ),
            (
                TapeOptions {
                    error_rate: Some(f64::NAN),
                    ..options()
                },
                "tape.error_rate must",
            ),
            (
                TapeOptions {
                    latency: Some(Latency::Constant(60_001)),
                    ..options()
                },
                "tape.latency must",
            ),
            (
                TapeOptions {
                    latency: Some(Latency::Range([5, 4])),
                    ..options()
                },
                "tape.latency must",
            ),
            (
                TapeOptions {
                    tag: Some(String::new()),
                    ..options()
                },
                "tape.tag must",
            ),
            (
                TapeOptions {
                    name: Some("../{tag}".to_owned()),
                    ..options()
                },
                "tape.name cannot",
            ),
            (
                TapeOptions {
                    matching: Some(matching("/(/")),
                    ..options()
                },
                "tape.match.ignore_args[0]",
            ),
            (
                TapeOptions {
                    decorators: vec![decorator],
                    ..options()
                },
                "tape.decorators[0]",
            ),
        ] {
            let error = over(wrong, &Replay::default()).unwrap_err();
            assert!(error.starts_with(field), "{error}");
        }
    }
}
