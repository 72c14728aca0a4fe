//! Tapes: recordings of programs that can be replayed in their place.

mod forms;
mod options;

pub use options::{
    Decorator, DecoratorTarget, FallbackMode, IgnoredArg, Latency, LatencyName, MatchOptions,
    RecordMode, TapeOptions, TapeUse,
};

use crate::Inherited;
use crate::image::ImageStyle;
use crate::method::{JobStarted, methods};
use serde::{Deserialize, Serialize};
use serde_with::{apply, skip_serializing_none};
use std::collections::BTreeMap;

methods! {
    TapeList = "tape.list" (TapeListParams) -> TapeListReply, "Lists the tapes in a directory.", Large;
    TapeGet = "tape.get" (TapeParams) -> TapeRecord, "Returns a tape: its metadata, and its exchanges as text.", Large;
    TapeValidate = "tape.validate" (TapeValidateParams) -> TapeValidateReply, "Reads tapes and reports problems by file, line and column.";
    TapeRedact = "tape.redact" (TapeRedactParams) -> TapeRedactReply, "Redacts secrets in tapes; without `inplace`, only reports them.";
    TapeDiff = "tape.diff" (TapeDiffParams) -> TapeDiffReply, "Compares program, arguments, inputs, outputs and exit of two tapes. Any two times count as equal, and so do UUIDs, `0x…` numbers, process ids, temporary paths and home directories.", Large;
    TapeImport = "tape.import" (TapeImportParams) -> TapeImportReply, "Converts an asciicast (version 1, 2 or 3) into a tape.";
    TapeExport = "tape.export" (TapeExportParams) -> TapeExportReply, "Returns a tape as an asciicast or as readable text.", Large;
    TapeSvg = "tape.svg" (TapeSvgParams) -> TapeSvgReply, "Draws the screen of a tape: after its last exchange or a given one, or the whole tape as an animation.", Large;
    TapeVerify = "tape.verify" (TapeVerifyParams) -> JobStarted, "Starts a job that runs the real program with a tape's inputs and compares the program's answers with the tape. The job's result is {tape_id, same, exchanges, not_compared, drifts}. Each drift is {index, input, what, diff}, where `what` is `output`, `exit`, `timeout` or `hidden`.";
    TapePrune = "tape.prune" (TapePruneParams) -> TapePruneReply, "Removes tapes that were never replayed; without `unused`, or with `dry_run`, only lists them.";
}

/// Parameters of `tape.list`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeListParams {
    /// Directory of the tapes, as in TapeOptions.
    pub root: Option<String>,
    /// True: only tapes that have been replayed. False: only tapes that have not.
    pub used: Option<bool>,
    /// Only tapes of this program.
    pub program: Option<String>,
    /// Default 1,000, at most 10,000.
    pub limit: Option<u64>,
    /// Only tapes whose ids come after this one.
    pub after: Option<String>,
}

/// Reply of `tape.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeListReply {
    pub root: String,
    /// In the order of their ids.
    pub tapes: Vec<TapeSummary>,
    /// Tapes that cannot be used.
    pub problems: Vec<TapeProblem>,
    /// Number of tapes, including those beyond the limit.
    pub total: u64,
}

/// A tape in a list.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeSummary {
    /// The path relative to the root, without `.json5`.
    pub tape_id: String,
    pub program: String,
    pub args: Vec<String>,
    pub tag: Option<String>,
    pub created_at: String,
    pub exchanges: u64,
    pub bytes: u64,
    /// How the program ended, if it ended: `exit 0`, `signal 9`.
    pub ended: Option<String>,
    /// Number of exchanges that have been replayed since the tape was recorded.
    pub used: u64,
    /// When the tape was last replayed.
    pub used_at: Option<String>,
    #[serde(flatten)]
    pub begin: TapeBegin,
}

/// Whether a tape starts with the program or continues another tape.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeBegin {
    /// The tape does not start with the program's start: when it was recorded, the exchanges before it were on other
    /// tapes.
    pub begins_in_middle: bool,
    /// The exchange after which such a tape continues; absent if there is none, in which case the tape
    /// cannot be replayed.
    pub begins_behind: Option<TapePlace>,
}

