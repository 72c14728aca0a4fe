//! Sessions through `ccctl`, as used from two terminals.

use crate::support::processes::lives;
use crate::support::session::{guesses, lacks};
use crate::support::{Ccctl, Daemon, eventually};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_python_session_is_shared_by_two_clients() {
    if lacks(&["python3"]) {
        return;
    }
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let home = format!("HOME={}", daemon.home().display());
    let create = format!("session create --clean-env --env {home} --name py -- python3 -q");
    let id = ccctl.ok(&create.split(' ').collect::<Vec<_>>());
    assert_eq!(id.trim().len(), 12);
    assert_eq!(ccctl.ok(&["session", "send", "py", "x = 41"]), "");
    let print = ["session", "send", "py", "print(x + 1)"];
    let answer = ccctl.ok(&[&print[..], &["--expect", "(?m)^42$"]].concat());
    assert!(answer.ends_with("\n42\n"), "{answer}");
    let read = ccctl.ok(&["session", "read", "py"]);
    assert!(read.contains("print(x + 1)\n42\n>>> "), "{read}");
}

#[test]
fn a_session_is_created_listed_shown_and_closed() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let created = ccctl.ok(&[
        "session", "create", "--json", "--name", "job", "--size", "90x30", "--", "cat", "-u",
    ]);
    let record = json(&created);
    let id = record["session_id"].as_str().unwrap().to_owned();
    assert_eq!((&record["rows"], &record["cols"]), (&30.into(), &90.into()));
    let list = ccctl.ok(&["session", "list"]);
    for part in [&*id, "job", "cat -u"] {
        assert!(list.contains(part), "{list}");
    }
    let shown = ccctl.ok(&["session", "show", "job"]);
    assert!(shown.contains(&id) && shown.contains("90x30"), "{shown}");
    let by_prefix = json(&ccctl.ok(&["session", "get", &id[..6], "--json"]));
    assert_eq!(by_prefix["session_id"], id.as_str());
    if !guesses(&daemon) {
        assert_eq!(by_prefix["waiting_for_input"]["verdict"], "blocked");
    }
    let closed = json(&ccctl.ok(&["session", "close", "job", "--json"]));
    assert_eq!(closed["forced"], false);
    let pid = i32::try_from(record["pid"].as_i64().unwrap()).unwrap();
    assert!(!lives(pid));
    assert!(!ccctl.ok(&["session", "list"]).contains(&id));
    let all = json(&ccctl.ok(&["session", "list", "--all", "--json"]));
    assert_eq!(all["sessions"][0]["end_reason"], "closed");
    assert_eq!(ccctl.ok(&["session", "clean"]), "1 removed\n");
    let all = json(&ccctl.ok(&["session", "list", "--all", "--json"]));
    assert_eq!(all["sessions"], json("[]"));
}

#[test]
fn the_exit_status_tells_what_went_wrong() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    ccctl.ok(&["session", "create", "--name", "cat", "--", "cat"]);
    for (line, code) in [
        ("session show nobody", 4),
        ("session show a/b", 2),
        ("session create --name cat -- cat", 5),
        ("session create --rows 0 -- cat", 2),
        ("session create -- no-such-program", 1),
        ("session create --cwd /no/such/folder -- cat", 1),
        ("session expect cat a(b", 2),
        ("session run cat echo", 5),
        ("session send cat", 2),
        ("session nonsense", 2),
    ] {
        let ran = ccctl.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, Some(code), "{line}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{line}");
        assert!(!ran.stderr.is_empty(), "{line}");
    }
}

#[test]
fn force_closes_everything_without_a_question_where_nobody_can_answer() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let sessions = [daemon.open("cat", &[]), daemon.open("cat", &[])];
    let young = ccctl.ok(&["session", "clean", "--age", "60"]);
    assert_eq!(young, "0 removed\n");
    let all = ccctl.ok(&["session", "clean", "--force", "--yes"]);
    assert_eq!(all, "2 removed\n");
    assert!(sessions.iter().all(|session| !lives(session.record.pid)));
}

#[test]
fn the_status_counts_sessions_and_names_limits_and_paths() {
    let daemon = Daemon::builder().config(r#"{"max_sessions": 7}"#).start();
    let ccctl = Ccctl::new(&daemon);
    daemon.open("echo", &["done"]).ended();
    daemon.open("cat", &[]);
    daemon.open("cat", &[]);
    let status = eventually("all are counted", || {
        let status = json(&ccctl.ok(&["daemon", "status", "--json"]));
        let counted = json(r#"{"live": 2, "ended": 1, "max": 7}"#);
        (status["sessions"] == counted).then_some(status)
    });
    assert_eq!(status["limits"]["max_sessions"], 7);
    assert_eq!(status["holder_pid"], daemon.pid());
    assert_eq!(status["socket"], daemon.socket().display().to_string());
    assert_eq!(status["paths"]["base"], daemon.home().display().to_string());
    assert_eq!(status["protocol"], ccd_protocol::PROTOCOL_VERSION);
    for part in ["sessions", "database"] {
        assert!(status["sizes"][part].as_u64().unwrap() > 0, "{status}");
    }
    let nothing = (&json("[]"), &json("{}"));
    assert_eq!((&status["last_errors"], &status["drops"]), nothing);
    assert!(status["uptime_s"].as_f64().unwrap() > 0.0);
    let text = ccctl.ok(&["daemon", "status"]);
    assert!(text.contains("2 live") || text.contains('2'), "{text}");
}

#[test]
fn what_is_no_longer_in_memory_is_told_of() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let limited = [
        "session",
        "create",
        "--name",
        "long",
        "--output-limit",
        "100",
    ];
    ccctl.ok(&[&limited[..], &["--", "sh", "-c", "seq 5000; cat"]].concat());
    ccctl.ok(&["session", "expect", "long", "5000\\n", "--timeout", "30"]);
    // When more output arrives, memory drops what is already in the log.
    let read = eventually("memory no longer contains all output", || {
        ccctl.ok(&["session", "send", "long", "more", "--expect", "more"]);
        let read = ccctl.run(&["session", "read", "long"]);
        (!read.stdout.starts_with("1\n")).then_some(read)
    });
    let told = read.stderr;
    let end = " is omitted; --since 0 prints what the log has of it\n";
    assert!(told.starts_with("ccctl: output before offset "), "{told}");
    assert!(told.ends_with(end), "{told}");
    let whole = ccctl.ok(&["session", "read", "long", "--since", "0"]);
    assert!(whole.starts_with("1\n2\n"));
    // A user who asked for a part is not told about the rest.
    let some = ccctl.run(&["session", "read", "long", "--lines", "3"]);
    assert_eq!(some.stderr, "");
}
