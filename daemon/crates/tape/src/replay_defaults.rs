//! Defaults for tapes: the group `replay` of the configuration.

use ccd_protocol::tape::{FallbackMode, IgnoredArg, Latency, RecordMode};
use std::path::PathBuf;

/// The defaults for what a request does not set.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
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
}

/// An absolute path. `None`, written to the file as an empty text, means a default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OptionalPath(pub Option<PathBuf>);

impl Default for Replay {
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
        }
    }
}
