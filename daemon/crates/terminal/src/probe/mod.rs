//! Tells whether the program in a terminal waits for input, from facts where the platform shows
//! them.
//!
//! - `look`: [`probe`], one look at a terminal; what the other files serve
//! - `report`: what a look finds ([`Probe`], [`Reader`], [`Verdict`])
//! - `line`: the line discipline ([`Line`]), which alone tells that typed text is hidden
//! - `fresh`: whether a look right after a write counts already
//! - `search`, `syscall`, `proc` (not in a `portable` build): the foreground tasks, what each one is blocked in, and
//!   `/proc`
//!
//! A probe reads `/proc` and changes nothing. It has to run in an ancestor of the program: with
//! Yama's default setting the kernel shows a task's system call to its ancestors only.

mod fresh;
mod line;
mod look;
#[cfg(not(portable))]
mod proc;
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

pub use fresh::{STALE_AFTER_WRITE, fresh};
pub use line::Line;
pub use look::probe;
pub use report::{Probe, Reader, Verdict};
