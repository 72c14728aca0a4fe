//! Named pipes: a FIFO to which a session writes what happens.
//!
//! - `state`: [`Pipe`], what a session knows of its pipe
//! - `open`: opening and closing, and going on after another worker
//! - `fifo`: the file and its two ends; nothing unsafe is ever written to
//! - `task`, `write`: what takes output and writes; `lines` makes events of output, `typed` has what was typed, `marks` when output came, `sender`
//!   what the FIFO has not taken yet, and `place` how far it has come, for the next worker
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
