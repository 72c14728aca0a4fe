//! Tapes: recordings of terminal programs that can stand in for them.

mod forms;
mod options;

pub use options::{
    Decorator, DecoratorTarget, FallbackMode, IgnoredArg, Latency, LatencyName, MatchOptions,
    RecordMode, TapeOptions, TapeUse,
};

use crate::method::methods;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

methods! {
    TapeList = "tape.list" (TapeListParams) -> TapeListReply, "Lists the tapes of a root.";
    TapeGet = "tape.get" (TapeParams) -> TapeRecord, "Returns a tape: its facts, and its exchanges as text.";
    TapeValidate = "tape.validate" (TapeValidateParams) -> TapeValidateReply, "Reads tapes and tells what is wrong in them, with file, line and column.";
    TapeRedact = "tape.redact" (TapeRedactParams) -> TapeRedactReply, "Takes secrets out of tapes that have some; without `inplace` it only tells what it would do.";
    TapeDiff = "tape.diff" (TapeDiffParams) -> TapeDiffReply, "Compares two tapes, after normalisation.";
    TapeImport = "tape.import" (TapeImportParams) -> TapeImportReply, "Makes a tape of an asciicast (version 2 or 3).";
    TapeExport = "tape.export" (TapeExportParams) -> TapeExportReply, "Returns a tape as an asciicast or as readable text.";
    TapeSvg = "tape.svg" (TapeSvgParams) -> TapeSvgReply, "Draws the screen that a tape shows: its end, or all of it as an animation.";
    TapeVerify = "tape.verify" (TapeVerifyParams) -> TapeVerifyStarted, "Starts a job that runs the real program with a tape's inputs and compares what it answers; its result is a TapeVerdict.";
    TapePrune = "tape.prune" (TapePruneParams) -> TapePruneReply, "Removes tapes that nothing has played; without `unused` or with `dry_run` it only tells which.";
}

/// Parameters of `tape.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeListParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// True: only tapes that were played. False: only those that were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<bool>,
    /// Only tapes of this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Default 1,000, at most 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Only tapes behind this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// Reply of `tape.list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeListReply {
    pub root: String,
    /// In the order of their ids.
    pub tapes: Vec<TapeSummary>,
    /// Tapes that cannot be used.
    pub problems: Vec<TapeProblem>,
    /// How many there are, with those that the limit left out.
    pub total: u64,
}

/// A tape in a list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeSummary {
    /// The path below the root, without `.json5`.
    pub tape_id: String,
    pub program: String,
    pub args: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    pub created_at: String,
    pub exchanges: u64,
    pub bytes: u64,
    /// How the program ended, if it did: `exit 0`, `signal 9`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// Exchanges that were played since it was recorded.
    pub used: u64,
    /// When it was last played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<String>,
    #[serde(flatten)]
    pub begin: TapeBegin,
}

/// Where in the conversation a tape begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeBegin {
    /// It does not begin with the program's start: what comes before was on other tapes when it was recorded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begins_in_middle: bool,
    /// The exchange that leads to such a tape; none where it can no longer play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins_behind: Option<TapePlace>,
}

/// An exchange of a tape.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapePlace {
    pub tape_id: String,
    pub exchange: u64,
}

/// What is wrong in a tape.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeProblem {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// What is wrong and what to do.
    pub message: String,
    /// The tape plays nevertheless.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_warning: bool,
}

/// Parameters of `tape.get`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Its id, a unique part of it, or an absolute path.
    pub tape: String,
    /// With the components of each exchange's key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keys: bool,
}

/// A tape, for reading.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// An exchange, for reading.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExchangeRecord {
    pub index: u64,
    pub prompt: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_hash: Option<String>,
    /// What was typed, as text; bytes that are none stand as `\xNN`.
    pub input: String,
    /// What was printed, as text without control sequences; at most 64 KiB of it.
    pub output: String,
    pub output_bytes: u64,
    pub chunks: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<TapeExit>,
    pub dur_ms: u64,
    pub annotations: serde_json::Value,
    /// The line in the file where it begins.
    pub line: u64,
    /// With `keys`: the components of its key, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<BTreeMap<String, String>>,
}

/// How a recorded program ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeValidateParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Only this tape. Default: all of the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tape: Option<String>,
    /// Unknown keys and missing parts count too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
}

