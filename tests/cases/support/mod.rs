//! What all tests share: a real daemon in a home of its own, connections to it, the real client.

pub mod client;
pub mod connection;
pub mod daemon;
pub mod eventually;
pub mod markdown;
pub mod processes;
pub mod session;

pub use client::Ccctl;
pub use connection::{Connection, kind};
pub use daemon::Daemon;
pub use eventually::{eventually, rounds};
