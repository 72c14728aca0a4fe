//! From a request to a running program.

mod create;
mod environment;
mod plan;
mod start_up;
mod words;

pub(super) use plan::{Plan, size};
pub(super) use start_up::{INPUT_PATIENCE, Origin, StartUp};
