//! The transport: JSON-RPC in three forms on one Unix socket.
//!
//! The first byte of a connection selects the form. A capital letter means HTTP (a POST, or a GET that becomes a
//! WebSocket); anything else means one message per line. Lines and WebSockets are the same [`exchange`] of messages in two
//! [`framing`]s. Handlers see no difference: each call passes through the same [`guard`] and finds its
//! [`Peer`](ccd_session::peer::Peer) in the request's extensions, and a subscription its [`Room`].

mod accept;
mod credentials;
mod exchange;
mod fault;
mod framing;
#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
mod guard;
mod http;
mod limits;
mod mcp;
mod outgoing;
mod request;
mod room;
mod service;
mod socket;
#[cfg(test)]
mod tests;
mod websocket;

pub(crate) use accept::{Ends, Listeners, Served, serve};
pub(crate) use limits::{Limits, Settings};
pub(crate) use mcp::Agents;
pub(crate) use request::LARGE_BYTES;
pub(crate) use room::{Disconnected, Place, Room};
