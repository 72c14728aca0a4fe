//! The MCP server: an agent that speaks MCP gets the daemon's sessions, conversations, memory and tapes as tools and
//! resources.
//! `rmcp` speaks the protocol; each tool calls methods of the daemon, as any other client does.
//!
//! Layers, top first; none uses one before it: `connection` → `server`, `watching`, `resources` → `tools` → `output`,
//! `wait` → `transport` → `daemon` → `policy`.

mod connection;
mod daemon;
mod output;
mod policy;
mod resources;
mod server;
mod tools;
mod transport;
mod wait;
mod watching;

pub use connection::{Limits, serve};
pub use daemon::Daemon;
pub use policy::{Policy, Reach};
