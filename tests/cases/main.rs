//! Tests with a real daemon: one binary.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests fail by panicking and tell why"
)]

mod attach;
mod attach_requests;
mod attach_ways_out;
mod auto_start;
mod bad_input;
mod bad_patterns;
mod bad_times;
mod chain;
mod chain_definitions;
mod chain_ends;
mod chain_steps;
mod client_hand_over;
mod client_mistakes;
mod client_run_survival;
mod client_sessions;
mod client_survival;
mod completion;
mod config;
mod config_effects;
mod config_watch;
mod crash;
mod database;
mod descriptors;
mod discarded;
mod disk;
mod documents;
mod end_of_input;
mod environment;
mod expect;
mod expect_deadline;
mod flood;
mod goodbye;
mod hand_over;
mod hidden;
mod history;
mod input;
mod jobs;
mod layers;
mod leaving;
mod lifecycle;
mod limits_of_sessions;
mod log;
mod many_sessions;
mod menu;
mod odd_programs;
mod parallel;
mod pattern;
mod pattern_file;
mod peers;
mod pipe;
mod pipe_place;
mod pipe_survival;
mod process_tree;
mod program;
mod program_secrets;
mod program_start;
mod protocol;
mod protocol_limits;
mod read;
mod reload;
mod reuse;
mod run_once;
mod screen;
mod service_manager;
mod session;
mod session_list;
mod session_names;
mod shell_run;
mod shell_run_ends;
mod soak;
mod subscribe;
mod support;
mod survival;
mod survival_load;
mod tape_bad_input;
mod tape_bad_options;
mod tape_claude;
mod tape_client;
mod tape_config;
mod tape_endings;
mod tape_leaving;
mod tape_lines;
mod tape_middle;
mod tape_pipe_input;
mod tape_pipes;
mod tape_plain;
mod tape_programs;
mod tape_replay;
mod tape_replay_survival;
mod tape_run;
mod tape_secrets;
mod tape_secrets_shown;
mod tape_sessions;
mod tape_survival;
mod tape_terminal_or_pipes;
mod tape_told;
mod tape_tools;
mod tape_travel;
mod tape_trouble;
mod tape_verify;
mod tape_watch;
mod terminal;
mod top;
mod transports;
mod two_daemons;
mod units;
mod waiting;
mod watch;

#[cfg(test)]
mod smoke {
    use crate::support::Daemon;

    #[test]
    fn a_daemon_starts_and_stops() {
        let mut daemon = Daemon::start();
        assert!(daemon.stop().success());
    }
}
