//! Signals that must not end the daemon.

use super::ring::install_once;
use crate::own_process::ignore_signals_but;

/// The signals that are requests to the daemon, and those that stop a process in the background of a shell.
const MEANT: [libc::c_int; 6] = [
    libc::SIGTERM,
    libc::SIGINT,
    libc::SIGHUP,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
];

/// Makes a write beyond the limit on the size of files (`ulimit -f`) fail, as on a full disk, instead of ending this process
/// with SIGXFSZ.
/// Must be called before any thread is started. Programs start with all signals at their defaults.
pub fn outlive_file_limit() {
    // SAFETY: the signal is set to be ignored, and this process has no handler for it.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Makes this process, which holds the terminals, outlive every signal that is not a request to it: with it, all sessions
/// would end. Must be called before any thread is started.
pub fn outlive_signals() {
    ignore_signals_but(&MEANT);
    install_once();
}
