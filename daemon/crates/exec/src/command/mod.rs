//! How Claude Code is started.
//!
//! - `conversation_id`: [`ConversationId`], chosen before the run
//! - `invocation`: [`Invocation`], its arguments and standard input
//! - `settings`: the hook that enforces a policy
//! - `environment`: variables that it does not get

mod conversation_id;
mod environment;
mod invocation;
mod settings;

pub use conversation_id::{ConversationId, NotAnId};
pub use environment::{REMOVED_VARIABLES, is_removed};
pub use invocation::{Invocation, Start};
pub use settings::settings;
