//! Commands in a shell, and programs that are run once.

mod command;
mod foreground;
mod on_tape;
mod once;
mod one_shot;
mod prompt;
mod second_terminal;

pub(crate) use on_tape::CommandOnTape;
pub(crate) use once::{Once, Part, is_script};
pub(crate) use one_shot::OneShot;
