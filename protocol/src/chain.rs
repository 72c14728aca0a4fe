//! Jobs that run commands in order or in parallel, or watch a program.

use crate::Inherited;
use crate::method::{Done, NoParams, methods};
use crate::session::Pattern;
use crate::timeout::Timeout;
use serde::{Deserialize, Serialize};
use serde_with::{apply, skip_serializing_none};
use std::collections::BTreeMap;

methods! {
    ChainList = "chain.list" (NoParams) -> ChainListReply, "Lists the saved chains.";
    ChainGet = "chain.get" (ChainParams) -> Chain, "Returns a saved chain.";
    ChainSave = "chain.save" (ChainSaveParams) -> ChainSaveReply, "Checks a chain and saves it under a name; an existing chain of this name is replaced.";
    ChainDelete = "chain.delete" (ChainParams) -> Done, "Deletes a saved chain.";
    ChainRun = "chain.run" (ChainRunParams) -> ChainStarted, "Starts a job that runs a chain's steps in order. Each entry of the job is a ChainStep; the job's result is {steps, success, ran, failed, skipped}.";
    ChainParallel = "chain.parallel" (ChainParallelParams) -> ChainStarted, "Starts a job that runs commands in parallel. Each entry of the job is a ParallelCommand; the job's result is {results, succeeded, failed}, with the results in the order of the commands.";
    ChainWatch = "chain.watch" (ChainWatchParams) -> ChainStarted, "Starts a job that runs a program, or watches a session, and reports each match of the patterns as it appears. Each entry of the job is a WatchHit; the job's result is {hits, exit_code, signal, timed_out, session_id}. At the timeout the job ends at once; the program is ended afterwards.";
}

/// A chain: commands that run in order.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Chain {
    /// The same as `name`.
    pub id: Option<String>,
    /// The name under which the chain is saved.
    pub name: Option<String>,
    /// 1 to 256 steps.
    #[serde_with(skip_apply)]
    pub commands: Vec<ChainCommand>,
    /// Working directory, absolute. Default: the caller's.
    pub cwd: Option<String>,
    /// Timeout of each step in seconds. Default: the configuration key `max_session_runtime`.
    pub timeout: Option<f64>,
    /// Run all steps in one shell.
    pub shared: bool,
    /// Run each step in a shell of its own.
    pub shell: bool,
}

/// A step of a chain. It runs even if earlier steps failed, unless `condition`, `on_success` or `on_failure` says otherwise.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChainCommand {
    /// The name of the chain; set by the daemon.
    pub chain_id: Option<String>,
    /// Steps run in this order; each number is used once. Default: 1 more than the previous step in the list; 1 for the
    /// first.
    pub sequence_order: Option<i64>,
    /// Program and arguments, quoted as for a shell. They are not passed to a shell unless the chain has `shared` or
    /// `shell`.
    #[serde_with(skip_apply)]
    pub command: String,
    /// A regular expression that the output must match; it must not match empty text.
    pub expect_pattern: Option<String>,
    /// A line to type, without echo, after `expect_pattern` has matched. Without `expect_pattern`, it is the whole
    /// input. In a shared shell, any part of a typed line that the command does not read is read by the shell. Absent: the
    /// command's input is empty.
    pub send_text: Option<String>,
    /// Run the step only if this condition holds.
    pub condition: Option<Condition>,
    /// Run the step only if no step has failed so far.
    pub on_success: bool,
    /// Run the step only if the last step that ran has failed.
    pub on_failure: bool,
}

/// A condition on earlier steps: all given members must hold. If a condition cannot be evaluated, because the step that
/// it refers to did not run, neither it nor its negation holds.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Condition {
    /// The step to test: a negative number counts back from this step, any other is a `sequence_order`. Default -1.
    pub step: Option<i64>,
    pub success: Option<bool>,
    /// A regular expression; `^` and `$` match at the start and the end of each line. It cannot be evaluated if the
    /// output exceeds 16 MiB.
    pub output_matches: Option<String>,
    pub exit_code: Option<i32>,
    pub any: Option<Vec<Condition>>,
    pub all: Option<Vec<Condition>>,
    pub not: Option<Box<Condition>>,
}

/// Names a saved chain.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChainParams {
    pub name: String,
}

/// Reply of `chain.list`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChainListReply {
    pub chains: Vec<ChainSummary>,
}

/// Summary of a saved chain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChainSummary {
    pub name: String,
    pub step_count: usize,
    pub cwd: Option<String>,
    pub timeout: Option<f64>,
    pub shared: bool,
    pub shell: bool,
    /// Why the chain cannot be run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Parameters of `chain.save`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChainSaveParams {
    pub name: String,
    #[cfg_attr(test, schemars(with = "Chain"))]
    pub chain: serde_json::Value,
}

