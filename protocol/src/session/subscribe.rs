//! Live output.

use super::record::EndReason;
use serde::{Deserialize, Serialize};
use serde_with::apply;

/// Parameters of `session.subscribe`.
#[apply(_ => #[serde(default, skip_serializing_if = "crate::is_default")])]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionSubscribeParams {
    #[serde_with(skip_apply)]
    pub session: String,
    /// Offset of the first byte. Default: new output only.
    pub since: Option<u64>,
    /// Leave out queries to the terminal, for a client whose own terminal would answer them again.
    pub strip_queries: bool,
    /// Add `text` to each item.
    pub text: bool,
}

/// Parameters of `session.attach`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionAttachParams {
    pub session: String,
    /// Size of the client's terminal, 1 to 1,000 each. The session takes this size when the client attaches or types.
    pub rows: i64,
    pub cols: i64,
    /// View only: the session is never resized, and this connection may not type.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// The session in whose terminal the client runs, if any (`CCD_SESSION_ID`). Attaching to that session is rejected:
    /// its output would feed itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// Accept a session that has ended: its last screen is shown once, then its end. Otherwise it is rejected.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
}

/// One item of a subscription to output.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OutputItem {
    /// Number of the item in the subscription, from 0.
    pub seq: u64,
    #[serde(flatten)]
    pub event: OutputEvent,
}

/// Content of an [`OutputItem`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum OutputEvent {
    /// Output, in order.
    Output {
        start: u64,
        end: u64,
        data_b64: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// For a session with `pipes`: the ranges that are standard error, each as start and end offset (end
        /// exclusive).
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        stderr: Vec<[u64; 2]>,
    },
    /// The subscriber was too slow, or the output was deleted: the next item starts at `to`.
    Lagged { lagged: Lagged },
    /// Only when attached: replace everything that was shown before with this.
    Repaint { repaint: Repaint },
    /// The last item.
    Ended { ended: Ended },
    /// Nothing happened for a while; the subscription is still open.
    KeepAlive { keep_alive: bool },
}

/// Output that a subscriber missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Lagged {
    /// Offset of the first byte that was left out; `session.read {since}` may still return it.
    pub from: u64,
    /// Offset of the next item.
    pub to: u64,
}

/// The screen, drawn for the client's terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Repaint {
    /// Bytes to write to the client's terminal.
    pub data_b64: String,
    /// The session's size. If the client's terminal has another size, the visible part of the screen is sent again
    /// after each change; otherwise output follows.
    pub rows: u16,
    pub cols: u16,
    /// The drawing includes the output up to this offset.
    pub offset: u64,
}

/// How the session ended. `exitstatus` and `signal` are as in its record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Ended {
    pub exitstatus: Option<i32>,
    pub signal: Option<i32>,
    pub end_reason: Option<EndReason>,
    /// Offset of the end of the output.
    pub end: u64,
}
