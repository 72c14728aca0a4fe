//! Typing: text, keys, pastes, raw bytes.

use crate::support::session::{OpenSession, assert_error, lacks};
use crate::support::{Ccctl, Connection, Daemon, assert_has};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::{SendExpect, SessionSendParams};
use serde_json::{Value, json};
use std::path::Path;

/// Starts a program that prints every byte it receives, with the terminal in raw mode, after printing `modes`.
fn showing<'a>(daemon: &'a Daemon, modes: &str) -> OpenSession<'a> {
    let command = format!("stty raw -echo; printf '{modes}ready:'; exec cat -v");
    let session = daemon.open("sh", &["-c", &command]);
    session.expect("ready:");
    session
}

#[test]
fn text_is_typed_as_it_is_and_only_the_added_newline_is_the_enter_key() {
    let daemon = Daemon::start();
    let session = showing(&daemon, "");
    session.text("a\tb\\n\x01");
    assert_eq!(session.expect(r"\^A").before, "a\tb\\n");
    let sent = session.line("line");
    assert_eq!(sent.written_bytes, 5);
    assert_eq!(session.expect(r"\^M").before, "line");
    session.text("x\ny\r.");
    assert_eq!(session.expect(r"\.").before, "x\ny^M");
    assert_eq!(session.text("").written_bytes, 0);
}

#[test]
fn keys_send_what_a_terminal_sends() {
    let daemon = Daemon::start();
    let session = showing(&daemon, "");
    session.keys(&["a", "Up", "C-c", "F12", "b", "="]);
    assert_eq!(session.expect("=").before, "a^[[A^C^[[24~b");
    // With a key that does not exist among them, none is typed.
    let wrong = json!({"session": session.id(), "keys": ["a", "Entre"]});
    let message = daemon.refuses("session.send", &wrong, "invalid_argument");
    assert_has(&message, ["Entre", "Enter"]);
    session.text("=");
    assert_eq!(session.expect("=").before, "");
    // Cursor keys follow the program's mode; with a modifier, they have only one form.
    let session = showing(&daemon, "\\033[?1h");
    session.keys(&["Up", "Down", "Left", "C-Up", "="]);
    assert_eq!(session.expect("=").before, "^[OA^[OB^[OD^[[1;5A");
}

#[test]
fn exactly_one_kind_of_input_is_taken() {
    let daemon = Daemon::start();
    let session = daemon.open("cat", &[]);
    for mut params in [
        json!({}),
        json!({"text": "x", "keys": ["Up"]}),
        json!({"text": "x", "data_b64": "eA=="}),
        json!({"data_b64": "not base64"}),
        json!({"data_b64": "eA==", "paste": true}),
    ] {
        params["session"] = json!(session.id());
        daemon.refuses("session.send", &params, "invalid_argument");
    }
    assert!(session.bytes().is_empty());
}

#[test]
fn a_paste_is_bracketed_for_a_program_that_asked_for_it() {
    let daemon = Daemon::start();
    let paste = |session: &OpenSession<'_>, text: &str| {
        let params = SessionSendParams {
            text: Some(text.to_owned()),
            paste: true,
            ..SessionSendParams::default()
        };
        session.try_send(params).unwrap();
    };
    let asked = showing(&daemon, "\\033[?2004h");
    // If an end marker within the text were kept, the text after it would count as typed.
    paste(&asked, "one\ntwo\x1b[201~rm\n");
    assert_eq!(asked.expect(r"\^\[\[201~").before, "^[[200~one^Mtworm^M");
    let plain = showing(&daemon, "");
    paste(&plain, "one\r\ntwo=");
    assert_eq!(plain.expect("=").before, "one^Mtwo");
}

