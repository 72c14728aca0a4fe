//! Output and screen.

use crate::spelling::any_case;
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
}

/// How `session.screen` draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ScreenFormat {
    /// Lines of text.
    #[default]
    Text,
    /// Lines of text, and runs of equally styled cells.
    Cells,
    /// Comes with pictures; refused as `unavailable` until then.
    Svg,
}

/// Parameters of `session.screen`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionScreenParams {
    pub session: String,
    #[serde(default, deserialize_with = "any_case")]
    pub format: ScreenFormat,
}

/// Reply of `session.screen`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionScreenReply {
    pub rows: u16,
    pub cols: u16,
    pub cursor: Cursor,
    /// One text a row, trailing blanks removed.
    pub lines: Vec<String>,
    pub title: String,
    /// The program uses the alternate screen.
    pub alternate: bool,
    /// Offset of the output up to which the screen was drawn.
    pub offset: u64,
    /// Runs of equally styled cells, a list a row (format `cells`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<serde_json::Value>,
}

/// Where the cursor is, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cursor {
    pub row: u16,
    pub col: u16,
    pub visible: bool,
}
