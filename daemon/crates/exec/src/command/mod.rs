//! How Claude Code is started.

mod conversation_id;
mod environment;
mod invocation;
mod settings;

pub use conversation_id::ConversationId;
pub(crate) use environment::is_removed;
pub use invocation::{RunStart, arguments};
pub use settings::settings;
