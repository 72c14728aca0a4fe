//! Processes of this build that stand in for a program, and how they end as another process did.

use rustix::process::{Resource, Rlimit, Signal, getpid, kill_process, setrlimit};
use std::path::PathBuf;

/// The process name of such a process.
pub(crate) const NAME: &str = "ccd";

/// The signals that are meant for the program, or for nobody, and would end this process. Those that report a bug are not included.
const HEEDED: [libc::c_int; 13] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGIO,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
];

/// Returns this build, even if its file was replaced, under a name other than a daemon's.
pub(crate) fn program() -> PathBuf {
    #[cfg(target_os = "linux")]
    let program = PathBuf::from("/proc/self/exe");
    #[cfg(not(target_os = "linux"))]
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from(NAME));
    program
}

/// Ends this process by a signal, without a core dump. Returns if the signal does not end a process.
pub(crate) fn die_by(signal: i32) {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let _ = setrlimit(Resource::Core, none);
    // SAFETY: this restores the default action, whatever was set before.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
    if let Some(signal) = Signal::from_named_raw(signal) {
        let _ = kill_process(getpid(), signal);
    }
}

/// Catches signals without doing anything. For the program, exec resets caught signals to the default action, but not
/// ignored ones.
pub(crate) fn heed_nothing() {
    extern "C" fn nothing(_signal: libc::c_int) {}
    let nothing: extern "C" fn(libc::c_int) = nothing;
    for signal in HEEDED {
        // SAFETY: the handler does nothing, which is always allowed.
        unsafe { libc::signal(signal, nothing as libc::sighandler_t) };
    }
}

/// Restores the default action of the signal for files that are too large, which the daemon ignores: a program inherits
/// ignored signals.
pub(crate) fn forget_file_limit() {
    // SAFETY: this restores the default action.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_DFL) };
}
