//! Looks at a project: collectors side by side, each with its own deadline, and the memory that their facts make.

mod assemble;
mod build;
mod comments;
mod dependencies;
mod facts;
mod git;
mod manifest;
mod open_point;
mod paths;
mod project;
mod readme;
mod recent;
mod recorded;
mod reports;
mod run;
mod servers;
mod tasks;
#[cfg(test)]
mod tests;

pub(crate) use assemble::{DESCRIBE, is_in, place, put_plan};
pub use facts::Collected;
pub(crate) use facts::{Finding, Plan, Sourced, SuiteFacts};
pub(crate) use git::conflicts;
pub(crate) use project::Project;
pub use recent::{recent, recent_of, uncommitted};
pub(crate) use recorded::OWN_LIST;
pub use recorded::{Recorded, RecordedPurpose, RecordedRun, RecordedTask};
pub(crate) use reports::reports;
pub use run::{COLLECT_LIMIT, collect};
pub(crate) use run::{Look, look, side_by_side};
pub(crate) use servers::sockets;
pub(crate) use tasks::plan;
