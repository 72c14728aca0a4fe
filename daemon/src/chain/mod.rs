//! Chains, parallel commands and watched programs: jobs that use a session per command.

mod bench;
mod bench_state;
mod condition;
mod error;
mod parallel;
mod plan;
mod run;
mod shape;
mod shared;
mod watch;

pub(crate) use bench::Work;
pub(crate) use error::ChainError;
pub(crate) use plan::{Mode, Plan, numbers, refuse_secrets};
pub(crate) use shape::unknown_fields;
