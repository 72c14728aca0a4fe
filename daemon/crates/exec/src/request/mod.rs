//! A request to run Claude Code, checked once.

mod check;
mod error;
#[cfg(test)]
mod request_tests;
mod tools;

pub use check::{Conversation, Defaults, PermissionMode, Request};
pub use error::{MAX_INSTRUCTION_BYTES, RequestError};
pub use tools::ToolConfig;
