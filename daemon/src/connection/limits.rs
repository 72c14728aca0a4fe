//! What a connection may ask of the daemon.

use ccd_protocol::frame::FRAME_LIMIT_BYTES;
use std::time::Duration;

/// Settings of the transport; a connection keeps those of its start, so a reload concerns new ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Settings {
    /// Limits of every connection.
    pub(crate) limits: Limits,
    /// Whether root is served by a daemon that is not root's.
    pub(crate) allow_root_peer: bool,
}

/// Limits of one connection, and the number of connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Connections open at a time.
    pub(crate) connections: usize,
    /// Calls of one connection that are not answered yet.
    pub(crate) in_flight: usize,
    /// Entries of one batch.
    pub(crate) batch: usize,
    /// Length of one request, without its newline.
    pub(crate) frame_bytes: usize,
    /// Length of one reply, or of all replies to one batch.
    pub(crate) reply_bytes: usize,
    /// Subscriptions of one connection.
    pub(crate) subscriptions: u32,
    /// How long a client may take nothing of what is written to it before it is cut off.
    pub(crate) write_stall: Duration,
    /// How long calls may go on after the daemon was told to stop, and notifications after their
    /// client has left.
    pub(crate) grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            in_flight: 256,
            batch: 100,
            frame_bytes: FRAME_LIMIT_BYTES,
            reply_bytes: 64 << 20,
            subscriptions: 64,
            write_stall: Duration::from_secs(30),
            grace: Duration::from_secs(2),
        }
    }
}
