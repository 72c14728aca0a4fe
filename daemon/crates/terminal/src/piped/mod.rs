//! Programs with pipes: a process of the daemon leads the session on its terminal and forwards input and output. A file
//! says which output is standard error.

mod leader;
mod marks;
mod relay;

pub use leader::{command, play_part};
pub use marks::{MarkWriter, Marks, NAME as MARKS, StreamPart};

/// The leader's descriptor for its end of the program's standard input, where the probe finds the pipe.
#[cfg(not(portable))]
pub const INPUT_DESCRIPTOR: i32 = 100;
