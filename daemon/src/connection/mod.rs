//! The transport: JSON-RPC in three forms on one Unix socket.
//!
//! The first byte of a connection selects the form. A capital letter means HTTP (a POST, or a GET that becomes a
//! WebSocket), which jsonrpsee serves; anything else means one message per line, served here. Handlers see no
//! difference: each call passes through the same [`guard`] and finds its [`Peer`](ccd_session::peer::Peer) in the
//! request's extensions.

mod accept;
mod credentials;
mod fault;
mod guard;
mod http;
mod limits;
mod lines;
mod outgoing;
mod request;
mod service;
mod socket;
#[cfg(test)]
mod tests;
mod whole_body;

pub(crate) use accept::{Ends, serve};
pub(crate) use limits::{Limits, Settings};