#[test]
fn bash_runs_a_paste_only_after_the_enter_key() {
    let daemon = Daemon::start();
    let bash = daemon.open_bash();
    let params = SessionSendParams {
        text: Some("echo pasted-$((1+1))\necho second".to_owned()),
        paste: true,
        expect: Some(SendExpect {
            patterns: vec![crate::support::session::regex("echo second")],
            ..SendExpect::default()
        }),
        ..SessionSendParams::default()
    };
    bash.try_send(params).unwrap();
    assert!(!bash.output().contains("pasted-2"));
    bash.keys(&["Enter"]);
    bash.expect("pasted-2\nsecond\n");
}

#[test]
fn control_c_interrupts_what_runs_and_the_session_goes_on() {
    if lacks(&["python3"]) {
        return;
    }
    let daemon = Daemon::start();
    let python = daemon.open("python3", &["-q"]);
    python.expect(">>> ");
    python.ask(
        "import time; print('sleeping'); time.sleep(600)",
        r"\nsleeping\n",
    );
    python.keys(&["C-c"]);
    python.expect("KeyboardInterrupt");
    assert_eq!(python.ask("6 * 7", "(?m)^42$").matched, "42");
}

#[test]
fn control_d_ends_the_input() {
    let daemon = Daemon::start();
    let session = daemon.open("cat", &[]);
    session.ask("last", "last\nlast\n");
    session.keys(&["C-d"]);
    assert_eq!(session.ended().exitstatus, Some(0));
}

#[test]
fn a_line_that_the_terminal_would_cut_is_refused() {
    let daemon = Daemon::start();
    let session = daemon.open("sh", &["-c", "stty -echo; printf ready:; exec cat"]);
    session.expect("ready:");
    let longest = "x".repeat(4095);
    session.ask(&longest, &format!("{longest}\n"));
    let long = json!({"session": session.id(), "text": "x".repeat(4096), "newline": true});
    daemon.refuses("session.send", &long, "invalid_argument");
    // The bytes that quote others do not count, because the terminal does not keep them.
    session.ask(&"\x16\x03".repeat(4000), "\n");
    let bytes = session.bytes();
    assert!(bytes.ends_with(&[&[3; 4000], &b"\r\n"[..]].concat()));
}

/// Returns 20,000 lines, a million bytes.
fn megabyte() -> String {
    (0..20_000).map(|line| format!("{line:049}\n")).collect()
}

#[test]
fn every_byte_of_a_large_send_arrives() {
    let daemon = Daemon::start();
    let text = megabyte();
    let file = daemon.home().join("sent");
    std::fs::write(&file, &text).unwrap();
    let command =
        "stty raw -echo; printf ready:; head -c 1000000 | cmp - \"$1\" && printf same; exec cat";
    let session = daemon.open("sh", &["-c", command, "sh", file.to_str().unwrap()]);
    session.expect("ready:");
    assert_eq!(session.text(&text).written_bytes, 1_000_000);
    session.expect("same");
}

#[test]
fn a_program_that_answers_while_it_is_typed_to_takes_a_large_send() {
    let daemon = Daemon::start();
    let session = daemon.open("sh", &["-c", "stty -echo; printf ready:; exec cat"]);
    session.expect("ready:");
    let text = megabyte();
    session.text(&text);
    session.expect(&format!("{:049}\n", 19_999));
    let expected = format!("ready:{text}").replace('\n', "\r\n");
    assert!(session.bytes() == expected.as_bytes());
}

/// Sends so many bytes that the send has to wait for room while the program reads nothing.
fn send_too_much(connection: &mut Connection, session: &OpenSession<'_>) -> u64 {
    let params = json!({"session": session.id(), "text": "x".repeat(100_000)});
    connection.request("session.send", &params)
}

#[track_caller]
fn assert_cut_off(error: &Value, how: &str) {
    assert_error(error, ErrorCode::SessionNotAlive);
    let written = error["data"]["written_bytes"].as_u64().unwrap();
    assert!((1..100_000).contains(&written), "{error}");
    assert!(error["message"].as_str().unwrap().contains(how), "{error}");
}

