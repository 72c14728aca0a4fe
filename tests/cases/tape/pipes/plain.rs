//! Tapes of programs over pipes, whose terminal never echoes.

use crate::support::Daemon;
use crate::support::conversation::{ask, ended, output, tape, tapes};
use crate::support::session::{assert_error, lacks};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};

fn start(daemon: &Daemon, command: &[&str], tape: &Value) -> String {
    let params = json!({
        "program": command[0], "args": command[1..], "plain": true, "tape": tape, "cwd": daemon.home(),
        "env": {"HOME": daemon.home(), "PS1": "ready> "}
    });
    let record = daemon.call_value("session.create", &params).unwrap();
    record["session_id"].as_str().unwrap().to_owned()
}

fn send(daemon: &Daemon, session: &str, text: &str) -> Result<Value, Value> {
    daemon.call_value("session.send", &json!({"session": session, "text": text}))
}

#[test]
fn what_a_program_hides_is_hidden_whatever_it_asks_for_and_the_rest_is_not() {
    if lacks(&["bash"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let script = "read -rsp 'pw: ' p; echo; read -rp 'next: ' n; echo \"got $n and $p\"";
    let session = start(
        &daemon,
        &["bash", "-c", script],
        &tape(&root, json!({"record": "new"})),
    );
    ask(&daemon, &session, (None, "pw: ")).unwrap();
    send(&daemon, &session, "Geheim7!x\n").unwrap();
    ask(&daemon, &session, (None, "next: ")).unwrap();
    send(&daemon, &session, "hello\n").unwrap();
    ended(&daemon, &session);
    let text = std::fs::read_to_string(&tapes(&root)[0]).unwrap();
    assert!(!text.contains("Geheim7"), "{text}");
    assert!(text.contains("got hello and ***"), "{text}");
    assert!(text.contains("\"hello\\n\""), "{text}");
}

#[test]
fn lines_of_a_line_editor_are_not_taken_for_secrets() {
    for program in ["bc", "sqlite3"] {
        if lacks(&[program]) {
            continue;
        }
        let daemon = Daemon::start();
        let root = daemon.home().join("t");
        let (line, other) = match program {
            "bc" => ("6*111\n", "6*222\n"),
            _ => ("select 6*111;\n", "select 6*222;\n"),
        };
        let session = start(&daemon, &[program], &tape(&root, json!({"record": "new"})));
        let wait = json!({"session": session, "for": "input", "timeout_ms": 20_000});
        daemon.call_value("session.wait", &wait).unwrap();
        send(&daemon, &session, line).unwrap();
        ask(&daemon, &session, (None, "666")).unwrap();
        daemon
            .call_value("session.close", &json!({ "session": session }))
            .unwrap();
        let text = std::fs::read_to_string(&tapes(&root)[0]).unwrap();
        assert!(!text.contains("hidden"), "{text}");
        let played = start(&daemon, &[program], &tape(&root, json!({})));
        let miss = send(&daemon, &played, other).unwrap_err();
        assert_error(&miss, ErrorCode::TapeMiss);
        send(&daemon, &played, line).unwrap();
        ask(&daemon, &played, (None, "666")).unwrap();
    }
}

#[test]
fn many_lines_that_were_typed_at_once_play_in_any_pieces() {
    if lacks(&["cat"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let lines: String = (0..400).map(|number| format!("line {number}\n")).collect();
    let session = start(&daemon, &["cat"], &tape(&root, json!({"record": "new"})));
    send(&daemon, &session, &lines).unwrap();
    ask(&daemon, &session, (None, "line 399\n")).unwrap();
    send(&daemon, &session, "\u{4}").unwrap();
    ended(&daemon, &session);
    let recorded = output(&daemon, &session);
    for piece in [1_000, lines.len()] {
        let played = start(&daemon, &["cat"], &tape(&root, json!({})));
        for piece in lines.as_bytes().chunks(piece) {
            send(&daemon, &played, std::str::from_utf8(piece).unwrap()).unwrap();
        }
        ask(&daemon, &played, (None, "line 399\n")).unwrap();
        send(&daemon, &played, "\u{4}").unwrap();
        ended(&daemon, &played);
        assert_eq!(output(&daemon, &played), recorded);
    }
}
