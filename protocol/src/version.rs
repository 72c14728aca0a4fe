//! The protocol version, and how a request states its own.

use serde::{Deserialize, Serialize};

/// Incremented when a message changes in a way that an older client or daemon cannot ignore.
pub const PROTOCOL_VERSION: u32 = 1;

/// The top-level member `ccd` of a request: the client and its protocol version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Caller {
    /// [`PROTOCOL_VERSION`] of the client.
    pub protocol: u32,
    /// Name for the history; at most 64 bytes are stored.
    pub client: String,
}
