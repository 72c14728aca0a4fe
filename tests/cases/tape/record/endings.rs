//! Recordings whose session does not end by its program, and what is left of recordings that cannot become tapes yet.

use crate::support::conversation::{
    self, ask, ended, new_tape, only_tape, record, root, send, start, tape, tapes,
};
use crate::support::processes::lives;
use crate::support::session::lacks;
use crate::support::taped::{Taped, assert_whole, exchange, tape_of};
use crate::support::{Daemon, assert_fields, assert_lacks, eventually};
use serde_json::{Value, json};

#[test]
fn the_death_of_the_holder_ends_a_recording_and_loses_none() {
    let mut daemon = Daemon::start();
    let root = root(&daemon);
    // The session ends with its client.
    let mut connection = daemon.connect();
    let params = json!({"program": "cat", "transient": true, "tape": new_tape(&root)});
    let started = connection.ok("session.create", &params);
    let session = started["session_id"].as_str().unwrap();
    for (line, answer) in [("one", "one\none\n"), ("two", "two\ntwo\n")] {
        ask(&daemon, session, (Some(line), answer)).unwrap();
    }
    let (worker, _stdin) = daemon.kill_holder();
    eventually("its worker has ended", || (!lives(worker)).then_some(()));
    daemon.restart();
    let found = eventually("the tape exists", || tapes(&root).pop());
    Taped::read(&found).has_inputs(&["one\n", "two\n"].map(String::from));
    assert_whole(&daemon, &root);
}

#[test]
fn a_start_that_prints_more_than_may_wait_holds_up_nobody() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let text = format!("{}\r\n", "x".repeat(98)).repeat((18 << 20) / 100);
    let mut flood = exchange("", "raw", "", &[(0, &text)]);
    flood["exit"] = json!({"code": 5, "signal": null});
    std::fs::create_dir_all(&root).unwrap();
    std::fs::write(root.join("a.json5"), tape_of("flood", &[flood])).unwrap();
    let begin = || start(&daemon, &["flood"], &tape(&root, json!({"latency": 0}))).unwrap();
    for session in [begin(), begin()] {
        let wait = json!({"session": session, "for": "exit", "timeout_ms": 60_000});
        daemon.ok("session.wait", &wait);
        let output = json!({"output_bytes": text.len()});
        let whole = json!({"exitstatus": 5, "output": output});
        assert_fields(&record(&daemon, &session), whole);
    }
}

#[test]
fn a_password_that_shows_as_stars_is_hidden() {
    if lacks(&["python3"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = root(&daemon);
    let script = "import os,tty\ntty.setraw(0)\nos.write(1,b'PIN: ')\nn=0\nwhile True:\n b=os.read(0,1)\n if b==b'\\r': break\n n+=1\n os.write(1,b'*')\nos.write(1,b'\\r\\n%d\\r\\n'%n)";
    let converse = |options: Value, shows_stars: bool| {
        let session = start(&daemon, &["python3", "-c", script], &tape(&root, options)).unwrap();
        ask(&daemon, &session, (None, "PIN: ")).unwrap();
        for key in "Correct9".chars() {
            send(&daemon, &session, &key.to_string());
            if shows_stars {
                ask(&daemon, &session, (None, "\\*$")).unwrap();
            }
        }
        send(&daemon, &session, "\r");
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
    let daemon = Daemon::start();
    let root = root(&daemon);
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
    conversation::line(&daemon, &session, "exit");
    ended(&daemon, &session);
    assert_lacks(&only_tape(&root), ["hidden"]);
    converse(json!({"strict": true, "latency": 0}), "rm -rf /nothing\r").unwrap_err();
    converse(json!({"strict": true, "latency": 0}), line).unwrap();
}
