//! Named pipes: a FIFO to which a session writes what happens.
//!
//! - `state`: [`Pipe`], what a session knows of its pipe
//! - `open`: opening, closing, and continuing after another worker
//! - `fifo`: the file and its two ends; never opens or writes to an unsafe file
//! - `task`, `write`: take output and write it. They use `lines` (makes events of output), `typed` (input), `marks`
//!   (arrival times of output), `sender` (what the FIFO has not taken yet) and `place` (progress of the pipe, for the
//!   next worker)
//!
//! A pipe is a reader like any other: it pulls output by offset, and nothing waits for it.

mod fifo;
mod lines;
mod marks;
mod open;
mod place;
mod sender;
mod state;
mod task;
mod typed;
mod write;

pub(super) use fifo::PipeError;
pub(super) use state::{KeptPipe, Pipe};
