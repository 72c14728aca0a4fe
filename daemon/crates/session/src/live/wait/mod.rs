//! Waiting for patterns, silence, a prompt or the program's exit.

mod condition;
mod expect;
mod hits;

pub(super) use condition::{Silence, TUI_QUIET, is_fresh, is_of_tape, wait_idle};
pub use condition::{last_line, records_with_waiting};
pub(super) use condition::{recent_bytes, recent_text};
pub(super) use expect::process_ended;
pub use expect::text_of;
pub use hits::{LineHit, PatternHits};
