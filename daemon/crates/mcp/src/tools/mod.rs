//! The tools: what each takes, what it does, and what it says.

mod call;
mod close;
mod list;
mod memory;
mod program;
mod read;
mod registry;
mod screen;
mod search;
mod send;
mod shell;
mod signal;
mod start;
mod tape;

pub(crate) use call::{Call, Mistake, ToolOutput};
pub(crate) use registry::{all, find};
pub(crate) use screen::text_of as screen_text;
pub(crate) use shell::end_own_shell;
