//! Faults for tests: a worker of a debug build dies where it is asked to.

/// Dies if the environment variable names this session.
pub(in crate::live) fn die_if_asked(variable: &str, session: &str) {
    if cfg!(debug_assertions) && std::env::var(variable).is_ok_and(|asked| asked == session) {
        std::process::abort();
    }
}
