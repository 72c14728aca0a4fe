//! How Claude Code is started.

mod conversation_id;
mod environment;
mod invocation;
mod settings;

pub use conversation_id::{ConversationId, NotAnId};
pub use environment::{REMOVED_VARIABLES, is_removed};
pub use invocation::{Invocation, Start};
pub use settings::settings;
