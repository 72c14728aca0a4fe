//! Which coding agent works, which one waits for its user, which one is done: facts in, states out. No files, no processes, no
//! clock.
//!
//! - `ledger`: all agents, who they are
//! - `progress`: what one of them does
//! - `screen`: what its screen shows
//! - `look`: what is seen of it from outside
//! - `transcript`: what the end of its transcript says
//! - `hook`: what a hook of Claude Code says; what it reports about itself in a file is in `ccd_conversation`
//! - `programs`: which programs are agents, and their marks
//!
//! Layers, top first; none uses one before it: `ledger` → `progress`, `screen`, `transcript` → `look`, `programs` → `hook` → `moment`,
//! `words`.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "tests fail by panicking"))]

mod hook;
mod ledger;
mod look;
mod moment;
mod programs;
mod progress;
mod screen;
mod transcript;
mod words;

pub use hook::HookPayload;
pub use ledger::{AgentSession, Entry, Ledger, MAX_AGENTS, NotFound, Origin, Process, Run, find};
pub use look::{Dialog, Look, Shown, Tail};
pub use moment::Moment;
pub use programs::{CLAUDE, Marks, Program, ProgramEntry, Programs};
pub use screen::read;
pub use transcript::tail;
