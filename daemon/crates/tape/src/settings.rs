//! The tape settings of a session, checked. A request comes before the configuration, and that before defaults.

use super::decorate::{DecoratorError, Decorators};
use super::key::{ContextRuleError, ContextRules};
use super::name::{NameError, NameTemplate};
use ccd_protocol::tape::{FallbackMode, Latency, MatchOptions, RecordMode, TapeOptions};
use ccd_text::redact;
use std::path::{Path, PathBuf};

pub use super::replay_defaults::{OptionalPath, OptionalTag, ReplayDefaults};

/// Maximum delay of a chunk, in milliseconds.
pub const MAX_LATENCY_MS: u64 = 60_000;

/// The directory of tapes in the base directory.
const FOLDER: &str = "tapes";

/// The flag of a recording whose details are logged.
pub(crate) const DEBUG: &str = "debug";

pub const MAX_TAG_BYTES: usize = 128;

/// Why a request is not valid. Each variant names the field.
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
    Match(#[from] ContextRuleError),
    #[error("tape.{0}")]
    Decorator(#[from] DecoratorError),
}

/// The tape settings of a session; every value is in its range.
#[derive(Debug, Clone)]
pub struct TapeSettings {
    /// Absolute.
    pub root: PathBuf,
    /// It is the root that is used if no directory is named.
    pub is_default_root: bool,
    pub record: RecordMode,
    pub fallback: FallbackMode,
    /// `None`: as on the tape.
    pub latency: Option<Latency>,
    /// Percentage; `None`: as on the tape.
    pub error_rate: Option<f64>,
    /// `None`: as on the tape, or 0.
    pub seed: Option<u64>,
    pub strict: bool,
    pub tag: Option<String>,
    pub name: NameTemplate,
    /// New and unused tapes are listed at the end.
    pub summary: bool,
    /// Each lookup is logged.
    pub debug: bool,
    pub decorators: Decorators,
    /// Secrets are removed from recordings.
    pub redact: bool,
    /// The complete options that `rules` was made from, for a journal or another worker.
    pub matching: MatchOptions,
    pub rules: ContextRules,
}

impl TapeSettings {
    /// Returns the settings in `options`; settings that they lack are taken from the configuration.
    /// `base` is the daemon's base directory.
    pub fn over(
        options: &TapeOptions,
        replay: &ReplayDefaults,
        base: &Path,
    ) -> Result<Self, SettingsError> {
        let matching = matching(options.matching.as_ref(), replay);
        let latency = options.latency.as_ref().or(replay.latency.as_ref());
        let silent = replay.silent;
        // A 0 in the configuration means the same as no value: a tape may have its own rate.
        let configured = Some(replay.error_rate).filter(|percent| *percent > 0.0);
        let requested_rate = options.error_rate.map(checked_percent);
        let root = root_of(options.root.as_deref(), replay, base)?;
        let decorators = options.decorators.as_ref().unwrap_or(&replay.decorators);
        Ok(Self {
            is_default_root: root == root_of(None, replay, base)?,
            root,
            record: options.record.unwrap_or(replay.record),
            fallback: options.fallback.unwrap_or(replay.fallback),
            latency: latency.map(checked_latency).transpose()?,
            error_rate: requested_rate.transpose()?.or(configured),
            seed: options.seed.or(replay.seed),
            strict: options.strict.unwrap_or(replay.strict),
            tag: match &options.tag {
                Some(tag) if !is_tag(tag) => return Err(SettingsError::Tag),
                Some(tag) => Some(tag.clone()),
                None => replay.tag.0.clone(),
            },
            name: match &options.name {
                Some(name) => NameTemplate::new(name)?,
                None => replay.name.clone(),
            },
            summary: options.summary.unwrap_or(replay.summary) && !silent,
            debug: replay.debug,
            decorators: Decorators::new(decorators)?,
            redact: redact::is_on(options.redact.or((!replay.redact).then_some(false))),
            rules: ContextRules::new(&matching)?,
            matching,
        })
    }
}

impl TapeSettings {
    /// Returns the features that are on, for `session.flags` of a tape.
    pub fn flags(&self) -> Vec<String> {
        let is = |option: Option<bool>| option == Some(true);
        let flags = [
            (DEBUG, self.debug),
            ("decorators", !self.decorators.is_empty()),
            ("ignore_stdin", is(self.matching.ignore_stdin)),
            ("match_cwd", is(self.matching.match_cwd)),
            ("proxy", self.fallback == FallbackMode::Proxy),
            ("redact", self.redact),
            ("strict", self.strict),
            ("summary", self.summary),
        ];
        let on = flags.into_iter().filter(|(_, is_on)| *is_on);
        on.map(|(name, _)| name.to_owned()).collect()
    }

    /// Returns the options of a request with the values of the configuration, by which a recording is finished whatever
    /// the configuration is then.
    pub fn completed(&self, options: &TapeOptions, replay: &ReplayDefaults) -> TapeOptions {
        let decorators = options.decorators.as_ref().unwrap_or(&replay.decorators);
        TapeOptions {
            record: Some(self.record),
            redact: Some(self.redact),
            matching: Some(self.matching.clone()),
            tag: self.tag.clone(),
            name: Some(self.name.to_string()),
            decorators: Some(decorators.clone()),
            ..options.clone()
        }
    }
}

/// Returns the root in the request, else the configured root, else the one in the base directory.
pub fn root_of(
    requested: Option<&str>,
    replay: &ReplayDefaults,
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
    // Normalised, so that each directory is one root: without a trailing slash, and without two slashes in a row.
    Ok(path.components().collect())
}

fn matching(options: Option<&MatchOptions>, replay: &ReplayDefaults) -> MatchOptions {
    let options = options.cloned().unwrap_or_default();
    MatchOptions {
        allow_env: options.allow_env.or_else(|| Some(replay.allow_env.clone())),
        ignore_env: options
            .ignore_env
            .or_else(|| Some(replay.ignore_env.clone())),
        ignore_args: options
            .ignore_args
            .or_else(|| Some(replay.ignore_args.clone())),
        ignore_stdin: options.ignore_stdin.or(Some(replay.ignore_stdin)),
        match_cwd: options.match_cwd.or(Some(replay.match_cwd)),
    }
}

fn checked_latency(latency: &Latency) -> Result<Latency, SettingsError> {
    let (is_fine, found) = match latency {
        Latency::Constant(ms) => (*ms <= MAX_LATENCY_MS, ms.to_string()),
        Latency::Range([least, most]) => {
            let is_fine = least <= most && *most <= MAX_LATENCY_MS;
            (is_fine, format!("[{least}, {most}]"))
        }
        Latency::Named(_) => (true, String::new()),
    };
    let checked = is_fine.then(|| latency.clone());
    checked.ok_or(SettingsError::Latency { found })
}

fn checked_percent(percent: f64) -> Result<f64, SettingsError> {
    let checked = (0.0..=100.0).contains(&percent).then_some(percent);
    checked.ok_or(SettingsError::ErrorRate { found: percent })
}

/// Returns whether a text can be the tag of a tape.
pub fn is_tag(text: &str) -> bool {
    (1..=MAX_TAG_BYTES).contains(&text.len()) && !text.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(options: TapeOptions, replay: &ReplayDefaults) -> Result<TapeSettings, String> {
        TapeSettings::over(&options, replay, Path::new("/base")).map_err(|error| error.to_string())
    }

    fn options() -> TapeOptions {
        TapeOptions::default()
    }

    #[test]
    fn a_request_comes_before_the_configuration_and_that_before_the_defaults() {
        let defaults = over(options(), &ReplayDefaults::default()).unwrap();
        assert_eq!(defaults.root, Path::new("/base/tapes"));
        assert_eq!(defaults.record, RecordMode::Disabled);
        assert_eq!(defaults.fallback, FallbackMode::NotFound);
        assert_eq!((defaults.latency, defaults.error_rate), (None, None));
        assert!(defaults.summary && defaults.redact && !defaults.strict);
        let replay = ReplayDefaults {
            record: RecordMode::New,
            latency: Some(Latency::Constant(5)),
            error_rate: 50.0,
            strict: true,
            redact: false,
            ignore_stdin: true,
            ..ReplayDefaults::default()
        };
        let configured = over(options(), &replay).unwrap();
        assert_eq!(configured.record, RecordMode::New);
        assert_eq!(configured.latency, Some(Latency::Constant(5)));
        assert_eq!(configured.error_rate, Some(50.0));
        assert!(configured.strict && !configured.redact);
        assert_eq!(configured.matching.ignore_stdin, Some(true));
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
        // No errors, whatever the tape says.
        assert_eq!(requested.error_rate, Some(0.0));
        assert!(!requested.strict && requested.redact);
        assert_eq!(requested.matching.ignore_stdin, Some(false));
    }

    #[test]
    fn silence_has_no_summary() {
        let replay = ReplayDefaults {
            silent: true,
            ..ReplayDefaults::default()
        };
        assert!(!over(options(), &replay).unwrap().summary);
    }
}
