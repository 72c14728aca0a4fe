//! What tapes do where a request does not say: the group `replay` of the configuration.

use ccd_protocol::tape::{FallbackMode, IgnoredArg, Latency, RecordMode};
use std::path::PathBuf;

/// What tapes do where a request does not say.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Replay {
    pub(crate) tapes_path: OptionalPath,
    pub(crate) record: RecordMode,
    pub(crate) fallback: FallbackMode,
    /// `None`: as the tape says.
    pub(crate) latency: Option<Latency>,
    /// Percent.
    pub(crate) error_rate: f64,
    pub(crate) summary: bool,
    pub(crate) silent: bool,
    pub(crate) debug: bool,
    pub(crate) allow_env: Vec<String>,
    pub(crate) ignore_env: Vec<String>,
    pub(crate) ignore_args: Vec<IgnoredArg>,
    pub(crate) ignore_stdin: bool,
    pub(crate) match_cwd: bool,
    pub(crate) strict: bool,
    pub(crate) redact: bool,
    pub(crate) redact_rules: Vec<String>,
}

/// An absolute path; `None`, which the file writes as an empty text, means a default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct OptionalPath(pub(crate) Option<PathBuf>);

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
