//! Ends everything that descends from a process.

use super::freeze::{freeze_below, signal_frozen};
use rustix::process::Signal;
use std::time::Instant;

/// Stops everything that descends from the process `ancestor`, which adopts orphans, but not itself, and then kills it.
/// Returns how many processes that were. Blocks, until `deadline` at most.
pub fn kill_below(ancestor: i32, deadline: Instant) -> usize {
    let frozen = freeze_below(ancestor, deadline);
    signal_frozen(&frozen, Signal::KILL);
    frozen.len()
}

#[cfg(not(portable))]
pub(crate) use own::end_descendants;

#[cfg(not(portable))]
mod own {
    use super::super::process::signal_all;
    use super::super::table::ProcessTable;
    use super::kill_below;
    use rustix::io::Errno;
    use rustix::process::{Signal, WaitOptions, wait};
    use std::time::{Duration, Instant};

    /// How long processes may take to exit after SIGTERM.
    const ASK_TIME: Duration = Duration::from_millis(500);

    /// How long the rest is stopped and killed again and again.
    const KILL_LIMIT: Duration = Duration::from_secs(2);

    const LOOK_PAUSE: Duration = Duration::from_millis(2);

    /// Ends everything that descends from this process, which starts nothing any more. False if something is left.
    pub(crate) fn end_descendants() -> bool {
        // From now on, a child that ends is gone at once. Otherwise, each one that a chain of forks leaves would have to be
        // passed over at each look.
        // SAFETY: no handler is installed.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
        let own = std::process::id().cast_signed();
        if has_no_child() {
            return true;
        }
        let processes = ProcessTable::below_process(own);
        tracing::warn!(
            processes = processes.len(),
            "ending processes that have left their sessions"
        );
        for signal in [Signal::TERM, Signal::CONT] {
            signal_all(&processes, signal);
        }
        let asked_until = Instant::now() + ASK_TIME;
        while Instant::now() < asked_until {
            if has_no_child() {
                return true;
            }
            std::thread::sleep(LOOK_PAUSE);
        }
        let until = Instant::now() + KILL_LIMIT;
        loop {
            kill_below(own, until);
            std::thread::sleep(LOOK_PAUSE);
            if has_no_child() {
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
        }
    }

    /// Reaps what has ended. Returns whether no child is left, and so no descendant either: the orphans of a process that
    /// adopts them are its children before their parents are gone.
    fn has_no_child() -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }
}
