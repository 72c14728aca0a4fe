//! Thread priorities, for when there is more work than processors.

/// How much lower the priority of bulk work is than that of the daemon.
#[cfg(target_os = "linux")]
const BULK_NICENESS: i32 = 5;

/// Lowers the priority of this thread, where each thread can have its own. Meant for threads that do bulk work and
/// start no programs, which would inherit it.
pub fn give_way() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{getpriority_process, setpriority_process};
        // If this fails, everything still works, only slower on a busy machine.
        let _ = getpriority_process(None)
            .and_then(|nice| setpriority_process(None, nice + BULK_NICENESS));
    }
}
