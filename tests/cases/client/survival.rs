//! What users of `ccctl` notice when the worker is killed: nothing, or one line that says what is unknown.

use super::start;
use crate::support::client::{CCCTL, Ran};
use crate::support::session::{OpenSession, program};
use crate::support::worker::{is_one_process, kill_worker, signal_worker, worker};
use crate::support::{Ccctl, Daemon, eventually};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Stdio};
use std::thread::JoinHandle;

/// The program of most tests: it runs lines as commands.
const SCRIPT: &str = r"echo ready; while read line; do eval $line; done";

/// Output that is difficult to split into items: colours, multi-byte characters, overwritten lines, a title with a
/// newline, a query.
const PRINT: &str = r"i=0; while [ $i -lt 2000 ]; do i=$((i+1)); printf '%s \033[31mré\033[0m\r%s\033[K\n\033]0;a\nb\007\033[6n' $i $i; done";

fn open_script(daemon: &Daemon) -> OpenSession<'_> {
    let session = daemon.open("bash", &["--norc", "--noprofile", "-c", SCRIPT]);
    session.ask("stty -echo; echo quiet", "\nquiet\n");
    session
}

/// Returns the output of `ccctl` and its first line; before that line, `ccctl` may not be subscribed yet.
fn first_line(child: &mut Child) -> (BufReader<ChildStdout>, String) {
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    (out, line)
}

/// Waits until a client other than the test is connected.
fn until_connected(daemon: &Daemon) {
    eventually("ccctl is connected", || {
        let status = daemon.try_call_value("daemon.status", &json!({}))?;
        (status["connections"].as_u64()? >= 2).then_some(())
    });
}

/// Starts `ccctl session tail -f` with these options, and returns it and a thread that returns what it prints.
fn follow(session: &OpenSession<'_>, options: &[&str]) -> (Child, JoinHandle<Vec<u8>>) {
    let words = ["session", "tail", "-f", "--since", "0", session.id()];
    let words = [&words[..], options].concat();
    let mut tail = start(&Ccctl::new(session.daemon), &words, Stdio::null());
    let (mut out, first) = first_line(&mut tail);
    let printed = std::thread::spawn(move || {
        let mut printed = first.into_bytes();
        out.read_to_end(&mut printed).unwrap();
        printed
    });
    (tail, printed)
}

#[test]
fn tails_of_every_kind_get_every_byte_once_through_kills_of_the_worker() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let session = open_script(&daemon);
    let tails = [&["--raw"][..], &[], &["--json"]].map(|options| follow(&session, options));
    for _ in 0..3 {
        session.line(PRINT);
        kill_worker(&daemon);
    }
    session.line("exit 7");
    let [raw, text, items] = tails.map(|(tail, printed)| {
        let ran = Ran::of(tail.wait_with_output().unwrap());
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
        printed.join().unwrap()
    });
    assert!(raw == session.bytes(), "{}", raw.len());
    let all = session.read(ccd_protocol::session::SessionReadParams {
        since: Some(0),
        ..Default::default()
    });
    let all = all.text.unwrap();
    assert!(text == all.as_bytes(), "{}", text.len());
    let (mut bytes, mut text, mut end) = (Vec::new(), String::new(), 0);
    for line in String::from_utf8(items).unwrap().lines() {
        let item: Value = serde_json::from_str(line).unwrap();
        if let Some(ended) = item.get("ended") {
            assert_eq!(ended["exitstatus"], 7);
            assert_eq!(ended["end"], end);
            continue;
        }
        assert_eq!(item["start"], end, "{line}");
        end = item["end"].as_u64().unwrap();
        bytes.extend(STANDARD.decode(item["data_b64"].as_str().unwrap()).unwrap());
        text.push_str(item["text"].as_str().unwrap());
    }
    assert!(bytes == session.bytes(), "{}", bytes.len());
    assert!(text == all, "{}", text.len());
}

