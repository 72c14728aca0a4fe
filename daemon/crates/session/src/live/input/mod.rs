//! Input: keys, text and pastes on their way to the terminal.

mod discarded;
mod echo;
mod end_of_input;
mod half_line;
mod piped;
mod send;
mod write;

pub(super) use discarded::{Reads, WatchedInputs};
pub(super) use end_of_input::LastLine;
pub(crate) use half_line::HalfLine;
pub(super) use write::{InputError, SessionInput, Stopped, TerminalInput};