/// Reply of `chain.save`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChainSaveReply {
    /// The chain as it was saved.
    pub chain: Chain,
    /// An earlier chain of this name was replaced.
    pub replaced: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Parameters of `chain.run`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChainRunParams {
    /// Name of a saved chain. Give either this or `chain`.
    pub name: Option<String>,
    /// The chain itself.
    #[cfg_attr(test, schemars(with = "Option<Chain>"))]
    pub chain: Option<serde_json::Value>,
    /// Run all steps in one `sh`, so that `cd` and variables carry over, and commands can use shell syntax.
    pub shared: bool,
    /// Run each step with `sh -c`.
    pub shell: bool,
    /// Timeout of each step in milliseconds; overrides the chain's `timeout`. null: no limit.
    pub timeout_ms: Timeout,
    /// Working directory; overrides the chain's.
    pub cwd: Option<String>,
    /// Working directory if the chain has none. Default: the user's home.
    pub caller_cwd: Option<String>,
    pub env: BTreeMap<String, String>,
    #[serde_with(skip_apply)]
    #[serde(flatten)]
    pub inherited: Inherited,
}

/// Reply of `chain.run`, `chain.parallel` and `chain.watch`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChainStarted {
    pub job: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Parameters of `chain.parallel`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChainParallelParams {
    /// Each is a program and its arguments, quoted as for a shell; at most 1,000.
    #[serde_with(skip_apply)]
    pub commands: Vec<String>,
    /// Maximum number of commands that run at a time, 1 to 64; default 10. The limit on sessions may allow fewer.
    pub max_concurrent: Option<u64>,
    /// Timeout of each command in milliseconds, also for the wait while other sessions take all of `max_sessions`. Default:
    /// the configuration keys `max_session_runtime` and, for that wait, `default_timeout`.
    pub timeout_ms: Timeout,
    /// Run each command with `sh -c`.
    pub shell: bool,
    /// Working directory, absolute. Default: the user's home.
    pub cwd: Option<String>,
    pub env: BTreeMap<String, String>,
    #[serde_with(skip_apply)]
    #[serde(flatten)]
    pub inherited: Inherited,
}

/// Parameters of `chain.watch`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChainWatchParams {
    /// Program to run until it exits or the timeout is reached. Give either this or `session`.
    pub program: String,
    pub args: Vec<String>,
    /// A session to watch, which keeps running afterwards.
    pub session: Option<String>,
    /// With `session`: the offset at which to start. Default: new output only.
    pub since: Option<u64>,
    /// Patterns of the types `regex` and `exact`; `^` and `$` match at the start and the end of each line, and `^` also
    /// matches right after a match.
    #[serde_with(skip_apply)]
    pub patterns: Vec<Pattern>,
    /// When the watch ends. Default: for a program, the configuration key `max_session_runtime`; for a session, no
    /// limit.
    pub timeout_ms: Timeout,
    /// End after this many matches.
    pub max_hits: Option<u64>,
    /// Run `program` with `sh -c`.
    pub shell: bool,
    /// Working directory, absolute. Default: the user's home.
    pub cwd: Option<String>,
    pub env: BTreeMap<String, String>,
    #[serde_with(skip_apply)]
    #[serde(flatten)]
    pub inherited: Inherited,
}

/// Result of a step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChainStep {
    pub sequence_order: i64,
    pub ran: bool,
    /// Why the step did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped_reason: Option<String>,
    #[serde(flatten)]
    pub result: CommandResult,
}

/// Result of one of several commands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ParallelCommand {
    /// Its position in the request, from 0.
    pub index: usize,
    #[serde(flatten)]
    pub result: CommandResult,
}

/// Result of a command. Secrets that are found in it are masked.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CommandResult {
    pub command: String,
    /// The output: at most the last 256 KiB, or the last 3 KiB once the job has stored 4 MiB of outputs. Bytes that are
    /// not text become U+FFFD. Hidden input appears as `<hidden>`, and recognised secrets as `***`.
    pub output: String,
    /// Bytes left out at the start of `output`.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub omitted_bytes: u64,
    /// Only for a step in a shared shell: it printed more than 16 MiB, and the end of the output is missing too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    #[serialize_always]
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    /// The command exited by itself with status 0, and its `expect_pattern`, if it has one, matched.
    pub success: bool,
    /// Why the command failed, if the exit status does not say it.
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    pub duration_ms: u64,
    /// The session in which it ran, whose record and history can still be read.
    pub session_id: Option<String>,
}

/// A match in the watched output. Secrets that are found in it are masked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WatchHit {
    /// Index of the pattern in the request.
    pub index: usize,
    pub pattern: String,
    pub matched: String,
    /// Groups of the regular expression; the first is the whole match.
    pub groups: Vec<Option<String>>,
    /// The line that contains the match, as far as it had been printed; at most 4,000 bytes before and after the match.
    pub line: String,
    pub offset: u64,
    pub end: u64,
    pub time: String,
}
