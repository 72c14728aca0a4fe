//! Which process the programs of this daemon descend from.

use std::sync::OnceLock;

static HOLDER: OnceLock<i32> = OnceLock::new();

/// Says that another process holds the terminals: programs descend from it, and it adopts what loses its parent.
#[cfg(not(portable))]
pub(super) fn set_holder(pid: i32) {
    let _ = HOLDER.set(pid); // there is one in the life of a process
}

/// The process that holds the terminals.
pub fn holder_pid() -> i32 {
    HOLDER
        .get()
        .copied()
        .unwrap_or_else(|| std::process::id().cast_signed())
}

/// Whether what loses its parent becomes the holder's child.
pub(super) fn adopts_orphans() -> bool {
    #[cfg(target_os = "linux")]
    {
        HOLDER.get().is_some()
            || rustix::process::child_subreaper().is_ok_and(|reaper| reaper.is_some())
    }
    #[cfg(not(target_os = "linux"))]
    false
}
