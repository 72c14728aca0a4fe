//! Tests with a real daemon: one binary.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests fail by panicking and tell why"
)]

mod auto_start;
mod client_sessions;
mod environment;
mod expect;
mod expect_deadline;
mod flood;
mod hidden;
mod history;
mod input;
mod lifecycle;
mod limits_of_sessions;
mod log;
mod peers;
mod process_tree;
mod protocol;
mod protocol_limits;
mod read;
mod reuse;
mod run_once;
mod service_manager;
mod session;
mod shell_run;
mod shell_run_ends;
mod subscribe;
mod support;
mod terminal;
mod transports;
mod waiting;

#[cfg(test)]
mod smoke {
    use crate::support::Daemon;

    #[test]
    fn a_daemon_starts_and_stops() {
        let mut daemon = Daemon::start();
        assert!(daemon.stop().success());
    }
}