/// An exchange of a tape.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapePlace {
    pub tape_id: String,
    pub exchange: u64,
}

/// A problem in a tape.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeProblem {
    pub path: String,
    pub line: Option<u64>,
    pub column: Option<u64>,
    /// The problem, and what to do.
    pub message: String,
    /// The tape can be replayed nevertheless.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_warning: bool,
}

/// Parameters of `tape.get`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeParams {
    /// Directory of the tapes, as in TapeOptions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Tape id, a unique part of one, or an absolute path.
    pub tape: String,
    /// Include the components of each exchange's key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keys: bool,
}

/// A tape, for reading.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeRecord {
    pub tape_id: String,
    pub path: String,
    /// As in the file.
    pub meta: serde_json::Value,
    /// As in the file.
    pub session: serde_json::Value,
    #[serde(flatten)]
    pub begin: TapeBegin,
    pub exchanges: Vec<ExchangeRecord>,
}

/// An exchange, for reading: one input and the output that follows it, up to the next input. Exchange 0 is the start of
/// the program, with an empty input.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExchangeRecord {
    pub index: u64,
    /// The text after the last line break of the output before the input.
    pub prompt: String,
    /// Hash of all inputs before this one.
    pub state_hash: Option<String>,
    /// The input as text; bytes that are not text appear as `\xNN`.
    pub input: String,
    /// True if the recording ended in the middle of the input.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub unfinished: bool,
    /// The output as text without control sequences; at most 64 KiB.
    pub output: String,
    pub output_bytes: u64,
    pub chunks: u64,
    pub exit: Option<TapeExit>,
    pub dur_ms: u64,
    pub annotations: serde_json::Value,
    /// The line of the file on which it starts.
    pub line: u64,
    /// With `keys`: the components of the exchange's key, by name.
    pub key: Option<BTreeMap<String, String>>,
}

/// How a recorded program ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeExit {
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

/// The stream that a program between pipes printed something to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stream {
    #[default]
    Stdout,
    Stderr,
}

/// Parameters of `tape.validate`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeValidateParams {
    /// Directory of the tapes, as in TapeOptions.
    pub root: Option<String>,
    /// Only this tape. Default: all tapes of the root.
    pub tape: Option<String>,
    /// Treat unknown, missing and duplicate keys, and impossible values, as errors instead of warnings.
    pub strict: bool,
}

/// Reply of `tape.validate`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeValidateReply {
    pub root: String,
    /// Number of tapes that were read.
    pub checked: u64,
    /// True if no problem is an error, in the list or among those left out of it.
    pub valid: bool,
    /// At most 1,000; errors before warnings.
    pub problems: Vec<TapeProblem>,
    /// Number of further problems.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub left_out: u64,
}

/// Parameters of `tape.redact`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeRedactParams {
    /// Directory of the tapes, as in TapeOptions.
    pub root: Option<String>,
    /// Only this tape. Default: all tapes of the root.
    pub tape: Option<String>,
    /// Rewrite the tapes.
    pub inplace: bool,
}

/// Reply of `tape.redact`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeRedactReply {
    pub root: String,
    pub checked: u64,
    /// The tapes that contain secrets.
    pub tapes: Vec<RedactedTape>,
    /// The tapes were rewritten.
    pub is_done: bool,
    /// Tapes that could not be read or written.
    pub problems: Vec<TapeProblem>,
}

/// A tape that contains secrets.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RedactedTape {
    pub tape_id: String,
    pub removed: u64,
    /// Where the secrets are: `meta.args[1]`, `exchanges[3].output`; at most 100.
    pub places: Vec<String>,
}

/// Parameters of `tape.diff`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeDiffParams {
    /// Directory of the tapes, as in TapeOptions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    pub a: String,
    pub b: String,
}

/// Reply of `tape.diff`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeDiffReply {
    pub a: String,
    pub b: String,
    pub equal: bool,
    /// The differences in unified format; at most 10,000 lines.
    pub diff: String,
}

/// Parameters of `tape.import`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeImportParams {
    /// Directory of the tapes, as in TapeOptions.
    pub root: Option<String>,
    /// The asciicast as text. Give either `cast` or `path`.
    pub cast: Option<String>,
    /// Absolute path of the asciicast.
    pub path: Option<String>,
    /// The recorded program. Default: the one named in the asciicast.
    pub program: Option<String>,
    pub args: Vec<String>,
    pub tag: Option<String>,
    /// Default true.
    pub redact: Option<bool>,
}

