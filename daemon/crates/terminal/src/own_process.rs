//! Processes of ours that stand where a program is expected: this build once more, and how one ends as another did.

use rustix::process::{Resource, Rlimit, Signal, getpid, kill_process, setrlimit};
use std::path::PathBuf;

/// The name that such a process is called by.
pub(crate) const NAME: &str = "ccd";

/// This build, also when its file has been replaced; and under another name than a daemon's.
pub(crate) fn program() -> PathBuf {
    #[cfg(target_os = "linux")]
    let program = PathBuf::from("/proc/self/exe");
    #[cfg(not(target_os = "linux"))]
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from(NAME));
    program
}

/// Ends by a signal, without the memory image that some leave. Returns where the signal does not end a process.
pub(crate) fn die_by(signal: i32) {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let _ = setrlimit(Resource::Core, none);
    // SAFETY: the default is set, whatever it was.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
    if let Some(signal) = Signal::from_named_raw(signal) {
        let _ = kill_process(getpid(), signal);
    }
}
