//! What is typed: keys, text and pastes on their way to the terminal.

mod discarded;
mod end_of_input;
mod piped;
mod send;
mod write;

pub(crate) use discarded::{Fates, Reads};
pub(crate) use end_of_input::LastLine;
pub(crate) use send::input_error;
pub(crate) use write::{Input, InputError, Stroke};
