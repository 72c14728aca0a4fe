//! Commands in a shell, and programs that are run once.

mod command;
mod far;
mod kept;
mod on_tape;
mod once;
mod one_shot;
mod running;
mod second_terminal;
mod target;
mod typing;

pub(super) use far::FarShell;
pub(crate) use kept::KeptCommand;
pub(super) use on_tape::CommandOnTape;
pub(super) use once::is_script;
pub use once::{OnceResult, OutputPart, Runner};
pub use one_shot::OneShot;
pub(super) use running::Runs;
