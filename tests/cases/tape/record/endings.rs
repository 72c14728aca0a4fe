//! Recordings whose session does not end by its program, and what is left of recordings that cannot become tapes yet.

use crate::support::conversation::{ask, ended, record, start, tape, tapes};
use crate::support::processes::lives;
use crate::support::session::lacks;
use crate::support::taped::{Taped, assert_whole};
use crate::support::{Connection, Daemon, eventually};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::path::Path;

/// Starts a session that ends with its client, and types two lines.
fn recorded_with(connection: &mut Connection, options: &Value) -> String {
    let params = json!({"program": "cat", "transient": true, "tape": options});
    let started = connection.call_value("session.create", &params).unwrap();
    let session = started["session_id"].as_str().unwrap().to_owned();
    for line in ["one", "two"] {
        let expect =
            json!({"patterns": [{"exact": format!("{line}\n{line}\n")}], "timeout_ms": 20_000});
        let send = json!({"session": session, "text": line, "newline": true, "expect": expect});
        connection.call_value("session.send", &send).unwrap();
    }
    session
}

fn has_both_lines(tape: &Path) {
    let lines = ["one\n".to_owned(), "two\n".to_owned()];
    Taped::read(tape).has_inputs(&lines);
}

#[test]
fn the_death_of_the_holder_ends_a_recording_and_loses_none() {
    if lacks(&["cat"]) {
        return;
    }
    let mut daemon = Daemon::start();
    let root = daemon.home().join("t");
    let mut connection = daemon.connect();
    recorded_with(&mut connection, &tape(&root, json!({"record": "new"})));
    let (worker, _stdin) = daemon.kill_holder();
    eventually("its worker has ended", || (!lives(worker)).then_some(()));
    daemon.restart();
    let found = eventually("the tape exists", || tapes(&root).pop());
    has_both_lines(&found);
    assert_whole(&daemon, &root);
}

#[test]
fn a_start_that_prints_more_than_may_wait_holds_up_nobody() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    std::fs::create_dir_all(root.join("flood")).unwrap();
    let line = format!("{}\r\n", "x".repeat(98));
    let lines = (18 << 20) / line.len();
    let chunk = json!({"delay_ms": 0, "dataB64": STANDARD.encode(line.repeat(lines))});
    let flood = json!({
        "meta": {"program": "flood", "args": [], "env": {}, "createdAt": "2026-01-01T00:00:00Z"},
        "session": {"format": 1},
        "exchanges": [{
            "pre": {"prompt": ""}, "input": {"type": "raw", "dataText": ""}, "output": {"chunks": [chunk]},
            "exit": {"code": 5, "signal": null}, "dur_ms": 0,
        }],
    });
    std::fs::write(root.join("flood/a.json5"), flood.to_string()).unwrap();
    let played = start(&daemon, &["flood"], &tape(&root, json!({"latency": 0}))).unwrap();
    let other = start(&daemon, &["flood"], &tape(&root, json!({"latency": 0}))).unwrap();
    for session in [played, other] {
        let wait = json!({"session": session, "for": "exit", "timeout_ms": 60_000});
        daemon.call_value("session.wait", &wait).unwrap();
        let record = record(&daemon, &session);
        assert_eq!(record["exitstatus"], 5, "{record}");
        assert_eq!(record["output"]["output_bytes"], line.len() * lines);
    }
}

#[test]
fn sessions_that_have_ended_keep_no_directory_of_tapes_open() {
    let daemon = Daemon::start();
    for number in 0..70 {
        let root = daemon.home().join(format!("t{number}"));
        let options = tape(&root, json!({"record": "new"}));
        let session = start(&daemon, &["true"], &options).unwrap();
        let record = ended(&daemon, &session);
        assert_eq!(record["tape"]["root"], json!(root), "{record}");
        assert_eq!(tapes(&root).len(), 1);
    }
}

