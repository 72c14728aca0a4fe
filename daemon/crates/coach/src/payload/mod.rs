//! The payload of a hook, read leniently.

mod error;
mod hook_event;
#[cfg(test)]
mod payload_tests;
mod read;

pub use error::PayloadError;
pub use hook_event::HookEvent;
pub(crate) use read::json;
pub use read::{Payload, ToolCall};
