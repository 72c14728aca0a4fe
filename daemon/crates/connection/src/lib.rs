//! The transport: JSON-RPC in three forms on one Unix socket.
//! The first byte of a connection selects the form. A capital letter means HTTP (a POST, or a GET that becomes a
//! WebSocket); anything else means one message per line. Lines and WebSockets are the same [`exchange`] of messages in two
//! [`framing`]s. Handlers see no difference: each call passes through the same [`guard`] and finds its
//! [`Peer`](ccd_session::peer::Peer) in the request's extensions, and a subscription its [`Room`].
//! `serve_with_graceful_shutdown` of jsonrpsee-server 0.26 could serve HTTP and WebSockets over the same stream, but not
//! within our limits. It spawns a task for each WebSocket message before a layer of ours could refuse it, so a client can
//! make it hold any number of messages; these tasks have no parent that could wait for them or end them. It waits for
//! ever for a client that reads nothing. It counts what waits to be sent in messages of up to 64 MiB, not in bytes. It
//! parses large messages, and the entries of a batch one after another, where all connections wait for it. Over HTTP it
//! carries calls on when the client has hung up. Lines would need the exchange all the same.
//!
//! Layers, top first; none uses one before it: `fuzzing` → `accept` → `http`, `exchange` → `mcp`, `service` → `guard`,
//! `method` → `framing`, `room`, `outgoing`, `request`, `shared`, `websocket` → `budget` → `intake` → `credentials`,
//! `fault`, `frame`, `limits`, `socket`.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::print_stderr,
        reason = "tests fail by panicking and print what they skip"
    )
)]

mod accept;
mod budget;
mod credentials;
mod exchange;
mod fault;
mod frame;
mod framing;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod guard;
mod http;
mod intake;
mod limits;
mod mcp;
mod method;
mod outgoing;
mod request;
mod room;
mod service;
mod shared;
mod socket;
#[cfg(test)]
mod tests;
mod websocket;

pub use accept::{Ends, Listeners, Served, serve};
pub use limits::{Limits, Settings};
pub use mcp::Agents;
pub use method::{Limited, Prepare, Prepared, Reply, Running, register, text};
pub use room::{Disconnected, Room, RoomPermit};
