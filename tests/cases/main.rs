//! Tests with a real daemon: one binary.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests fail by panicking and tell why"
)]

mod protocol;
mod support;

#[cfg(test)]
mod smoke {
    use crate::support::Daemon;

    #[test]
    fn a_daemon_starts_and_stops() {
        let mut daemon = Daemon::start();
        assert!(daemon.stop().success());
    }
}
