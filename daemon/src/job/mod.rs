//! Jobs: long-running work with an owner, progress, a list of results, an end, and a record that is kept.

mod entries;
mod jobs;
mod record;
mod running;
mod table;

pub(crate) use jobs::{JobError, Jobs, MAX_WAIT, new_id};
pub(crate) use running::{JobHandle, Outcome};
