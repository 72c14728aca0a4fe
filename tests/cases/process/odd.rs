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

#[test]
fn input_for_a_program_that_does_not_read_is_bounded() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let mut started = Vec::new();
    for (prepare, data) in [
        ("stty raw -echo", "x".repeat(10_000_000)),
        ("stty -echo", "0123456789abcde\n".repeat(625_000)),
    ] {
        let script = format!("{prepare}; echo ready; exec sleep 1000");
        let session = connection.start_session(&["sh", "-c", &script]);
        expect(&mut connection, &session, "ready");
        started.push((session, data));
    }
    let asked = Instant::now();
    let mut sending = Vec::new();
    for (session, data) in &started {
        let mut connection = daemon.connect();
        let send = json!({"session": session, "text": data});
        let send = connection.request("session.send", &send);
        sending.push((connection, send));
    }
    let mut longest = Duration::ZERO;
    for _ in 0..200 {
        let asked = Instant::now();
        connection.call_value("daemon.ping", &json!({})).unwrap();
        longest = longest.max(asked.elapsed());
    }
    assert!(longest < Duration::from_secs(2), "{longest:?}");
    for (mut sender, send) in sending {
        let error = sender.answer(send).unwrap_err();
        let told = (kind(&error), &error["code"]);
        assert_eq!(told, ("input_full", &json!(2009)), "{error}");
        // More would be more than the terminal can hold.
        let written = error["data"]["written_bytes"].as_u64().unwrap();
        assert!(written < 1 << 20, "{written}");
        let waited = asked.elapsed();
        assert!(
            waited >= Duration::from_secs(5) && waited < Duration::from_secs(20),
            "{waited:?}"
        );
    }
    for (session, _) in started {
        close(&mut connection, &session, 2000);
        assert!(nothing_is_left_of(&session));
    }
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
fn a_program_that_closes_its_terminal_lives_on_and_is_heard_when_it_opens_it_again() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let go = daemon.home().join("go");
    let script = format!(
        "echo before; exec 0<&- 1>&- 2>&-; until [ -e {} ]; do sleep 0.05; done; echo again > /dev/tty; exec sleep 1000",
        go.display()
    );
    let session = connection.start_session(&["sh", "-c", &script]);
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
    fs::write(&go, "").unwrap();
    expect(&mut connection, &session, "again");
    assert_eq!(close(&mut connection, &session, 2000)["forced"], false);
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