/// Reply of `tape.import`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeImportReply {
    pub tape_id: String,
    pub path: String,
    pub exchanges: u64,
    /// Parts of the asciicast that were not imported or had to be guessed.
    pub warnings: Vec<String>,
}

/// Parameters of `tape.export`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeExportParams {
    /// Directory of the tapes, as in TapeOptions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    pub tape: String,
    pub format: TapeFormat,
    /// Return only the part that starts at this byte, as much as fits into a reply. Default: all of it, or an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
}

/// Output format of `tape.export`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TapeFormat {
    #[serde(alias = "asciicast-v2")]
    AsciicastV2,
    #[default]
    #[serde(alias = "asciicast-v3")]
    AsciicastV3,
    /// Readable text: prompts with the input, and the output.
    Transcript,
    /// The program's output, unchanged.
    Output,
}

/// Reply of `tape.export`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeExportReply {
    pub tape_id: String,
    pub text: String,
    /// Bytes that are not UTF-8 were replaced.
    pub is_lossy: bool,
    /// With `is_lossy` and format `output`: the original bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_b64: Option<String>,
    /// `from` of the next part; null after the last one, or without `from`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

/// Parameters of `tape.svg`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeSvgParams {
    /// Directory of the tapes, as in TapeOptions.
    pub root: Option<String>,
    pub tape: String,
    /// Draw the whole tape as an animation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub animated: bool,
    /// Draw the screen after this exchange. Default: the last one.
    pub exchange: Option<u64>,
    /// Speed factor. Default 1.
    pub speed: Option<f64>,
    /// Longest pause, in seconds. Default 2.
    pub idle_limit_s: Option<f64>,
    /// How long the last image of an animation is shown before it starts again, in seconds. Default 2.
    pub end_pause_s: Option<f64>,
    #[serde(flatten)]
    pub image: ImageStyle,
}

/// Reply of `tape.svg`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeSvgReply {
    pub tape_id: String,
    pub svg: String,
    /// Number of frames; 1 without animation.
    pub frames: u64,
}

/// Parameters of `tape.verify`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeVerifyParams {
    /// Directory of the tapes, as in TapeOptions.
    pub root: Option<String>,
    pub tape: String,
    /// Working directory, absolute. Default: the tape's.
    pub cwd: Option<String>,
    #[serde(flatten)]
    pub inherited: Inherited,
    /// Maximum time for an answer. Default 30 s.
    pub timeout_ms: Option<u64>,
    /// The hidden inputs, in their order on the tape; never stored. A hidden input without a secret is an
    /// entry of `drifts` with `what` `hidden`; from there on, nothing is compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
}

/// Result of a job of `tape.verify`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeVerdict {
    pub tape_id: String,
    /// The program gives the same answers as the tape.
    pub same: bool,
    /// Number of exchanges that were compared.
    pub exchanges: u64,
    /// Number of exchanges that were not compared, because a hidden input was not given.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub not_compared: u64,
    pub drifts: Vec<TapeDrift>,
}

/// An exchange to which the program now gives a different answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapeDrift {
    pub index: u64,
    pub input: String,
    /// What differs: `output`, `exit` (including that it exited early or keeps running) or `timeout`; or `hidden`: the
    /// hidden input was not given in `secrets`.
    pub what: String,
    pub diff: String,
}

/// Parameters of `tape.prune`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapePruneParams {
    /// Directory of the tapes, as in TapeOptions.
    pub root: Option<String>,
    /// Remove tapes that were never replayed.
    pub unused: bool,
    pub dry_run: bool,
    /// Only tapes that were recorded more than this many seconds ago.
    pub older_than_s: Option<f64>,
}

/// Reply of `tape.prune`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TapePruneReply {
    pub root: String,
    /// The tapes that were, or would be, removed.
    pub tapes: Vec<String>,
    pub bytes: u64,
    pub is_done: bool,
    /// Tapes that could not be removed.
    pub problems: Vec<TapeProblem>,
}
