//! Tapes in place of Claude Code.

use crate::tape::{FallbackMode, Latency, RecordMode, TapeOptions};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// The `tape` of `exec.run`: the options of TapeOptions that make sense for a run, under the same names. A run is one
/// exchange.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExecTapeOptions {
    /// Absolute path of the tape directory. Default: the configuration key `replay.tapes_path`, otherwise `tapes` in
    /// the base directory.
    pub root: Option<String>,
    /// `new`: a run that is on no tape; `overwrite`: a run that is on one. Default: `replay.record` (disabled).
    pub record: Option<RecordMode>,
    /// What happens to a run that is on no tape. Default: `replay.fallback` (not_found).
    pub fallback: Option<FallbackMode>,
    /// Delays of a replay. Default: as the tape says. A new tape stores it, and replays with it by default.
    pub latency: Option<Latency>,
    /// Random seed for a latency range. Default: `replay.seed`, otherwise the tape's, otherwise 0. A new tape stores it.
    pub seed: Option<u64>,
    /// Label stored in the tape's `meta` and used at the start of its name. Default: `replay.tag` (none).
    pub tag: Option<String>,
    /// Template of the tape's path, as in TapeOptions; `{verb}` is `exec`. Default: `replay.name`.
    pub name: Option<String>,
    /// False: secrets are kept, and the tape is marked accordingly. Default: `replay.redact` (true).
    pub redact: Option<bool>,
}

impl From<ExecTapeOptions> for TapeOptions {
    fn from(options: ExecTapeOptions) -> Self {
        let ExecTapeOptions {
            root,
            record,
            fallback,
            latency,
            seed,
            tag,
            name,
            redact,
        } = options;
        Self {
            root,
            record,
            fallback,
            latency,
            seed,
            tag,
            name,
            redact,
            ..Self::default()
        }
    }
}
