//! One-shot programs.

use crate::Inherited;
use crate::method::methods;
use crate::session::Pattern;
use crate::timeout::Timeout;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::collections::BTreeMap;

methods! {
    RunOnce = "run.once" (RunOnceParams) -> RunOnceReply, "Runs a program in its own terminal until it exits, and returns its output and exit status.";
}

/// Parameters of `run.once`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunOnceParams {
    /// Program or, with `shell`, a command line for `sh -c`. Optional with `script`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub program: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Run `program` with `sh -c`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shell: bool,
    /// Patterns to wait for, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Pattern>,
    /// Lines to send: the first after the first pattern of `expect`, and so on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub send: Vec<String>,
    /// End the input after the last entry of `expect` and `send`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub end_input: bool,
    /// Strings that the output must contain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contains: Vec<String>,
    /// Text of a script, which is passed to the interpreter `with` as a file.
    pub script: Option<String>,
    /// Interpreter of `script`.
    pub with: Option<String>,
    /// Standard input, followed by end-of-file.
    pub stdin_b64: Option<String>,
    /// When the program is ended. Default: the configuration key `max_session_runtime`.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub timeout_ms: Timeout,
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    #[serde(flatten)]
    pub inherited: Inherited,
    /// Keep the session's output, as that of any session that has ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
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
