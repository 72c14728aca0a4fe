//! Named pipes: a FIFO to which a session writes what happens.
//! A pipe is a reader like any other: it pulls output by offset, and nothing waits for it.

mod fifo;
mod lines;
mod open;
mod place;
mod sender;
mod state;
mod task;
mod typed;

pub(super) use fifo::PipeError;
pub(super) use state::{KeptPipe, Pipe};
