//! Lines that are typed in pieces, and unfinished lines.

use crate::support::conversation::{
    ask, close, ended, keys, new_tape, only_tape, output, record, root, send, start, tape, tapes,
};
use crate::support::files::files;
use crate::support::session::assert_error;
use crate::support::taped::{exchange, tape_of};
use crate::support::worker::{is_one_process, kill_worker};
use crate::support::{Daemon, assert_has, assert_lacks};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Writes a tape that starts with `> ` and has these exchanges.
fn write(root: &Path, name: &str, exchanges: &[Value]) {
    fs::create_dir_all(root).unwrap();
    let exchanges = [&[exchange("", "raw", "", &[(0, "> ")])], exchanges].concat();
    let path = root.join(format!("{name}.json5"));
    fs::write(path, tape_of("asks", &exchanges)).unwrap();
}

/// Starts a replay of a tape that [`write`] has written.
fn begin(daemon: &Daemon, options: Value) -> String {
    let session = start(daemon, &["asks"], &tape(&root(daemon), options)).unwrap();
    ask(daemon, &session, (None, "> $")).unwrap();
    session
}

#[test]
fn a_recording_cut_in_a_line_does_not_take_the_begin_of_a_longer_one() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let mut cut = exchange("> ", "raw", "in", &[(0, "in")]);
    cut["input"]["unfinished"] = json!(true);
    write(&root, "a-cut", &[cut]);
    let whole = exchange("> ", "line", "inside", &[(0, "inside\r\nfound\r\n> ")]);
    write(&root, "whole", &[whole]);
    for strict in [false, true] {
        for text in ["inside\r", "in", "ins"] {
            let session = begin(&daemon, json!({ "strict": strict }));
            keys(&daemon, &session, text);
            // Input is echoed, as by the program.
            let echo = format!("{}$", text.trim_end());
            if !text.ends_with('\r') {
                ask(&daemon, &session, (None, &echo)).unwrap();
                if !is_one_process(&daemon) {
                    kill_worker(&daemon);
                }
                keys(&daemon, &session, &"inside\r"[text.len()..]);
            }
            ask(&daemon, &session, (None, "found\\s+> $")).unwrap();
            let came = String::from_utf8(output(&daemon, &session)).unwrap();
            assert_eq!(came, "> inside\r\nfound\r\n> ", "{text} {strict}");
            // The truncated recording was not played.
            let hits = &record(&daemon, &session)["tape"]["hits"];
            assert_eq!(*hits, 2, "{text} {strict}");
        }
    }
    // A line that is on no tape is reported as a whole.
    let session = begin(&daemon, json!({}));
    keys(&daemon, &session, "inner");
    let enter = json!({"session": session, "text": "\r"});
    let message = daemon.refuses("session.send", &enter, "tape_miss");
    let answers = "answers \"inner\" at the prompt \"> \"";
    assert_has(&message, [answers, "where input differs: recorded \"in"]);
}

#[test]
fn a_line_that_ends_with_the_recording_is_in_no_file_before_and_never_answers() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let new = new_tape(&root);
    for _ in 0..2 {
        let session = start(&daemon, &["cat"], &new).unwrap();
        keys(&daemon, &session, "hal");
        ask(&daemon, &session, (None, "hal$")).unwrap();
        let journals = files(&root.join(".journal"));
        let journal = fs::read_to_string(&journals[0]).unwrap();
        assert_lacks(&journal, ["input"]);
        close(&daemon, &session);
        // The second recording adds nothing.
        let cut = "dataText: \"hal\", dataBytesB64: null, unfinished: true";
        assert_has(&only_tape(&root), [cut]);
    }
    let only = &daemon.ok("tape.list", &json!({ "root": root }))["tapes"][0];
    let shown = json!({"root": root, "tape": only["tape_id"]});
    let shown = daemon.ok("tape.get", &shown);
    assert_eq!(shown["exchanges"][1]["unfinished"], true, "{shown}");
    // The Enter key of that line is on no tape, and the error says why.
    let played = tape(&root, json!({"latency": 0}));
    let session = start(&daemon, &["cat"], &played).unwrap();
    let miss = ask(&daemon, &session, (Some("hal"), "hal$")).unwrap_err();
    let differs = &miss["data"]["nearest"]["differs"][0];
    assert_eq!(differs["part"], "unfinished", "{miss}");
    let session = start(&daemon, &["cat"], &new).unwrap();
    ask(&daemon, &session, (Some("half"), "half\nhalf\n$")).unwrap();
    close(&daemon, &session);
    assert_eq!(tapes(&root).len(), 2);
    for strict in [false, true] {
        let options = tape(&root, json!({"strict": strict, "latency": 0}));
        let session = start(&daemon, &["cat"], &options).unwrap();
        keys(&daemon, &session, "hal");
        ask(&daemon, &session, (None, "hal$")).unwrap();
        assert_eq!(record(&daemon, &session)["tape"]["hits"], 1);
        keys(&daemon, &session, "f\r");
        ask(&daemon, &session, (None, "^f\nhalf\n$")).unwrap();
    }
}

#[test]
fn a_key_behind_which_the_program_ends_has_been_answered() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let command = ["bash", "-c", "printf 'go? '; read -rsn1 key; exit 3"];
    for options in [json!({"record": "new"}), json!({"strict": true})] {
        let session = start(&daemon, &command, &tape(&root, options)).unwrap();
        ask(&daemon, &session, (None, "go\\? $")).unwrap();
        send(&daemon, &session, "q");
        assert_eq!(ended(&daemon, &session)["exitstatus"], 3);
    }
    let text = only_tape(&root);
    assert_has(&text, ["dataText: \"q\""]);
    assert_lacks(&text, ["unfinished"]);
}

#[test]
fn a_key_that_was_answered_plays_and_so_does_what_came_behind_it() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let menu = [
        exchange("> ", "raw", "1", &[(0, "1 what: ")]),
        exchange("> 1 what: ", "line", "0", &[(0, "0\r\nten\r\n> ")]),
    ];
    write(&root, "menu", &menu);
    let whole = exchange("> ", "line", "12", &[(0, "12\r\ntwelve\r\n> ")]);
    write(&root, "whole", &[whole]);
    let session = begin(&daemon, json!({}));
    keys(&daemon, &session, "10\r");
    ask(&daemon, &session, (None, "ten\\s+> $")).unwrap();
    // Typed at once, it matches as a whole line; what was taken back in it does not count.
    let session = begin(&daemon, json!({}));
    send(&daemon, &session, "z\u{15}1x\u{7f}2\r");
    ask(&daemon, &session, (None, "twelve\\s+> $")).unwrap();
}

#[test]
fn a_wait_for_lines_that_were_recorded_as_one_says_what_is_awaited() {
    let daemon = Daemon::start();
    let both = exchange("> ", "raw", "a\rb\r", &[(0, "a\r\nb\r\nboth\r\n> ")]);
    write(&root(&daemon), "both", &[both]);
    let session = begin(&daemon, json!({}));
    let expect = |text: &str| {
        let expect = json!({"patterns": [{"regex": "both"}], "timeout_ms": 200});
        let send = json!({"session": session, "text": text, "expect": expect});
        daemon.call_value("session.send", &send)
    };
    let error = expect("a\r").unwrap_err();
    assert_error(&error, ErrorCode::ExpectTimeout);
    assert_eq!(error["data"]["awaited"], "b\r");
    // While a line is being typed, nothing else is awaited.
    let error = expect("b").unwrap_err();
    assert_eq!(error["data"]["awaited"], Value::Null);
    expect("\r").unwrap();
}
