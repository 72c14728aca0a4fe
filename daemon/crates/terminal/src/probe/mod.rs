//! Detects whether the program in a terminal waits for input, from facts where the platform shows them.
//! A probe reads `/proc` and changes nothing. It must run in an ancestor of the program: with Yama's default setting,
//! the kernel shows a task's system call only to its ancestors.

mod fresh;
mod line_modes;
mod look;
#[cfg(not(portable))]
mod proc;
#[cfg(not(portable))]
mod relay;
mod report;
#[cfg(not(portable))]
mod search;
#[cfg(not(portable))]
mod syscall;
#[cfg(all(test, not(portable)))]
mod table_tests;
#[cfg(all(test, not(portable)))]
mod test_table;
#[cfg(all(test, not(portable)))]
mod test_terminal;

pub use fresh::{LastTyped, STALE_AFTER_WRITE, fresh};
pub use line_modes::LineModes;
pub use look::{probe, unread_output};
pub use report::{InputReader, InputWait, Probe};
