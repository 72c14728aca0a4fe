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
    },
    /// The subscriber was too slow, or the output is gone: go on reading at `to`.
    Lagged { lagged: Lagged },
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
