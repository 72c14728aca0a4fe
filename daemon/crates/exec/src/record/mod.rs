//! `exec.sqlite`: conversations, runs, and what was said; also the audit log.

mod read;
mod schema;
mod write;

pub(crate) use read::{OpenRun, RecordReader};
pub(crate) use schema::EXEC;
pub(crate) use write::{ExecWrite, ExecutionRow, Outdated, PreparedRun, RemovedRuns, RunOutcome};
