//! How a session uses tapes: the options, and the result.

use crate::named::named;
use serde::{Deserialize, Serialize};
use serde_with::{apply, skip_serializing_none};

named! {
    /// Which exchanges (see ExchangeRecord) are recorded.
    RecordMode {
        /// Exchanges that are on no tape.
        New = "new",
        /// Exchanges that are already on a tape, in place.
        Overwrite = "overwrite",
        Disabled = "disabled",
    }
}

named! {
    /// What happens to an input that is on no tape.
    FallbackMode {
        /// The error `tape_miss`.
        NotFound = "not_found",
        /// The real program.
        Proxy = "proxy",
    }
}

/// Delays during replay.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Latency {
    /// N milliseconds before each chunk; 0: no delay. (On a tape, 0 means as recorded.)
    Constant(u64),
    /// A random number of milliseconds between the first and the second, generated from `seed`.
    Range([u64; 2]),
    /// `"recorded"`: the recorded delays.
    Named(LatencyName),
}

named! {
    /// A named delay.
    LatencyName {
        Recorded = "recorded",
    }
}

/// The `tape` of `session.create`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeOptions {
    /// Absolute path of the tape directory. Default: the configuration key `replay.tapes_path`, otherwise `tapes` in
    /// the base directory.
    pub root: Option<String>,
    /// Default: `replay.record` (disabled).
    pub record: Option<RecordMode>,
    /// Default: `replay.fallback` (not_found).
    pub fallback: Option<FallbackMode>,
    /// Delays of a replay. Default: as the tape says. A new tape stores it, and replays with it by default.
    pub latency: Option<Latency>,
    /// Percentage of replayed exchanges with an injected error, 0 to 100. A new tape stores it, as `latency`.
    pub error_rate: Option<f64>,
    /// Random seed for injected errors and for a latency range. Default: `replay.seed`, otherwise the tape's, otherwise
    /// 0. A new tape stores it, as `latency`.
    pub seed: Option<u64>,
    /// Accept exact matches only, never a similar exchange.
    pub strict: Option<bool>,
    /// Label stored in the tape's `meta` and used at the start of its name. Default: `replay.tag` (none).
    pub tag: Option<String>,
    /// Template of the tape's path relative to its root, without `.json5`: `{program}`, `{tag}`, `{verb}` (the
    /// first argument), `{time}`, `{random}`. Default: `replay.name` (`{program}/{tag}-{time}-{random}`).
    pub name: Option<String>,
    /// List new and unused tapes at the end. Default: `replay.summary` (true).
    pub summary: Option<bool>,
    /// Changes to what is recorded. Default: `replay.decorators` (none).
    pub decorators: Option<Vec<Decorator>>,
    /// False: secrets are kept, and the tape is marked accordingly. Default: `replay.redact` (true).
    pub redact: Option<bool>,
    #[serde(default, rename = "match")]
    pub matching: Option<MatchOptions>,
}

/// What is compared to find a matching exchange.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MatchOptions {
    /// Environment variables to record and compare; a name can end in `*`. Default: LANG, LC_*, TERM, TZ.
    pub allow_env: Option<Vec<String>>,
    /// Variables to record but not compare.
    pub ignore_env: Option<Vec<String>>,
    /// Arguments to exclude from the comparison: by index (0 is the first), by exact text, or `/regex/`.
    pub ignore_args: Option<Vec<IgnoredArg>>,
    /// Ignore the input: exchanges match by their position alone.
    pub ignore_stdin: Option<bool>,
    /// Compare the working directory. Default false.
    pub match_cwd: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum IgnoredArg {
    Index(u64),
    /// Exact text, or a regular expression between slashes.
    Text(String),
}

/// Changes recorded data; each use is noted in the annotations.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Decorator {
    pub on: DecoratorTarget,
    /// A regular expression; requires `with`.
    pub replace: Option<String>,
    /// Replacement for each match; `$1` is its first group.
    pub with: Option<String>,
    /// Program and arguments of a filter that reads standard input and writes standard output. It is not run by a
    /// shell.
    pub filter: Option<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DecoratorTarget {
    Input,
    Output,
    /// The whole tape, as JSON.
    Tape,
}

/// How a session used tapes: `tape` of its record.
#[skip_serializing_none]
#[apply(Vec<_> => #[serde(default, skip_serializing_if = "Vec::is_empty")])]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeUse {
    pub root: String,
    pub record: Option<RecordMode>,
    pub fallback: Option<FallbackMode>,
    /// Exchanges that were answered from tapes.
    pub hits: u64,
    /// Inputs that were on no tape.
    pub misses: u64,
    /// Errors that were injected.
    pub injected: u64,
    /// Exchanges that the real program answered instead of a tape.
    pub proxied: u64,
    /// Exchanges recorded so far.
    pub recorded: u64,
    /// Exchanges that were not recorded, because they were already on a tape.
    pub known: u64,
    /// Tapes that were replayed.
    pub used: Vec<String>,
    /// Tapes that were written; known once the program has exited.
    pub new: Vec<String>,
    /// The same as `new`, under an earlier name.
    pub written: Vec<String>,
    /// Tapes of the root that this session neither replayed nor wrote; only for an ended session with `summary`, and not
    /// in `session.list`.
    pub unused: Option<Vec<String>>,
    /// The last miss, as an error message.
    pub last_miss: Option<String>,
    /// Why recording failed.
    pub problem: Option<String>,
}
