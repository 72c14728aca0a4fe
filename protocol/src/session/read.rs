//! Reading output.

use serde::{Deserialize, Serialize};

/// Parameters of `session.read`. Without bounds: all that is in memory.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionReadParams {
    pub session: String,
    /// Offset of the first byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// With `since` the first so many lines, else the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// With `since` the first so many bytes, else the last: at most 16 MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// Bytes as they came, as `data_b64`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
}

/// Reply of `session.read`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionReadReply {
    /// Without control sequences; invalid bytes as U+FFFD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_b64: Option<String>,
    /// Offset of the first byte that is returned: what is missing before it counts as omitted.
    pub start: u64,
    /// Where to read on.
    pub end: u64,
    /// More was asked for than is returned.
    pub truncated: bool,
    /// Bytes of the asked range that are not in this reply: cut off, lost to a gap, or deleted.
    pub omitted_bytes: u64,
    /// Of a session with `pipes`: what of it is standard error, as first offset and the one behind the last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<[u64; 2]>,
}
