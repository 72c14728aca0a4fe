//! Commands in a shell, and programs that are run once.

mod command;
mod foreground;
mod on_tape;
mod once;
mod one_shot;
mod prompt;
mod second_terminal;

pub(super) use on_tape::CommandOnTape;
pub(super) use once::is_script;
pub use once::{Once, Part};
pub use one_shot::OneShot;
