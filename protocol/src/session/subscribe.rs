//! Live output.

use super::record::EndReason;
use serde::{Deserialize, Serialize};

/// Parameters of `session.subscribe`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionSubscribeParams {
    pub session: String,
    /// Offset of the first byte; default: what comes from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// Leave out queries to the terminal, for a viewer whose own terminal would answer them again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strip_queries: bool,
    /// Adds `text` to each item.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub text: bool,
}

/// Parameters of `session.attach`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionAttachParams {
    pub session: String,
    /// Size of the viewer's terminal, 1 to 1,000 each. The session takes it over when the viewer attaches or types.
    pub rows: i64,
    pub cols: i64,
    /// Only looks: never changes the session's size, and may not type on this connection.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// The session in whose terminal the viewer runs, if it knows (`CCD_SESSION_ID`): its output would feed itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// A session that has ended is shown too: one picture of its screen, then its end. Otherwise it is refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
}

/// One item of a subscription to output.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutputItem {
    /// Counts the items of the subscription from 0.
    pub seq: u64,
    #[serde(flatten)]
    pub event: OutputEvent,
}

/// What an [`OutputItem`] tells.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum OutputEvent {
    /// Output, in order.
    Output {
        start: u64,
        end: u64,
        data_b64: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// Of a session with `pipes`: what of it is standard error, as first offset and the one behind the last.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        stderr: Vec<[u64; 2]>,
    },
    /// The subscriber was too slow, or the output is gone: go on reading at `to`.
    Lagged { lagged: Lagged },
    /// Only when attached: what to show now, in place of everything that was shown before.
    Repaint { repaint: Repaint },
    /// The last item.
    Ended { ended: Ended },
    /// Nothing happened for a while; tells that the subscription lives.
    KeepAlive { keep_alive: bool },
}

/// Output that a subscriber did not get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lagged {
    /// First byte that was left out; `session.read {since}` may still have it.
    pub from: u64,
    /// Offset of the next item.
    pub to: u64,
}

/// A drawing for a viewer's terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Repaint {
    /// Output that draws it.
    pub data_b64: String,
    /// The session's size. Where it is not the viewer's, a part of the screen is drawn again and again; else output follows.
    pub rows: u16,
    pub cols: u16,
    /// Offset of the output up to which it is drawn.
    pub offset: u64,
}

/// How the session ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ended {
    pub exitstatus: Option<i32>,
    pub signal: Option<i32>,
    pub end_reason: Option<EndReason>,
    /// Offset of the end of the output.
    pub end: u64,
}
