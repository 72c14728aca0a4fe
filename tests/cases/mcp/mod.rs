//! MCP: agents drive sessions through `ccctl mcp`.

mod agent;
mod bad_input;
mod foreign;
mod policy;
mod resources;
mod restart;
mod sessions;
mod tools;
