//! What is kept of hook payloads: the events in `events.sqlite`, and the payloads without secrets in `ccd.sqlite`.

mod clip;
mod events;
mod payloads;
mod query;
mod schema;

pub(crate) use clip::clip;
pub(crate) use events::{EventWrite, Recorded, RecordedSignal};
pub(crate) use payloads::{PayloadRow, PayloadWrite, payload_count, payloads_of};
pub(crate) use query::{
    Counts, Filter, PROMPT_ID, TOOL_USE_ID, by_day, contexts_of, counts, mutes, page, pending,
    projects, successes, taken,
};
pub(crate) use schema::EVENTS;
