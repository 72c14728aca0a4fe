//! HTTP/1.1 connections: POST requests, and the handshake of WebSockets. hyper parses them.

mod handshake;
mod post;
mod serve;
mod stream;

pub(super) use serve::serve;