#[test]
fn a_wait_and_an_expect_with_an_offset_are_answered_by_the_next_worker() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let ccctl = Ccctl::new(&daemon);
    let session = open_script(&daemon);
    for (words, line, shown) in [
        (
            &["session", "expect", session.id(), "so[m]e", "--from", "0"][..],
            "echo some",
            "some",
        ),
        (&["session", "wait", session.id(), "--exit"], "exit 9", "9"),
    ] {
        let waiting = start(&ccctl, words, Stdio::null());
        until_connected(&daemon);
        kill_worker(&daemon);
        session.line(line);
        let output = waiting.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {errors}");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(printed.contains(shown), "{words:?}: {printed}");
    }
}

#[test]
fn a_send_is_typed_once_and_says_so_if_that_is_unknown() {
    let daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let ccctl = Ccctl::new(&daemon);
    let session = open_script(&daemon);
    let id = session.id();
    // It was read, but not answered.
    let words = ["session", "send", id, "echo typed", "--expect", "never"];
    let sending = start(&ccctl, &words, Stdio::null());
    session.expect("typed");
    kill_worker(&daemon);
    let output = sending.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let errors = String::from_utf8(output.stderr).unwrap();
    let start_of_error = "ccctl: session.send: the daemon was restarted or killed";
    assert!(errors.starts_with(start_of_error), "{errors}");
    for part in ["it is unknown whether the input was typed", "ccctl read"] {
        assert!(errors.contains(part), "{errors}");
    }
    assert_eq!(errors.lines().count(), 1, "{errors}");
    session.ask("echo done", "done");
    assert_eq!(session.output().matches("typed").count(), 1);
    // Nobody has read it: the next worker types it.
    let pid = worker(&daemon);
    signal_worker(&daemon, pid, Signal::STOP);
    let sending = start(
        &ccctl,
        &["session", "send", id, "echo later"],
        Stdio::null(),
    );
    signal_worker(&daemon, pid, Signal::KILL);
    let output = sending.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success());
    session.ask("echo over", "over");
    assert_eq!(session.output().matches("later").count(), 1);
}

#[test]
fn a_daemon_that_was_killed_as_a_whole_is_told_and_none_is_started() {
    let mut daemon = Daemon::start();
    if is_one_process(&daemon) {
        return;
    }
    let session = open_script(&daemon);
    let id = session.id().to_owned();
    let mut tail = Ccctl::new(&daemon).command(&["session", "tail", "-f", "--since", "0", &id]);
    tail.env_remove("CCD_NO_START");
    tail.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut tail = tail.spawn().unwrap();
    let (_out, _) = first_line(&mut tail);
    let pid = worker(&daemon);
    daemon.kill();
    let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
    assert_eq!(tail.wait().unwrap().code(), Some(3));
    assert!(daemon.try_call_value("daemon.ping", &json!({})).is_none());
}

#[test]
fn a_stop_at_a_terminal_names_the_live_sessions_and_asks() {
    let daemon = Daemon::start();
    let mut params = program(&daemon, CCCTL, &["daemon", "stop"]);
    let home = daemon.home().display().to_string();
    params.env.insert("CCD_HOME".to_owned(), home);
    let cats: Vec<_> = (0..12).map(|_| daemon.open("cat", &[])).collect();
    let stop = daemon.open_with(&params);
    let asked = stop.expect(r"Stop the daemon\? \[y/N\] $");
    let first = format!("this ends {} (cat), ", cats[0].id());
    let question = format!("{}{}", asked.before, asked.matched);
    assert!(question.starts_with(&first), "{question}");
    // It may ask before its own session is listed.
    let has_rest = [2, 3].map(|rest| question.contains(&format!(" and {rest} more. Stop")));
    assert!(has_rest.contains(&true), "{question}");
    stop.line("n");
    stop.expect("ccctl: daemon stop: cancelled");
    assert_eq!(stop.ended().exitstatus, Some(1));
    assert_eq!(daemon.listed(false).len(), cats.len());
}