/// Reply of `tape.validate`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeValidateReply {
    pub root: String,
    /// Tapes that were read.
    pub checked: u64,
    /// True when nothing but warnings was found, with what was left out.
    pub valid: bool,
    /// At most 1,000, the errors before the warnings.
    pub problems: Vec<TapeProblem>,
    /// How many more there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

/// Parameters of `tape.redact`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeRedactParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Only this tape. Default: all of the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tape: Option<String>,
    /// Rewrite the tapes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inplace: bool,
}

/// Reply of `tape.redact`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeRedactReply {
    pub root: String,
    pub checked: u64,
    /// The tapes with secrets in them.
    pub tapes: Vec<RedactedTape>,
    /// They were rewritten.
    pub is_done: bool,
    /// Tapes that could not be read or written.
    pub problems: Vec<TapeProblem>,
}

/// A tape with secrets in it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RedactedTape {
    pub tape_id: String,
    pub removed: u64,
    /// Where they stand: `meta.args[1]`, `exchanges[3].output`; at most 100.
    pub places: Vec<String>,
}

/// Parameters of `tape.diff`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeDiffParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    pub a: String,
    pub b: String,
}

/// Reply of `tape.diff`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeDiffReply {
    pub a: String,
    pub b: String,
    pub equal: bool,
    /// In unified form; at most 10,000 lines.
    pub diff: String,
}

/// Parameters of `tape.import`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeImportParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The asciicast's text. One of `cast` and `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cast: Option<String>,
    /// The asciicast's file, absolute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What it is a recording of. Default: what the asciicast says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Default true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redact: Option<bool>,
}

/// Reply of `tape.import`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeImportReply {
    pub tape_id: String,
    pub path: String,
    pub exchanges: u64,
    /// What of the asciicast a tape has no place for.
    pub warnings: Vec<String>,
}

/// Parameters of `tape.export`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeExportParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    pub tape: String,
    pub format: TapeFormat,
}

/// A form of a tape.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TapeFormat {
    #[serde(alias = "asciicast-v2")]
    AsciicastV2,
    #[default]
    #[serde(alias = "asciicast-v3")]
    AsciicastV3,
    /// Readable text: prompts with what was typed, and what came back.
    Transcript,
    /// What the program has printed, as it is.
    Output,
}

/// Reply of `tape.export`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeExportReply {
    pub tape_id: String,
    pub text: String,
    /// Bytes that are no UTF-8 were replaced.
    pub is_lossy: bool,
    /// Where they were, the bytes themselves of `output`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_b64: Option<String>,
}

/// Parameters of `tape.svg`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeSvgParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    pub tape: String,
    /// All of it as an animation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub animated: bool,
    /// The still after this exchange. Default: the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<u64>,
    /// Times as fast. Default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// Longest pause, in seconds. Default 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_limit_s: Option<f64>,
}

/// Reply of `tape.svg`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeSvgReply {
    pub tape_id: String,
    pub svg: String,
    /// Pictures of the animation; 1 of a still.
    pub frames: u64,
}

/// Parameters of `tape.verify`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeVerifyParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    pub tape: String,
    /// Working directory, absolute. Default: the tape's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller_env: Option<BTreeMap<String, String>>,
    /// How long an answer may take. Default 30 s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// What is typed where the tape has a hidden input, in their order; never stored. Without it such an input is a drift.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
}

/// Reply of `tape.verify`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeVerifyStarted {
    pub job: String,
}

/// Result of a job of `tape.verify`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeVerdict {
    pub tape_id: String,
    /// The program answers as the tape does.
    pub same: bool,
    /// Exchanges that were compared.
    pub exchanges: u64,
    pub drifts: Vec<TapeDrift>,
}

/// An exchange whose answer is another one now.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapeDrift {
    pub index: u64,
    pub input: String,
    /// What differs: `output`, `exit` (also: it has ended already, or goes on), `timeout`; or `hidden`: the tape does not
    /// have what was typed.
    pub what: String,
    pub diff: String,
}

/// Parameters of `tape.prune`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapePruneParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// Remove tapes that were never played.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unused: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Only those recorded longer ago than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older_than_s: Option<f64>,
}

/// Reply of `tape.prune`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TapePruneReply {
    pub root: String,
    /// The tapes that were, or would be, removed.
    pub tapes: Vec<String>,
    pub bytes: u64,
    pub is_done: bool,
    /// Tapes that could not be removed.
    pub problems: Vec<TapeProblem>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