#[test]
fn what_was_typed_hidden_is_on_no_tape_where_it_is_typed_again() {
    if lacks(&["bash"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let script = "read -rsp 'Password: ' p; echo; read -rp 'name? ' n; echo \"<$n>\"; read -rp 'again? ' m; exit 3";
    let command = ["bash", "-c", script];
    let converse = |options: Value| {
        let session = start(&daemon, &command, &tape(&root, options)).unwrap();
        ask(&daemon, &session, (None, "Password: ")).unwrap();
        ask(&daemon, &session, (Some("Correct9Horse"), "name\\? ")).unwrap();
        ask(&daemon, &session, (Some("x Correct9Horse y"), "again\\? ")).unwrap();
        for key in "my Correct9Horse\r".chars() {
            let send = json!({"session": session, "text": key});
            daemon.call_value("session.send", &send).unwrap();
        }
        assert_eq!(ended(&daemon, &session)["exitstatus"], 3);
    };
    converse(json!({"record": "new"}));
    let text = std::fs::read_to_string(&tapes(&root)[0]).unwrap();
    for part in [
        "Correct9",
        "Horse",
        STANDARD.encode("Correct9Horse").as_str(),
    ] {
        assert!(!text.contains(part), "{part}: {text}");
    }
    converse(json!({"strict": true, "latency": 0}));
}

#[test]
fn a_password_that_shows_as_stars_is_hidden() {
    if lacks(&["python3"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let script = "import os,tty\ntty.setraw(0)\nos.write(1,b'PIN: ')\nn=0\nwhile True:\n b=os.read(0,1)\n if b==b'\\r': break\n n+=1\n os.write(1,b'*')\nos.write(1,b'\\r\\n%d\\r\\n'%n)";
    let converse = |options: Value, shows_stars: bool| {
        let session = start(&daemon, &["python3", "-c", script], &tape(&root, options)).unwrap();
        ask(&daemon, &session, (None, "PIN: ")).unwrap();
        for key in "Correct9".chars() {
            let send = json!({"session": session, "text": key});
            daemon.call_value("session.send", &send).unwrap();
            if shows_stars {
                ask(&daemon, &session, (None, "\\*$")).unwrap();
            }
        }
        let enter = json!({"session": session, "text": "\r"});
        daemon.call_value("session.send", &enter).unwrap();
        ask(&daemon, &session, (None, "8\n")).unwrap();
        ended(&daemon, &session);
    };
    converse(json!({"record": "new"}), true);
    let typed = Taped::read(&tapes(&root)[0]).inputs.concat();
    assert_eq!(typed, "***\n");
    converse(json!({"latency": 0}), false);
}

#[test]
fn a_line_that_was_completed_is_no_secret() {
    if lacks(&["bash"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    std::fs::create_dir_all(daemon.home().join("somewhere/local")).unwrap();
    let command = ["bash", "--norc"];
    let line = "cd somew\tlo\t\r";
    let converse = |options: Value, line: &str| {
        let session = start(&daemon, &command, &tape(&root, options)).unwrap();
        ask(&daemon, &session, (None, "ready> ")).unwrap();
        let expect = json!({"patterns": [{"regex": "local/\\s+ready> "}], "timeout_ms": 20_000});
        let send = json!({"session": session, "text": line, "expect": expect});
        daemon.call_value("session.send", &send).map(|_| session)
    };
    let session = converse(json!({"record": "new"}), line).unwrap();
    let exit = json!({"session": session, "text": "exit", "newline": true});
    daemon.call_value("session.send", &exit).unwrap();
    ended(&daemon, &session);
    let text = std::fs::read_to_string(&tapes(&root)[0]).unwrap();
    assert!(!text.contains("hidden"), "{text}");
    converse(json!({"strict": true, "latency": 0}), "rm -rf /nothing\r").unwrap_err();
    converse(json!({"strict": true, "latency": 0}), line).unwrap();
}
