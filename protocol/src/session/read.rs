//! Reading output.

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// Parameters of `session.read`. Without bounds: everything in memory.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionReadParams {
    pub session: String,
    /// Offset of the first byte.
    pub since: Option<u64>,
    /// Number of lines: with `since` the first ones, otherwise the last ones.
    pub lines: Option<u64>,
    /// Number of bytes: with `since` the first ones, otherwise the last ones; at most 16 MiB.
    pub max_bytes: Option<u64>,
    /// Return raw bytes, as `data_b64`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
}

/// Reply of `session.read`.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionReadReply {
    /// Without control sequences; invalid bytes as U+FFFD.
    pub text: Option<String>,
    pub data_b64: Option<String>,
    /// Offset of the first byte that is returned; missing bytes before it count as omitted.
    pub start: u64,
    /// Offset at which to continue reading.
    pub end: u64,
    /// Less is returned than was asked for.
    pub truncated: bool,
    /// Bytes of the requested range that are not in this reply: cut off, lost in a gap, or deleted.
    pub omitted_bytes: u64,
    /// For a session with `pipes`: the ranges that are standard error, each as start and end offset (end exclusive).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<[u64; 2]>,
}
