//! The payload of a hook, read leniently.
//!
//! - `tree`: any JSON value with its texts clipped
//! - `hook_event`: [`HookEvent`], the kind of a payload
//! - `read`: [`Payload`], what the detection needs of it
//! - `error`: [`PayloadError`]

mod error;
mod hook_event;
#[cfg(test)]
mod payload_tests;
mod read;
mod tree;

pub use error::PayloadError;
pub use hook_event::HookEvent;
pub use read::{BatchCall, Payload, ToolInput, ToolResponse};
pub use tree::MAX_TEXT_BYTES;
