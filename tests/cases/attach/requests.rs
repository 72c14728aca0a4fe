//! `session.attach` as a method, without `ccctl`.

use crate::attach::terminal::{attached, size};
use crate::support::session::{assert_error, program};
use crate::support::{Connection, Daemon, eventually};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{SessionCreateParams, WaitFor};
use serde_json::{Value, json};

fn text_of(item: &Value) -> String {
    let data = STANDARD.decode(item["data_b64"].as_str().unwrap());
    String::from_utf8(data.unwrap()).unwrap()
}

#[test]
fn a_client_of_its_own_gets_a_repaint_and_then_output() {
    let daemon = Daemon::start();
    let target = daemon.open_bash();
    let mut client = Connection::open(&daemon.socket());
    let params = json!({"session": target.id(), "rows": 24, "cols": 80});
    let subscription = client.ok("session.attach", &params);
    let item = client.next_item().unwrap();
    let repaint = &item["repaint"];
    assert_eq!([&repaint["rows"], &repaint["cols"]], [24, 80]);
    assert!(text_of(repaint).contains("ready> "));
    target.line("echo one");
    let mut at = repaint["offset"].as_u64().unwrap();
    let mut output = String::new();
    while !output.contains("one\r\n") {
        let item = client.next_item().unwrap();
        assert_eq!(item["start"], at, "{item}");
        at = item["end"].as_u64().unwrap();
        output.push_str(&text_of(&item));
    }
    assert_eq!(target.now().attached.len(), 1);
    client.ok("session.detach", &json!([subscription]));
    attached(&target, 0);
}

#[test]
fn wrong_requests_to_attach_are_refused() {
    let daemon = Daemon::start();
    let target = daemon.open_bash();
    let mut client = Connection::open(&daemon.socket());
    let asked = |rows: i64, cols: i64| json!({"session": target.id(), "rows": rows, "cols": cols});
    for (rows, cols) in [(0, 80), (24, 0), (1001, 80), (24, 65535), (-1, 80)] {
        client.refused("session.attach", &asked(rows, cols), "invalid_argument");
    }
    let read_only = json!({"session": target.id(), "rows": 5, "cols": 20, "read_only": true});
    client.ok("session.attach", &read_only);
    client.refused("session.attach", &read_only, "invalid_argument");
    let send = json!({"session": target.id(), "text": "x"});
    let message = client.refused("session.send", &send, "invalid_argument");
    assert!(message.contains("read-only"), "{message}");
    // A read-only viewer's resize changes only the size of its own view.
    client.ok("session.resize", &asked(7, 30));
    assert_eq!(size(&target), (24, 80));
    assert!(!target.output().contains('x'));
    let mut others: Vec<Connection> = Vec::new();
    let refused: Value = loop {
        let mut other = Connection::open(&daemon.socket());
        match other.call_value("session.attach", &asked(24, 80)) {
            Ok(_) => others.push(other),
            Err(error) => break error,
        }
        assert!(others.len() < 100);
    };
    assert_error(&refused, ErrorCode::LimitReached);
    drop(others);
    drop(client);
    attached(&target, 0);
}

#[test]
fn a_session_in_another_encoding_is_shown_and_typed_into() {
    let daemon = Daemon::start();
    let target = daemon.open_with(&SessionCreateParams {
        encoding: Some("shift_jis".to_owned()),
        ..program(&daemon, "cat", &["-v"])
    });
    let mut client = Connection::open(&daemon.socket());
    let params = json!({"session": target.id(), "rows": 24, "cols": 80});
    client.ok("session.attach", &params);
    let typed = json!({"session": target.id(), "data_b64": STANDARD.encode("日本\r")});
    client.ok("session.send", &typed);
    // cat writes the bytes that it receives: 0x93 0xfa 0x96 0x7b.
    target.expect("M-\\^SM-zM-\\^V\\{");
    eventually("the viewer sees the echo as a terminal shows it", || {
        let item = client.next_item().unwrap();
        let repaint = item.get("repaint")?;
        text_of(repaint).contains("日本").then_some(())
    });
    // Text whose encoded form looks like UTF-8 is not encoded again.
    let text = json!({"session": target.id(), "text": "\u{ff83}\u{ff71}", "newline": true});
    client.ok("session.send", &text);
    target.expect("M-CM-1");
    let history = daemon.ok("session.history", &json!({"session": target.id()}));
    let rows = history["interactions"].as_array().unwrap();
    let typed = rows.iter().find(|row| row["action"] == "SEND").unwrap();
    assert_eq!(typed["input_text"], "日本");
    let screen = json!({"session": target.id()});
    let screen = daemon.ok("session.screen", &screen);
    assert_eq!(screen["lines"][0], "日本");
}

#[test]
fn hidden_bytes_in_another_encoding_stay_hidden() {
    let daemon = Daemon::start();
    let script = "stty -echo; read s; stty echo; echo \"<$s>\"; read z";
    let target = daemon.open_with(&SessionCreateParams {
        encoding: Some("latin1".to_owned()),
        ..program(&daemon, "sh", &["-c", script])
    });
    target.wait(WaitFor::Input);
    let typed =
        json!({"session": target.id(), "data_b64": STANDARD.encode(b"p\xe4ssw\xf6rd-\xe9\n")});
    daemon.ok("session.send", &typed);
    target.expect(">");
    target.close();
    let history = daemon.ok("session.history", &json!({"session": target.id()}));
    let text = history.to_string();
    assert!(text.contains("<hidden>") && !text.contains("rd-"), "{text}");
}
