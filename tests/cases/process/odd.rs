//! Programs that behave badly: the daemon stays responsive, reports what happened, and keeps nothing of them.

use crate::support::session::guesses;
use crate::support::{Connection, Daemon, eventually, kind, processes};
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant};

fn expect(connection: &mut Connection, session: &str, text: &str) -> Value {
    let params = json!({"session": session, "patterns": [{"exact": text}]});
    connection.call_value("session.expect", &params).unwrap()
}

fn close(connection: &mut Connection, session: &str, grace_ms: u64) -> Value {
    connection
        .call_value(
            "session.close",
            &json!({"session": session, "grace_ms": grace_ms}),
        )
        .unwrap()
}

fn nothing_is_left_of(session: &str) -> bool {
    processes::with_variable(&format!("CCD_SESSION_ID={session}")).is_empty()
}

/// Returns the clock ticks that the daemon has used.
fn cpu_ticks(daemon: &Daemon) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", daemon.pid())).unwrap();
    let fields: Vec<&str> = stat
        .rsplit_once(')')
        .unwrap()
        .1
        .split_whitespace()
        .collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

/// Sends 10 MB to a program that does not read, while another client is served.
fn send_too_much(prepare: &str, data: &str) {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&[
        "sh",
        "-c",
        &format!("{prepare}; echo ready; exec sleep 1000"),
    ]);
    expect(&mut connection, &session, "ready");
    let asked = Instant::now();
    let send = connection.request("session.send", &json!({"session": session, "text": data}));
    let mut other = daemon.connect();
    let mut longest = Duration::ZERO;
    for _ in 0..200 {
        let asked = Instant::now();
        other.call_value("daemon.ping", &json!({})).unwrap();
        longest = longest.max(asked.elapsed());
    }
    assert!(longest < Duration::from_secs(2), "{longest:?}");
    let error = connection.answer(send).unwrap_err();
    assert_eq!(
        (kind(&error), &error["code"]),
        ("input_full", &json!(2009)),
        "{error}"
    );
    let written = error["data"]["written_bytes"].as_u64().unwrap();
    assert!(
        written < 1 << 20,
        "{written} bytes are more than the terminal can hold"
    );
    let waited = asked.elapsed();
    assert!(
        waited >= Duration::from_secs(5) && waited < Duration::from_secs(20),
        "{waited:?}"
    );
    close(&mut connection, &session, 2000);
    assert!(nothing_is_left_of(&session));
}

#[test]
fn input_for_a_program_that_does_not_read_is_bounded() {
    send_too_much("stty raw -echo", &"x".repeat(10_000_000));
}

#[test]
fn lines_for_a_program_that_does_not_read_are_bounded() {
    send_too_much("stty -echo", &"0123456789abcde\n".repeat(625_000));
}

#[test]
fn a_line_that_the_terminal_would_cut_is_refused() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let params = json!({"session": session, "text": format!("{}\r", "x".repeat(5000))});
    let error = connection.call_value("session.send", &params).unwrap_err();
    assert_eq!(kind(&error), "invalid_argument");
    assert!(
        error["message"].as_str().unwrap().contains("5000"),
        "{error}"
    );
}

#[test]
fn a_program_that_closes_its_terminal_lives_on() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let script = "echo before; exec 0<&- 1>&- 2>&-; exec sleep 1000";
    let session = connection.start_session(&["sh", "-c", script]);
    expect(&mut connection, &session, "before");
    let pid = i32::try_from(connection.record(&session)["pid"].as_i64().unwrap()).unwrap();
    eventually("it has no terminal open", || {
        let files = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
        let open = files.filter_map(|file| fs::read_link(file.path()).ok());
        (!open.into_iter().any(|path| path.starts_with("/dev/pts"))).then_some(())
    });
    let before = cpu_ticks(&daemon);
    let wait = json!({"session": session, "for": "idle", "idle_ms": 500});
    assert_eq!(
        connection.call_value("session.wait", &wait).unwrap()["reason"],
        "idle"
    );
    let used = cpu_ticks(&daemon) - before;
    assert!(
        used < 20,
        "a terminal that no process has open cost {used} clock ticks in half a second"
    );
    assert_eq!(connection.record(&session)["state"], "alive");
    assert_eq!(
        connection
            .call_value("session.read", &json!({"session": session}))
            .unwrap()["text"],
        "before\n"
    );
    assert_eq!(close(&mut connection, &session, 2000)["forced"], false);
    assert!(nothing_is_left_of(&session));
}

#[test]
fn a_program_that_opens_its_terminal_again_is_heard() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let folder = daemon.home().join("go");
    let script = format!(
        "exec 0<&- 1>&- 2>&-; until [ -e {} ]; do sleep 0.05; done; echo again > /dev/tty; exec sleep 1000",
        folder.display()
    );
    let session = connection.start_session(&["sh", "-c", &script]);
    let wait = json!({"session": session, "for": "idle", "idle_ms": 200});
    connection.call_value("session.wait", &wait).unwrap();
    fs::write(&folder, "").unwrap();
    expect(&mut connection, &session, "again");
}

