//! Programs between pipes: a process of ours leads the session on its terminal and passes on what goes in and comes out,
//! and a file says which of it is standard error.

mod leader;
mod marks;
mod relay;

pub use leader::{command, play_part};
pub use marks::{MarkWriter, Marks, NAME as MARKS, Part};

/// Where the leader has the end of the pipe that is the program's standard input, for those who look what waits for it.
#[cfg(not(portable))]
pub const INPUT_DESCRIPTOR: i32 = 100;
