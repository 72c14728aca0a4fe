//! Chains, parallel commands and watched programs: jobs that use a session per command.

mod condition;
mod error;
mod job_context;
mod job_context_state;
mod parallel;
mod plan;
mod run;
mod shape;
mod shared;
mod watch;

pub(crate) use error::ChainError;
pub(crate) use job_context::Work;
pub(crate) use parallel::start_parallel;
pub(crate) use plan::{Mode, Plan, numbers, refuse_secrets};
pub(crate) use shape::unknown_fields;
pub(crate) use watch::start_watch;