#[test]
fn a_program_that_forks_and_exits_has_ended_with_its_status() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["sh", "-c", "sleep 2345 & echo forked; exit 3"]);
    let record = connection.ended(&session);
    assert_eq!(
        (&record["exitstatus"], &record["end_reason"]),
        (&json!(3), &json!("exited"))
    );
    eventually("its process group received SIGHUP", || {
        nothing_is_left_of(&session).then_some(())
    });
    let read = connection
        .call_value("session.read", &json!({"session": session}))
        .unwrap();
    assert_eq!(read["text"], "forked\n");
}

#[test]
fn what_left_with_setsid_lives_until_the_session_is_closed() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let script = "setsid sh -c 'trap \"\" HUP TERM; exec sleep 3456' & sleep 0.2; exit 0";
    let session = connection.start_session(&["sh", "-c", script]);
    connection.ended(&session);
    let marker = format!("CCD_SESSION_ID={session}");
    let left = processes::with_variable(&marker);
    assert_eq!(left.len(), 1, "it is still there");
    let reply = close(&mut connection, &session, 100);
    assert_eq!(
        (&reply["forced"], &reply["killed"], &reply["exitstatus"]),
        (&json!(true), &json!(left), &json!(0))
    );
    eventually("it is gone", || nothing_is_left_of(&session).then_some(()));
}

#[test]
fn a_program_that_ignores_hup_and_term_is_killed_after_the_grace_period() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let script = "trap '' HUP TERM INT; echo ready; while :; do sleep 0.1; done";
    let session = connection.start_session(&["sh", "-c", script]);
    expect(&mut connection, &session, "ready");
    let pid = connection.record(&session)["pid"].clone();
    let asked = Instant::now();
    let reply = close(&mut connection, &session, 300);
    assert!(
        asked.elapsed() >= Duration::from_millis(300) && asked.elapsed() < Duration::from_secs(5)
    );
    assert_eq!(
        (&reply["forced"], &reply["signal"], &reply["exitstatus"]),
        (&json!(true), &json!(9), &Value::Null)
    );
    assert!(
        reply["killed"].as_array().unwrap().contains(&pid),
        "{reply}"
    );
    let record = connection.record(&session);
    assert_eq!(
        (&record["state"], &record["end_reason"]),
        (&json!("dead"), &json!("closed"))
    );
    assert!(nothing_is_left_of(&session));
}

#[test]
fn a_program_that_stops_itself_is_told_apart_and_can_go_on() {
    let daemon = Daemon::start();
    if guesses(&daemon) {
        return;
    }
    let mut connection = daemon.connect();
    let script = "echo stopping; kill -STOP $$; echo resumed; cat";
    let session = connection.start_session(&["sh", "-c", script]);
    expect(&mut connection, &session, "stopping");
    eventually("the program is reported as stopped", || {
        let params =
            json!({"session": session, "patterns": [{"exact": "resumed"}], "timeout_ms": 50});
        let error = connection
            .call_value("session.expect", &params)
            .unwrap_err();
        (error["data"]["program"] == "stopped").then_some(())
    });
    assert_eq!(connection.record(&session)["state"], "alive");
    connection
        .call_value(
            "session.signal",
            &json!({"session": session, "signal": "CONT"}),
        )
        .unwrap();
    expect(&mut connection, &session, "resumed");
    let stopped = connection.start_session(&["sh", "-c", "kill -STOP $$; echo resumed; cat"]);
    assert_eq!(
        close(&mut connection, &stopped, 2000)["forced"],
        false,
        "a stopped program is continued so that it can exit"
    );
    assert!(nothing_is_left_of(&stopped));
}

#[test]
fn a_program_that_forks_wildly_is_ended_with_all_its_children() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let script = "trap '' HUP TERM; i=0; while [ $i -lt 40 ]; do (trap '' HUP TERM; setsid sleep 4567) & i=$((i+1)); done; echo ready; wait";
    let session = connection.start_session(&["bash", "-c", script]);
    expect(&mut connection, &session, "ready");
    let reply = close(&mut connection, &session, 100);
    assert!(reply["killed"].as_array().unwrap().len() > 40, "{reply}");
    eventually("all are gone", || {
        nothing_is_left_of(&session).then_some(())
    });
}

#[test]
fn a_program_killed_from_outside_has_its_signal_recorded() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["sh", "-c", "echo up; kill -SEGV $$"]);
    let record = connection.ended(&session);
    assert_eq!(
        (
            &record["exitstatus"],
            &record["signal"],
            &record["end_reason"]
        ),
        (&Value::Null, &json!(11), &json!("signalled"))
    );
    for (method, params) in [
        ("session.send", json!({"session": session, "text": "x"})),
        (
            "session.signal",
            json!({"session": session, "signal": "INT"}),
        ),
        (
            "session.resize",
            json!({"session": session, "rows": 10, "cols": 10}),
        ),
    ] {
        let error = connection.call_value(method, &params).unwrap_err();
        assert_eq!(kind(&error), "session_not_alive", "{method}");
        assert!(
            error["message"].as_str().unwrap().contains("signal 11"),
            "{error}"
        );
    }
}
