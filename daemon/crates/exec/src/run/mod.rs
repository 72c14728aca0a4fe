//! One run, from its start to its result.
//!
//! - `program`: where Claude Code is
//! - `files`: what it reads: the instruction, the policy, its settings
//! - `before`, `after`: the work tree before and after it
//! - `live`: the program while it works
//! - `output`: what it prints, in threads of its own
//! - `plain`: texts without secrets

pub(crate) mod after;
pub(crate) mod before;
pub(crate) mod files;
pub(crate) mod live;
mod output;
pub(crate) mod plain;
pub(crate) mod program;
