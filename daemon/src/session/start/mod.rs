//! From a request to a running program.

mod create;
mod environment;
mod plan;
mod start_up;

pub(crate) use plan::{Plan, size};
pub(crate) use start_up::{INPUT_PATIENCE, Origin, StartUp};
