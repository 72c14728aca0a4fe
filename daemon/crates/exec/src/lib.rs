//! Runs of Claude Code: how one is requested and started, what its stream says, what it changed, and how it ended.
//!
//! - `executor`: [`Executor`], the owner of all runs
//! - `queue`: which runs may work now
//! - `run`: one run: the work tree before and after, the program while it works
//! - `tape`: a tape that answers in place of Claude Code, and the recording of a run
//! - `record`: `exec.sqlite`, with conversations and the audit log
//!
//! Pure, without a runtime, processes or files:
//!
//! - `request`: a request, checked
//! - `command`: the arguments, environment and settings of Claude Code
//! - `stream`: what it prints, folded into facts
//! - `verdict`: success, failure or time-out, and why
//! - `stdout_as`: what it would have printed in another format
//!
//! Layers, top first; none uses one before it: `executor` → `tape` → `run`, `record` → `command`, `verdict`,
//! `stdout_as`, `error` → `queue`, `request`, `stream`, `settings`.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

pub mod command;
mod error;
mod executor;
#[cfg(test)]
mod fixture_tests;
mod queue;
mod record;
pub mod request;
mod run;
mod settings;
mod stdout_as;
pub mod stream;
mod tape;
mod verdict;

pub use error::ExecError;
pub use executor::{Executor, Finish, Planned};
pub use run::live::Watcher;
pub use settings::{ExecPaths, ExecSettings};
