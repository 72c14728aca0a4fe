//! The transport: one Unix socket that speaks JSON-RPC in three dialects.
//!
//! The first byte of a connection tells them apart. A capital letter is HTTP (a POST, or a GET that
//! becomes a WebSocket), which jsonrpsee serves; everything else is one message a line, served here.
//! Handlers see no difference: each call passes the same [`guard`] and finds its [`Peer`] in the
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

pub(crate) use accept::{Ends, serve};
pub(crate) use limits::{Limits, Settings};
