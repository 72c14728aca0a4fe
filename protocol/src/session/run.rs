//! Commands in a shell session.

use crate::timeout::Timeout;
use serde::{Deserialize, Serialize};

/// Parameters of `session.run`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionRunParams {
    pub session: String,
    pub command: String,
    /// Run on a second terminal, so that output of the shell's earlier background jobs is not mixed in.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub isolate: bool,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub timeout_ms: Timeout,
    /// Chosen by the client. A repetition with the same value does not run the command again: it waits for the first one
    /// and gets its outcome, up to 60 s after the end, even from the next worker (with `isolate`, only from the same
    /// worker).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
}

/// Reply of `session.run`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionRunReply {
    /// Control sequences are kept; only `\r\n` becomes `\n`.
    pub output: String,
    /// The same as bytes, if it is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_b64: Option<String>,
    /// Exit status; 128 + N after signal N, as in shells. Null only if the shell ended without a known exit status.
    pub exit_code: Option<i32>,
    /// Same as `exit_code`, even after a signal.
    pub exitstatus: Option<i32>,
    pub duration_ms: u64,
    /// The output was cut at 16 MiB.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Set if the output was cut: the offset where the rest begins, for `session.read`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<u64>,
    pub start: u64,
    pub end: u64,
    /// The command ended the session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub session_ended: bool,
    /// Values of the request that were corrected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
