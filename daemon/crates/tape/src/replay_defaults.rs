//! Defaults for tapes: the group `replay` of the configuration.

use super::name::NameTemplate;
use ccd_protocol::tape::{Decorator, FallbackMode, IgnoredArg, Latency, RecordMode};
use std::path::PathBuf;

/// The defaults for what a request does not set.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayDefaults {
    pub tapes_path: OptionalPath,
    pub record: RecordMode,
    pub fallback: FallbackMode,
    /// `None`: as on the tape.
    pub latency: Option<Latency>,
    /// Percentage.
    pub error_rate: f64,
    pub summary: bool,
    pub silent: bool,
    pub debug: bool,
    pub allow_env: Vec<String>,
    pub ignore_env: Vec<String>,
    pub ignore_args: Vec<IgnoredArg>,
    pub ignore_stdin: bool,
    pub match_cwd: bool,
    pub strict: bool,
    pub redact: bool,
    pub redact_rules: Vec<String>,
    /// `None`: the seed of each tape.
    pub seed: Option<u64>,
    pub decorators: Vec<Decorator>,
    pub name: NameTemplate,
    pub tag: OptionalTag,
    /// How long what is stored about tapes is kept after they were last used; tapes themselves are always kept.
    pub retention_days: u32,
}

/// A tag. `None`, written to the file as an empty text, means none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OptionalTag(pub Option<String>);

/// An absolute path. `None`, written to the file as an empty text, means a default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OptionalPath(pub Option<PathBuf>);

impl Default for ReplayDefaults {
    fn default() -> Self {
        Self {
            tapes_path: OptionalPath(None),
            record: RecordMode::Disabled,
            fallback: FallbackMode::NotFound,
            latency: None,
            error_rate: 0.0,
            summary: true,
            silent: false,
            debug: false,
            allow_env: ["LANG", "LC_*", "TERM", "TZ"].map(str::to_owned).to_vec(),
            ignore_env: Vec::new(),
            ignore_args: Vec::new(),
            ignore_stdin: false,
            match_cwd: false,
            strict: false,
            redact: true,
            redact_rules: Vec::new(),
            seed: None,
            decorators: Vec::new(),
            name: NameTemplate::default(),
            tag: OptionalTag(None),
            retention_days: 90,
        }
    }
}
