//! One-shot programs.

use crate::Inherited;
use crate::method::methods;
use crate::session::Pattern;
use crate::timeout::Timeout;
use serde::{Deserialize, Serialize};
use serde_with::apply;
use std::collections::BTreeMap;

methods! {
    RunOnce = "run.once" (RunOnceParams) -> RunOnceReply, "Runs a program in its own terminal until it exits, and returns its output and exit status.";
}

/// Parameters of `run.once`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunOnceParams {
    /// Program or, with `shell`, a command line for `sh -c`. Optional with `script`.
    pub program: String,
    pub args: Vec<String>,
    /// Run `program` with `sh -c`.
    pub shell: bool,
    /// Patterns to wait for, in order.
    pub expect: Vec<Pattern>,
    /// Lines to send: the first after the first pattern of `expect`, and so on.
    pub send: Vec<String>,
    /// End the input after the last entry of `expect` and `send`.
    pub end_input: bool,
    /// Strings that the output must contain.
    pub contains: Vec<String>,
    /// Text of a script, which is passed to the interpreter `with` as a file.
    pub script: Option<String>,
    /// Interpreter of `script`.
    pub with: Option<String>,
    /// Standard input, followed by end-of-file.
    pub stdin_b64: Option<String>,
    /// When the program is ended. Default: the configuration key `max_session_runtime`.
    pub timeout_ms: Timeout,
    pub cwd: Option<String>,
    pub env: BTreeMap<String, String>,
    #[serde_with(skip_apply)]
    #[serde(flatten)]
    pub inherited: Inherited,
    /// Keep the session's output, as that of any session that has ended.
    pub keep_output: bool,
}

/// Reply of `run.once`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunOnceReply {
    /// The program's output; invalid bytes become U+FFFD.
    pub output: String,
    /// The same as bytes, if it is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_b64: Option<String>,
    /// The output was cut at 16 MiB.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub duration_ms: u64,
    /// The program was ended at `timeout_ms`.
    pub timed_out: bool,
    /// Its session, whose record and history can still be read; with `keep_output`, its output too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Strings of `contains` and patterns of `expect` that did not appear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Values of the request that were corrected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
