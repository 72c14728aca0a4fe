//! One run, from its start to its result.
//!
//! - `program`: where Claude Code is
//! - `files`: what it reads: the instruction, the policy, its settings
//! - `before`, `after`: the work tree before and after it
//! - `history`: the commits of it, and those that it dropped
//! - `live`: the program while it works
//! - `process`: what works: Claude Code, or a tape in its place
//! - `playing`: a tape that prints in place of the program
//! - `recorder`: what the program prints, for a tape
//! - `output`: what it prints, in threads of its own
//! - `plain`: texts without secrets

use ccd_terminal::holder::with_mask;

pub(crate) mod after;
pub(crate) mod before;
pub(crate) mod files;
mod history;
pub(crate) mod live;
mod output;
pub(crate) mod plain;
pub(crate) mod playing;
mod process;
pub(crate) mod program;
pub(crate) mod recorder;

/// Does work in a work tree, which blocks. What it writes has the modes that the caller's own git would give it: the daemon's
/// own files are private.
pub(crate) async fn in_work_tree<T: Send + 'static>(
    umask: u32,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    with_mask(umask, work).await
}
