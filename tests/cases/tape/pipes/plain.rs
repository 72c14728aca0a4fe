//! Tapes of programs over pipes, whose terminal never echoes.

use crate::support::Daemon;
use crate::support::conversation::{
    ask, close, ended, new_tape, only_tape, output, root, send, tape,
};
use crate::support::session::lacks;
use serde_json::{Value, json};

fn start(daemon: &Daemon, command: &[&str], tape: &Value) -> String {
    let params = json!({
        "program": command[0], "args": command[1..], "plain": true, "tape": tape, "cwd": daemon.home(),
        "env": {"HOME": daemon.home(), "PS1": "ready> "}
    });
    let record = daemon.ok("session.create", &params);
    record["session_id"].as_str().unwrap().to_owned()
}

#[test]
fn what_a_program_hides_is_hidden_whatever_it_asks_for_and_the_rest_is_not() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let script = "read -rsp 'pw: ' p; echo; read -rp 'next: ' n; echo \"got $n and $p\"";
    let session = start(&daemon, &["bash", "-c", script], &new_tape(&root));
    ask(&daemon, &session, (None, "pw: ")).unwrap();
    send(&daemon, &session, "Geheim7!x\n");
    ask(&daemon, &session, (None, "next: ")).unwrap();
    send(&daemon, &session, "hello\n");
    ended(&daemon, &session);
    let text = only_tape(&root);
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
        let root = root(&daemon);
        let (line, other) = match program {
            "bc" => ("6*111\n", "6*222\n"),
            _ => ("select 6*111;\n", "select 6*222;\n"),
        };
        let session = start(&daemon, &[program], &new_tape(&root));
        let wait = json!({"session": session, "for": "input", "timeout_ms": 20_000});
        daemon.ok("session.wait", &wait);
        send(&daemon, &session, line);
        ask(&daemon, &session, (None, "666")).unwrap();
        close(&daemon, &session);
        let text = only_tape(&root);
        assert!(!text.contains("hidden"), "{text}");
        let played = start(&daemon, &[program], &tape(&root, json!({})));
        let other = json!({"session": played, "text": other});
        daemon.refuses("session.send", &other, "tape_miss");
        send(&daemon, &played, line);
        ask(&daemon, &played, (None, "666")).unwrap();
    }
}

#[test]
fn many_lines_that_were_typed_at_once_play_in_any_pieces() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let lines: String = (0..400).map(|number| format!("line {number}\n")).collect();
    let session = start(&daemon, &["cat"], &new_tape(&root));
    send(&daemon, &session, &lines);
    ask(&daemon, &session, (None, "line 399\n")).unwrap();
    send(&daemon, &session, "\u{4}");
    ended(&daemon, &session);
    let recorded = output(&daemon, &session);
    for piece in [1_000, lines.len()] {
        let played = start(&daemon, &["cat"], &tape(&root, json!({})));
        for piece in lines.as_bytes().chunks(piece) {
            send(&daemon, &played, std::str::from_utf8(piece).unwrap());
        }
        ask(&daemon, &played, (None, "line 399\n")).unwrap();
        send(&daemon, &played, "\u{4}");
        ended(&daemon, &played);
        assert_eq!(output(&daemon, &played), recorded);
    }
}
