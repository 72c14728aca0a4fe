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
mod auto_start;
mod lifecycle;
mod peers;
mod protocol;
mod protocol_limits;
mod read;
mod reuse;
mod session;
mod service_manager;
mod subscribe;
mod input;
mod terminal;
mod waiting;
mod hidden;
mod environment;
mod process_tree;
mod limits_of_sessions;
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
