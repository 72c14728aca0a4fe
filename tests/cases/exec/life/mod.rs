//! The process of a run: how it waits, starts, prints and ends. A script is in the place of Claude Code.

mod after_result;
mod bad_claude;
mod limits;
mod queue;
mod restart;