/// Starts a program that reads only the first byte of its input, and exits once `go` exists.
fn unwilling<'a>(daemon: &'a Daemon, go: &Path) -> OpenSession<'a> {
    let command = "stty raw -echo; printf ready:; head -c 1 > /dev/null; printf taken:; \
        until [ -e \"$1\" ]; do sleep 0.01; done; exit 3";
    let session = daemon.open("sh", &["-c", command, "sh", go.to_str().unwrap()]);
    session.expect("ready:");
    session
}

#[test]
fn sends_that_wait_for_room_are_answered_when_the_program_ends() {
    let daemon = Daemon::start();
    let go = daemon.home().join("go");
    let session = unwilling(&daemon, &go);
    let mut connection = daemon.connect();
    let first = send_too_much(&mut connection, &session);
    session.expect("taken:");
    let behind = send_too_much(&mut connection, &session);
    std::fs::write(&go, "").unwrap();
    assert_cut_off(&connection.answer(first).unwrap_err(), "exit status 3");
    let error = connection.answer(behind).unwrap_err();
    assert_error(&error, ErrorCode::SessionNotAlive);
    assert_eq!(session.ended().exitstatus, Some(3));
}

#[test]
fn a_send_that_waits_for_room_is_answered_when_its_session_is_closed() {
    let daemon = Daemon::start();
    let session = unwilling(&daemon, &daemon.home().join("never"));
    let mut connection = daemon.connect();
    let send = send_too_much(&mut connection, &session);
    session.expect("taken:");
    session.close();
    assert_cut_off(&connection.answer(send).unwrap_err(), "has ended");
}

#[test]
fn a_program_that_closed_its_terminal_leaves_a_send_its_grace_and_no_more() {
    let daemon = Daemon::start();
    let command = "stty raw -echo; printf ready:; exec sleep 600 < /dev/null > /dev/null 2>&1";
    let session = daemon.open("sh", &["-c", command]);
    session.expect("ready:");
    let mut connection = daemon.connect();
    let send = send_too_much(&mut connection, &session);
    let error = connection.answer(send).unwrap_err();
    assert_error(&error, ErrorCode::InputFull);
    assert!(error["data"]["written_bytes"].as_u64().unwrap() < 100_000);
}

#[test]
fn sends_of_many_clients_are_never_mixed() {
    let daemon = Daemon::start();
    let session = showing(&daemon, "");
    let line = |client: usize| format!("<{}>", client.to_string().repeat(3000));
    std::thread::scope(|scope| {
        for client in 0..8 {
            let (session, line) = (&session, line(client));
            scope.spawn(move || {
                for _ in 0..5 {
                    session.text(&line);
                }
            });
        }
    });
    session.text("=");
    let mut all = session.expect("=").before;
    for client in 0..8 {
        assert_eq!(all.matches(&line(client)).count(), 5, "client {client}");
        all = all.replace(&line(client), "");
    }
    assert_eq!(all, "");
}

#[test]
fn the_client_types_text_keys_files_and_standard_input() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let session = showing(&daemon, "");
    let send = |words: &[&str]| ccctl.ok(&[&["session", "send", session.id()], words].concat());
    assert_eq!(send(&["text"]), "");
    assert_eq!(session.expect(r"\^M").before, "text");
    send(&["-1", "--no-newline"]);
    send(&["--keys", "C-c,Up,Enter"]);
    assert_eq!(session.expect(r"\^M").before, "-1^C^[[A");
    let file = daemon.home().join("input");
    std::fs::write(&file, b"\xff\x00\xc3\x28=").unwrap();
    send(&["--file", file.to_str().unwrap()]);
    assert_eq!(session.expect("=").before, "M-^?^@M-C(");
    let mut piped = ccctl.command(&["session", "send", session.id(), "--stdin"]);
    let status = piped.stdin(std::fs::File::open(&file).unwrap()).status();
    assert!(status.unwrap().success());
    assert_eq!(session.expect("=").before, "M-^?^@M-C(");
    // Prints the output up to the match.
    assert_eq!(send(&["go", "--expect", "go.M"]), "go^M\n");
}
