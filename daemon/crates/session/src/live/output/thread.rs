//! The state of a thread of this process, as seen from another thread.

#[derive(Debug, Clone, Copy)]
pub(super) struct LogThread {
    #[cfg(target_os = "linux")]
    id: rustix::thread::Pid,
}

impl LogThread {
    pub(super) fn current() -> Self {
        Self {
            #[cfg(target_os = "linux")]
            id: rustix::thread::gettid(),
        }
    }

    /// Returns true if the thread runs or waits only for a processor; false where this is unknown.
    pub(super) fn is_runnable(self) -> bool {
        #[cfg(target_os = "linux")]
        {
            let stat = format!("/proc/self/task/{}/stat", self.id.as_raw_nonzero());
            let stat = std::fs::read_to_string(stat).unwrap_or_default();
            // The name, which may contain any character, ends with the last parenthesis.
            let state = stat.rsplit_once(") ").map(|(_, rest)| rest);
            state.is_some_and(|state| state.starts_with('R'))
        }
        #[cfg(not(target_os = "linux"))]
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn who_runs_is_told_from_who_waits() {
        assert!(LogThread::current().is_runnable());
        let told = std::sync::mpsc::sync_channel(1);
        let go_on = std::sync::mpsc::sync_channel::<()>(1);
        let waiting = std::thread::spawn(move || {
            told.0.send(LogThread::current()).unwrap();
            let _ = go_on.1.recv();
        });
        let thread = told.1.recv().unwrap();
        while thread.is_runnable() {
            std::thread::yield_now();
        }
        drop(go_on.0);
        waiting.join().unwrap();
        // Its last steps in the kernel come after the join.
        while thread.is_runnable() {
            std::thread::yield_now();
        }
    }
}
