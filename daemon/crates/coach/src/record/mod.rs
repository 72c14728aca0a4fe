//! What is kept of hook payloads: the events in `events.sqlite`, and the payloads without secrets in `ccd.sqlite`.

mod clip;
mod events;
mod payloads;
mod query;
mod schema;
mod selection;

pub(crate) use clip::clip;
pub(crate) use events::{EventWrite, Recorded, selected_events};
pub(crate) use payloads::{PayloadRow, PayloadWrite, payloads_of, selected_payloads};
pub(crate) use query::{
    Filter, PROMPT_ID, TOOL_USE_ID, by_day, contexts_of, counts, mutes, page, pending, projects,
    successes, taken,
};
pub(crate) use schema::EVENTS;
pub(crate) use selection::Selection;
