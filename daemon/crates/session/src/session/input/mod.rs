//! Input: keys, text and pastes on their way to the terminal.

mod discarded;
mod echo;
mod end_of_input;
mod half_line;
mod piped;
mod send;
mod write;

pub(super) use discarded::{Fates, Reads};
pub(super) use end_of_input::LastLine;
pub(crate) use half_line::HalfLine;
pub(super) use write::{Input, InputError, Stopped, TerminalInput};
