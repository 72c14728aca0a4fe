//! The process from which the programs of this daemon descend.

use std::sync::OnceLock;

static HOLDER: OnceLock<i32> = OnceLock::new();

/// Records that another process holds the terminals: programs descend from it, and it adopts orphans.
#[cfg(not(portable))]
pub(crate) fn set_holder(pid: i32) {
    let _ = HOLDER.set(pid); // it is set once in the life of a process
}

/// Returns the process that holds the terminals.
pub fn holder_pid() -> i32 {
    HOLDER
        .get()
        .copied()
        .unwrap_or_else(|| std::process::id().cast_signed())
}

/// Returns whether orphans become the holder's children.
pub(super) fn adopts_orphans() -> bool {
    #[cfg(target_os = "linux")]
    {
        HOLDER.get().is_some()
            || rustix::process::child_subreaper().is_ok_and(|reaper| reaper.is_some())
    }
    #[cfg(not(target_os = "linux"))]
    false
}
