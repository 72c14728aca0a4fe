//! The protocol's version and how a request names its own.

use serde::{Deserialize, Serialize};

/// Grows when a message changes in a way that an older peer cannot ignore.
pub const PROTOCOL_VERSION: u32 = 1;

/// The top-level member `ccd` of a request: who asks, and in which version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Caller {
    /// [`PROTOCOL_VERSION`] of the client.
    pub protocol: u32,
    /// Name for the history, at most 64 bytes are kept.
    pub client: String,
}
