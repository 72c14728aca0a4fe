//! The limit on the size of files (`ulimit -f`).

/// Makes a write beyond the limit fail, as on a full disk, instead of ending this process with SIGXFSZ.
///
/// Must be called before any thread is started. Programs start with all signals at their defaults.
pub fn outlive_file_limit() {
    // SAFETY: the signal is set to be ignored, and this process has no handler for it.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}
