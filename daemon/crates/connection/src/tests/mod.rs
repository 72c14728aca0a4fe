//! The transport through a real socket.

mod harness;
mod http;
mod lifecycle;
mod limits;
mod lines;
mod non_readers;
mod websocket;
