//! What a session does with tapes: what is asked for, and what came of it.

use serde::{Deserialize, Serialize};

/// What is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RecordMode {
    /// Exchanges that no tape has.
    #[serde(alias = "NEW")]
    New,
    /// Exchanges that a tape has, in their place.
    #[serde(alias = "OVERWRITE")]
    Overwrite,
    #[serde(alias = "DISABLED")]
    Disabled,
}

/// What answers when no tape does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FallbackMode {
    /// The error `tape_miss`.
    #[serde(alias = "NOT_FOUND")]
    NotFound,
    /// The real program.
    #[serde(alias = "PROXY")]
    Proxy,
}

/// How fast a tape plays.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Latency {
    /// So many milliseconds before each chunk; 0: none. (In a tape 0 is as recorded.)
    Constant(u64),
    /// Between the first and the second, drawn from `seed`.
    Range([u64; 2]),
    /// `"recorded"`: the delays of the tape.
    Named(LatencyName),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LatencyName {
    Recorded,
}

/// The `tape` of `session.create`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeOptions {
    /// Folder of the tapes, absolute. Default: `replay.tapes_path`, else `tapes` in the base folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Default: `replay.record` (disabled).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordMode>,
    /// Default: `replay.fallback` (not_found).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<FallbackMode>,
    /// Default: as the tape says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// Percent of exchanges that play with an injected error, 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_rate: Option<f64>,
    /// Of the errors and of a latency range. Default: the tape's, else 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Only exact matches: no exchange stands in for another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strict: Option<bool>,
    /// Begins the name of the tape, and stands in its `meta`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Template of the tape's name below its root, without `.json5`: `{program}`, `{tag}`, `{verb}`, `{time}`, `{random}`.
    /// Default: `{program}/{tag}-{time}-{random}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Lists new and unused tapes at the end. Default: `replay.summary` (true).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decorators: Vec<Decorator>,
    /// False: secrets are kept, and the tape says so. Default: `replay.redact` (true).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redact: Option<bool>,
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matching: Option<MatchOptions>,
}

/// What counts for a match.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchOptions {
    /// Variables that are recorded and compared; a `*` at the end stands for any rest. Default: LANG, LC_*, TERM, TZ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_env: Option<Vec<String>>,
    /// Of those, the ones that are not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore_env: Option<Vec<String>>,
    /// Arguments that are not compared: by index (0 is the first), by exact text, or `/regex/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore_args: Option<Vec<IgnoredArg>>,
    /// Any input matches: only its place in the conversation counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore_stdin: Option<bool>,
    /// The working directory is compared. Default false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_cwd: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum IgnoredArg {
    Index(u64),
    /// Exact text, or a regular expression between slashes.
    Text(String),
}

/// Something that changes what is recorded, and is noted in the annotations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Decorator {
    pub on: DecoratorTarget,
    /// A regular expression; goes with `with`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replace: Option<String>,
    /// What comes in place of each match; `$1` is its first group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// Program and arguments of a filter, from standard input to standard output. No shell reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DecoratorTarget {
    Input,
    Output,
    /// The tape as a whole, as JSON.
    Tape,
}

/// What tapes did for a session: its record's `tape`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeUse {
    pub root: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<FallbackMode>,
    /// Exchanges that were answered from tapes.
    pub hits: u64,
    /// Inputs that no tape had.
    pub misses: u64,
    /// Errors that were injected.
    pub injected: u64,
    /// Exchanges that the real program answered in place of a tape.
    pub proxied: u64,
    /// Exchanges that were recorded, so far or in all.
    pub recorded: u64,
    /// Exchanges that a tape had already, and were not recorded.
    pub known: u64,
    /// Tapes that were played.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used: Vec<String>,
    /// Tapes that were written; known once the program has ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<String>,
    /// Tapes of this program that nothing has played; only of an ended session whose `summary` is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unused: Option<Vec<String>>,
    /// The last input that no tape had, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_miss: Option<String>,
    /// What went wrong with writing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}
