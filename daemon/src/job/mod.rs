//! Jobs: long work with an owner, progress, a list of what it has done or found, an end, and a record that stays.

mod entries;
mod jobs;
mod record;
mod running;
mod table;

pub(crate) use jobs::{JobError, Jobs, MAX_WAIT};
pub(crate) use running::{JobHandle, Outcome};
