//! A request to run Claude Code, checked once.

mod check;
mod error;
#[cfg(test)]
mod request_tests;
mod tools;

pub use check::{Conversation, Defaults, MAX_INSTRUCTION_BYTES, PermissionMode, Request};
pub use error::RequestError;
pub use tools::ToolConfig;
