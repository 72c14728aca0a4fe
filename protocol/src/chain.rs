//! Commands in a row, side by side, and a program that is watched: all of them jobs.

use crate::method::{Done, NoParams, methods};
use crate::session::Pattern;
use crate::timeout::Timeout;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

methods! {
    ChainList = "chain.list" (NoParams) -> ChainListReply, "Lists the saved chains.";
    ChainGet = "chain.get" (ChainParams) -> Chain, "Returns a saved chain.";
    ChainSave = "chain.save" (ChainSaveParams) -> ChainSaveReply, "Checks a chain and saves it under a name, in place of the one that has it.";
    ChainDelete = "chain.delete" (ChainParams) -> Done, "Deletes a saved chain.";
    ChainRun = "chain.run" (ChainRunParams) -> ChainStarted, "Starts a job that runs a chain's steps in order; an entry of the job is a ChainStep, its result is {steps, success, ran, failed, skipped}.";
    ChainParallel = "chain.parallel" (ChainParallelParams) -> ChainStarted, "Starts a job that runs commands side by side; an entry of the job is a ParallelCommand, its result is {results, succeeded, failed}, in the order of the commands.";
    ChainWatch = "chain.watch" (ChainWatchParams) -> ChainStarted, "Starts a job that runs a program, or looks at a session, and reports each match of the patterns as it comes; an entry of the job is a WatchHit, its result is {hits, exit_code, signal, timed_out}. At the time-out it ends at once, and the program behind it.";
}

/// A chain: commands in a row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Chain {
    /// The same as `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name under which it is saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// 1 to 256 steps.
    pub commands: Vec<ChainCommand>,
    /// Working directory, absolute. Default: the caller's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Seconds that each step may take. Default: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// Run all steps in one shell.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// Run each step in a shell of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shell: bool,
}

/// A step of a chain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainCommand {
    /// The name of its chain; set by the daemon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain_id: Option<String>,
    /// Steps run in this order. Default: 1 more than the step before it in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence_order: Option<i64>,
    /// Program and arguments, in quotes as for a shell; no shell reads them unless the chain has `shared` or `shell`.
    pub command: String,
    /// A regular expression that the output must match, but not the empty text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect_pattern: Option<String>,
    /// A line to type, unseen, once `expect_pattern` has matched; without that, the whole input. In a shared shell, what
    /// the command does not read of a typed line is read by the shell. Absent: the command finds the end of its input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub send_text: Option<String>,
    /// Run the step only if this holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Condition>,
    /// Run the step only if no step has failed so far.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_success: bool,
    /// Run the step only if the last one that ran has failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_failure: bool,
}

/// A condition on earlier steps: all that is given must hold. One that cannot be evaluated, because the step that it
/// looks at did not run, does not hold, and neither does its negation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Condition {
    /// The step that is looked at: negative ones count back from this step, others are a `sequence_order`. Default -1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    /// A regular expression; `^` and `$` are the ends of lines. With more than 16 MiB of output it cannot be evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_matches: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any: Option<Vec<Condition>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all: Option<Vec<Condition>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not: Option<Box<Condition>>,
}

/// Names a saved chain.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainParams {
    pub name: String,
}

/// Reply of `chain.list`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainListReply {
    pub chains: Vec<ChainSummary>,
}

/// A saved chain in short.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainSummary {
    pub name: String,
    pub step_count: usize,
    pub cwd: Option<String>,
    pub timeout: Option<f64>,
    pub shared: bool,
    pub shell: bool,
    /// Why it cannot be run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Parameters of `chain.save`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainSaveParams {
    pub name: String,
    #[cfg_attr(feature = "schema", schemars(with = "Chain"))]
    pub chain: serde_json::Value,
}

/// Reply of `chain.save`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainSaveReply {
    /// As it was saved.
    pub chain: Chain,
    /// There was one of the name before.
    pub replaced: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Parameters of `chain.run`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainRunParams {
    /// A saved chain; or give `chain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The chain itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Chain>"))]
    pub chain: Option<serde_json::Value>,
    /// Run all steps in one `sh`, so that `cd` and variables last, and each command is what a shell takes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// Run each step by `sh -c`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shell: bool,
    /// Milliseconds that each step may take, instead of the chain's `timeout`.
    #[serde(default, skip_serializing_if = "Timeout::is_default")]
    pub timeout_ms: Timeout,
    /// Working directory, instead of the chain's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Working directory where the chain has none. Default: the user's home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller_cwd: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// As in `session.create`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller_env: Option<BTreeMap<String, String>>,
}

/// Reply of what starts such a job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainStarted {
    pub job: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Parameters of `chain.parallel`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainParallelParams {
    /// Each a program and its arguments, in quotes as for a shell; at most 1,000.
    pub commands: Vec<String>,
    /// Run so many at a time, 1 to 64; default 10. There may be fewer places for sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_concurrent: Option<u64>,
    /// Milliseconds that each command may take. Default: no limit.
    #[serde(default, skip_serializing_if = "Timeout::is_default")]
    pub timeout_ms: Timeout,
    /// Run each command by `sh -c`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shell: bool,
    /// Working directory, absolute. Default: the user's home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// As in `session.create`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller_env: Option<BTreeMap<String, String>>,
}

/// Parameters of `chain.watch`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainWatchParams {
    /// Program to run until it ends or the time is over; or give `session`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub program: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// A session to look at, which goes on afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// With `session`: the offset from which on hits count. Default: what comes from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// `regex` and `exact` ones; `^` and `$` are the ends of lines, and `^` holds right behind a hit too.
    pub patterns: Vec<Pattern>,
    /// Default: no limit.
    #[serde(default, skip_serializing_if = "Timeout::is_default")]
    pub timeout_ms: Timeout,
    /// End after so many hits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_hits: Option<u64>,
    /// Run `program` by `sh -c`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shell: bool,
    /// Working directory, absolute. Default: the user's home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// As in `session.create`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller_env: Option<BTreeMap<String, String>>,
}

/// What became of a step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainStep {
    pub sequence_order: i64,
    pub ran: bool,
    /// Why it did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped_reason: Option<String>,
    #[serde(flatten)]
    pub result: CommandResult,
}

/// What became of one of several commands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ParallelCommand {
    /// Its place in the request, from 0.
    pub index: usize,
    #[serde(flatten)]
    pub result: CommandResult,
}

/// How a command ended. Secrets that are found in it are masked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandResult {
    pub command: String,
    /// At most its last 256 KiB; at most its last 3 KiB once the job has 4 MiB of outputs. Bytes that are no text are
    /// U+FFFD. What was typed hidden is `<hidden>`, secrets that are recognised are `***`.
    pub output: String,
    /// So many bytes before `output` were left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub omitted_bytes: u64,
    /// What came behind `output` is left out too: a step in a shared shell has printed more than 16 MiB.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// It ended by itself with status 0, and its `expect_pattern` came.
    pub success: bool,
    /// Why it is no success, where the status does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    pub duration_ms: u64,
}

/// A match in the output of what is watched. Secrets that are found in it are masked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WatchHit {
    /// Index of the pattern in the request.
    pub index: usize,
    pub pattern: String,
    pub matched: String,
    /// Groups of the expression; the first is the whole match.
    pub groups: Vec<Option<String>>,
    /// The line that it stands in, as far as it had come; at most 4,000 bytes before and behind.
    pub line: String,
    pub offset: u64,
    pub end: u64,
    pub time: String,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
