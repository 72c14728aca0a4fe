//! The executor: runs of Claude Code without a person in front of it.

mod run;

pub use run::{DirtyWorktree, ExecRunParams, ExecutionStatus, OutputFormat};
