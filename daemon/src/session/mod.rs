//! Sessions: programs on terminals of their own, which outlive every client.

mod adopt;
mod control;
mod create;
mod discarded;
mod durations;
mod end_of_input;
mod environment;
mod error;
mod expect;
mod input;
mod key_names;
mod keys;
mod leftovers;
mod live;
mod logger;
mod once;
mod paste;
mod persist;
mod pump;
mod queries;
mod read;
mod registry;
mod run;
mod screen;
mod second_terminal;
mod send;
mod shell;
mod task;
mod thread;
mod wait;

pub(crate) use error::{SessionError, describe_end, reason_text};
pub(crate) use live::Session;
pub(crate) use read::wait_for_published;
pub(crate) use registry::Sessions;
