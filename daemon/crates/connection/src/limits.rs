//! Limits of connections.

use ccd_protocol::frame::FRAME_LIMIT_BYTES;
use std::time::Duration;

/// Settings of the transport. A connection keeps the settings from its start, so a reload affects only new connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Settings {
    pub limits: Limits,
    /// Whether a daemon that does not run as root serves root.
    pub allow_root_peer: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub connections: usize,
    /// Maximum number of unanswered calls of one connection.
    pub in_flight: usize,
    /// Maximum number of entries in one batch.
    pub batch: usize,
    /// Maximum length of one request, without its newline.
    pub frame_bytes: usize,
    /// Maximum length of one reply, or of all replies to one batch.
    pub reply_bytes: usize,
    /// Maximum length of the requests of all connections together: those that are being read, and those being handled.
    pub requests_bytes: usize,
    /// A message that is unfinished for this long is dropped when others need its memory.
    pub unfinished: Duration,
    pub subscriptions: u32,
    /// A client that reads nothing for this long, while data is waiting for it, is disconnected.
    pub write_stall: Duration,
    /// How long calls may keep running after the daemon was asked to stop, and notifications after their client has
    /// disconnected.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            in_flight: 256,
            batch: 100,
            frame_bytes: FRAME_LIMIT_BYTES,
            reply_bytes: 64 << 20,
            requests_bytes: 256 << 20,
            unfinished: Duration::from_secs(5),
            subscriptions: 64,
            write_stall: Duration::from_secs(30),
            grace: Duration::from_secs(2),
        }
    }
}
