//! From a request to a running program.

mod create;
mod environment;
mod plan;
mod start_up;

pub(super) use plan::{StartPlan, checked_id, checked_size};
pub(super) use start_up::{INPUT_PATIENCE, Origin, StartUp};
