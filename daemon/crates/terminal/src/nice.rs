//! Who goes first when there is more to do than processors.

/// How much nicer than the daemon the threads are that do bulk work.
#[cfg(target_os = "linux")]
const BULK_NICENESS: i32 = 5;

/// Lets other threads go first, where a thread can have a priority of its own. For threads that do bulk work and
/// start no programs: what they start would inherit it.
pub fn give_way() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{getpriority_process, setpriority_process};
        // Without it everything works, only later when the machine is busy.
        let _ = getpriority_process(None)
            .and_then(|nice| setpriority_process(None, nice + BULK_NICENESS));
    }
}
