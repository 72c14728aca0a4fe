//! A request to run Claude Code, checked once.

mod check;
mod error;
#[cfg(test)]
mod request_tests;

pub use check::{ConversationChoice, Defaults, RunRequest};
pub use error::RequestError;
