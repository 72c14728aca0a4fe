//! Signals that somebody sends to the daemon itself, and those that its programs start with.

use crate::support::exec::{Executor, Repository};
use crate::support::{Ccctl, Daemon};
use serde_json::json;

/// The signals that end or stop a daemon, and may: KILL, STOP, TERM and INT, and those of a shell's job control.
const MEANT: [libc::c_int; 7] = [
    libc::SIGKILL,
    libc::SIGSTOP,
    libc::SIGTERM,
    libc::SIGINT,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
];

#[test]
fn sessions_outlive_every_signal_to_the_holder_that_does_not_ask_it_to_end() {
    let daemon = Daemon::start();
    let session = daemon.open("cat", &[]);
    for signal in (1..=64).filter(|signal| !MEANT.contains(signal)) {
        // SAFETY: this sends a signal to a process that this test has started.
        unsafe { libc::kill(daemon.pid(), signal) };
        session.line(&format!("after {signal}"));
        session.expect(&format!("after {signal}\n"));
    }
    assert_eq!(session.now().end_reason, None);
}

#[test]
fn each_program_starts_with_no_signal_ignored_or_blocked() {
    let check = |way: &str, status: &str| {
        let masks = status.lines().filter_map(|line| line.split_once(":\t"));
        let masks: Vec<_> = masks
            .map(|(name, mask)| (name, u64::from_str_radix(mask.trim(), 16).unwrap()))
            .collect();
        assert_eq!(masks, [("SigBlk", 0), ("SigIgn", 0)], "{way}");
    };
    let show = "grep -E '^Sig(Blk|Ign):' /proc/self/status";
    let daemon = Daemon::start();
    for (way, more) in [("terminal", json!({})), ("limits", json!({"core": 0}))] {
        let params = json!({"program": "sh", "args": ["-c", show], "limits": more});
        let reply = daemon.ok("run.once", &params);
        check(way, &reply["output"].as_str().unwrap().replace('\r', ""));
    }
    let tapes = daemon.home().join("tapes");
    let tapes = tapes.to_str().unwrap();
    let record = ["rec", "--tapes", tapes, "--", "sh", "-c", show];
    check("pipes", &Ccctl::new(&daemon).ok(&record));
    let executor = Executor::with_script(&format!("init; {show} >\"$HOME/status\"; result"));
    let repository = Repository::new();
    let started = executor.start(&repository, &json!({}));
    executor.result(&started);
    check("run", &executor.wait_for_file("status"));
}
