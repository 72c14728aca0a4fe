//! Tests with a real daemon: one binary.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests fail by panicking and tell why"
)]

mod expect;
mod expect_deadline;
mod flood;
mod log;
mod peers;
mod protocol;
mod protocol_limits;
mod read;
mod reuse;
mod session;
mod subscribe;
mod support;
mod transports;

#[cfg(test)]
mod smoke {
    use crate::support::Daemon;

    #[test]
    fn a_daemon_starts_and_stops() {
        let mut daemon = Daemon::start();
        assert!(daemon.stop().success());
    }
}
