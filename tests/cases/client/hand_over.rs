//! `ccctl` and the real daemon during a handover between workers.

use super::start;
use crate::support::worker::{hand_over, is_one_process, kill_worker, other_build, worker};
use crate::support::{Ccctl, Daemon, eventually};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;

#[test]
fn restart_and_upgrade_tell_how_it_went() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let session = daemon.open("cat", &[]);
    let ccctl = Ccctl::new(&daemon);
    let said = ccctl.ok(&["daemon", "restart"]);
    let pid = worker(&daemon);
    assert!(said.starts_with("ccd restarted: "), "{said}");
    for part in [format!("pid {pid}"), "1 session kept".to_owned()] {
        assert!(said.contains(&part), "{said}");
    }
    let newer = other_build(&daemon, "newer");
    let said = ccctl.ok(&["daemon", "upgrade", newer.to_str().unwrap(), "--json"]);
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["last_hand_over"]["number"], 2);
    assert_eq!(said["sessions"], 1);
    let chain = json!({"chain": {"commands": [{"command": "sleep 4715.1"}]}});
    daemon.ok("chain.run", &chain);
    let said = ccctl.ok(&["daemon", "restart"]);
    let ended = "kept, 1 job was ended (ccctl job list)";
    assert!(said.contains(ended), "{said}");
    let broken = other_build(&daemon, "broken");
    let executable = || std::fs::read_link(format!("/proc/{}/exe", worker(&daemon))).unwrap();
    let before = executable();
    let ran = ccctl.run(&["daemon", "upgrade", broken.to_str().unwrap()]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for part in [
        "the new build failed to start and was rolled back",
        "status 3",
        "continues with the old build",
    ] {
        assert!(ran.stderr.contains(part), "{ran:?}");
    }
    assert_eq!(executable(), before);
    let status = ccctl.ok(&["daemon", "status"]);
    assert!(status.contains("rolled back"), "{status}");
    let ran = ccctl.run(&["daemon", "upgrade", "/bin/true"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("/bin/true cannot take over"), "{ran:?}");
    session.ask("still here", "still here\n");
}

#[test]
fn who_waits_for_something_goes_on_waiting() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let session = daemon.open("cat", &[]);
    let ccctl = Ccctl::new(&daemon);
    let id = session.id();
    let expect = ["session", "expect", id, "the end", "--timeout", "60"];
    let mut waiting = start(&ccctl, &expect, Stdio::null());
    for number in 1..=3 {
        eventually("ccctl is connected", || {
            let status = daemon.try_call_value("daemon.status", &json!({}))?;
            (status["connections"].as_u64()? >= 2).then_some(())
        });
        ccctl.ok(&["daemon", "restart"]);
        assert_eq!(hand_over(&daemon, number)["rolled_back"], false);
    }
    assert!(waiting.try_wait().unwrap().is_none());
    session.line("the end");
    let ended = waiting.wait_with_output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
}

/// Runs a program with `ccctl run` while its worker is replaced three times.
fn run_through(daemon: &Daemon, mut disturb: impl FnMut(u64)) {
    let ccctl = Ccctl::new(daemon);
    let script = "echo ready; while read line; do echo \"got $line\"; done; exit 6";
    let words = ["run", "--", "sh", "-c", script];
    let mut run = start(&ccctl, &words, Stdio::piped());
    let mut input = run.stdin.take().unwrap();
    let mut output = BufReader::new(run.stdout.take().unwrap());
    let mut next_line = || {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        line
    };
    assert_eq!(next_line().trim_end(), "ready");
    for round in 1..=3 {
        disturb(round);
        writeln!(input, "line {round}").unwrap();
        assert_eq!(next_line().trim_end(), format!("got line {round}"));
    }
    drop(input);
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    let ended = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!((ended.status.code(), &*rest), (Some(6), ""), "{said}");
}

#[test]
fn a_run_survives_kills_of_the_worker_and_restarts() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    run_through(&daemon, |_| kill_worker(&daemon));
    eventually("no process of it is left", || {
        daemon.listed(false).is_empty().then_some(())
    });
    let daemon = Daemon::start();
    run_through(&daemon, |number| {
        Ccctl::new(&daemon).ok(&["daemon", "restart"]);
        hand_over(&daemon, number);
    });
}

#[test]
fn piped_input_comes_whole_through_restarts() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let ccctl = Ccctl::new(&daemon);
    let expected: String = (1..=16_000).map(|line| format!("{line:063}\n")).collect();
    let input = daemon.home().join("input");
    std::fs::write(&input, &expected).unwrap();
    let script =
        "read first; echo begun; sleep 0.2; { echo \"$first\"; cat; } >got; echo end; exit 3";
    let home = daemon.home().to_str().unwrap();
    let words = ["run", "--cwd", home, "--", "sh", "-c", script];
    let input = std::fs::File::open(&input).unwrap();
    let run = start(&ccctl, &words, input.into());
    for number in 1..=4 {
        ccctl.ok(&["daemon", "restart"]);
        hand_over(&daemon, number);
    }
    let ended = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!((ended.status.code(), &*said), (Some(3), ""));
    let got = std::fs::read_to_string(daemon.home().join("got")).unwrap();
    assert_eq!(got.len(), expected.len());
    assert!(got == expected);
}
