//! One run, from its start to its result.

use ccd_terminal::holder::with_mask;

pub(crate) mod after;
pub(crate) mod before;
pub(crate) mod files;
mod history;
pub(crate) mod live;
pub(crate) mod output;
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
