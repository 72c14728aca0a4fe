//! The interaction log: who typed what into a session, and what came back.
//!
//! Rows are made beside the calls, never on their way. They wait for a moment in memory, so that
//! typed text can be judged by what the terminal showed of it, and are written in batches.

mod event;
mod form;
mod nearby;
mod recorder;
mod row;
mod table;

pub use event::{About, Event, Subject, Typed};
pub use form::{Form, Inexact};
pub use recorder::{JUDGEMENT, Pending, Recorder};
pub use row::{SEND_CHARS, shown_args, shown_command, shown_input, shown_output};
pub use table::{InteractionRow, TrimInteractions, interactions, recorded_upto};
