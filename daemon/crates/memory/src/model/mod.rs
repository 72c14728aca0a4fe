//! What all parts share: limits, shares, times, texts that are shown in part.

mod limits;
mod text;
mod time;

pub use limits::{Cuts, MAX_BYTES, Notes, Provenance};
pub(crate) use limits::{
    MAX_BLOCKERS, MAX_ERRORS, MAX_FAILURES, MAX_FILES, MAX_NEXT_TASKS, MAX_SERVERS, MAX_STEPS,
    READ_FAILURES, percentage,
};
pub(crate) use text::{MESSAGE_CHARS, TITLE_CHARS, clip, one_line};
pub(crate) use time::{age, is_time, since};
