//! The interaction log: which client typed what into a session, and what the program printed.
//! Rows are made outside the calls, so that they delay none. They wait in memory for a moment, because typed text is
//! judged by what the terminal showed of it, and are written in batches.

mod event;
mod form;
mod recorder;
mod row;
mod table;

pub use event::{About, Failure, HistoryEvent, JUDGEMENT, Subject, TypedText};
pub use form::{Inexact, InputForm};
pub use recorder::{InteractionRecorder, PendingInteractions};
pub use row::{SEND_CHARS, shown_command, shown_fact, shown_input, shown_output, shown_words};
pub use table::{InteractionRow, TrimInteractions, interactions, recorded_upto};
