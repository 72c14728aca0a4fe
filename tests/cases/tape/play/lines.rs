//! Lines that are typed in pieces, and unfinished lines.

use crate::support::Daemon;
use crate::support::conversation::{ask, ended, output, record, start, tape, tapes};
use crate::support::files::files;
use crate::support::session::{assert_error, lacks};
use crate::support::worker::{is_one_process, kill_worker};
use ccd_protocol::ErrorCode;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn types(daemon: &Daemon, session: &str, text: &str) -> Result<Value, Value> {
    daemon.call_value("session.send", &json!({"session": session, "text": text}))
}

/// Types key by key.
fn types_keys(daemon: &Daemon, session: &str, text: &str) {
    for key in text.chars() {
        types(daemon, session, &key.to_string()).unwrap();
    }
}

/// Writes a tape that starts with `> ` and has these inputs with their answers.
fn write(root: &Path, name: &str, exchanges: &[(&str, &str, &str, &str)]) {
    fs::create_dir_all(root).unwrap();
    let exchanges: String = exchanges
        .iter()
        .map(|(prompt, kind, input, answer)| {
            format!("    {{ pre: {{ prompt: {prompt:?} }}, input: {{ type: {kind:?}, dataText: \"{input}\" }}, output: {{ chunks: [{{ dataText: \"{answer}\" }}] }} }},\n")
        })
        .collect();
    let text = format!(
        "{{\n  meta: {{ createdAt: \"2026-01-02T03:04:05Z\", program: \"asks\" }},\n  session: {{ format: 1 }},\n  exchanges: [\n    \
         {{ input: {{ type: \"raw\", dataText: \"\" }}, output: {{ chunks: [{{ dataText: \"> \" }}] }} }},\n{exchanges}  ],\n}}\n"
    );
    fs::write(root.join(format!("{name}.json5")), text).unwrap();
}

#[test]
fn a_recording_cut_in_a_line_does_not_take_the_begin_of_a_longer_one() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    write(&root, "a-cut", &[("> ", "raw", "in", "in")]);
    let cut = root.join("a-cut.json5");
    let text = fs::read_to_string(&cut).unwrap();
    let marked = text.replace(
        "dataText: \"in\" }, out",
        "dataText: \"in\", unfinished: true }, out",
    );
    assert_ne!(text, marked);
    fs::write(&cut, marked).unwrap();
    let whole = ("> ", "line", "inside", "inside\\r\\nfound\\r\\n> ");
    write(&root, "whole", &[whole]);
    for strict in [false, true] {
        let options = tape(&root, json!({"strict": strict}));
        for text in ["inside\r", "in", "ins"] {
            let session = start(&daemon, &["asks"], &options).unwrap();
            ask(&daemon, &session, (None, "> $")).unwrap();
            types_keys(&daemon, &session, text);
            // Input is echoed, as by the program.
            let echo = format!("{}$", text.trim_end());
            if !text.ends_with('\r') {
                ask(&daemon, &session, (None, &echo)).unwrap();
                if !is_one_process(&daemon) {
                    kill_worker(&daemon);
                }
                let rest = &"inside\r"[text.len()..];
                types_keys(&daemon, &session, rest);
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
    let session = start(&daemon, &["asks"], &tape(&root, json!({}))).unwrap();
    ask(&daemon, &session, (None, "> $")).unwrap();
    types_keys(&daemon, &session, "inner");
    let error = types(&daemon, &session, "\r").unwrap_err();
    assert_error(&error, ErrorCode::TapeMiss);
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("answers \"inner\" at the prompt \"> \"")
            && message.contains("where input differs: recorded \"in"),
        "{message}"
    );
}

#[test]
fn a_line_that_ends_with_the_recording_is_in_no_file_before_and_never_answers() {
    if lacks(&["cat"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let new = tape(&root, json!({"record": "new"}));
    let close = |session: &str| {
        let close = json!({ "session": session });
        daemon.call_value("session.close", &close).unwrap();
    };
    for _ in 0..2 {
        let session = start(&daemon, &["cat"], &new).unwrap();
        types_keys(&daemon, &session, "hal");
        ask(&daemon, &session, (None, "hal$")).unwrap();
        let journals = files(&root.join(".journal"));
        let journal = fs::read_to_string(&journals[0]).unwrap();
        assert!(!journal.contains("input"), "{journal}");
        close(&session);
        // The second recording adds nothing.
        let files = tapes(&root);
        assert_eq!(files.len(), 1, "{files:?}");
        let text = fs::read_to_string(&files[0]).unwrap();
        let cut = "dataText: \"hal\", dataBytesB64: null, unfinished: true";
        assert!(text.contains(cut), "{text}");
    }
    let only = daemon
        .call_value("tape.list", &json!({"root": root}))
        .unwrap()["tapes"][0]
        .clone();
    let shown = json!({"root": root, "tape": only["tape_id"]});
    let shown = daemon.call_value("tape.get", &shown).unwrap();
    assert_eq!(shown["exchanges"][1]["unfinished"], true, "{shown}");
    // The Enter key of that line is on no tape, and the error says why.
    let played = tape(&root, json!({"latency": 0}));
    let session = start(&daemon, &["cat"], &played).unwrap();
    let miss = ask(&daemon, &session, (Some("hal"), "hal$")).unwrap_err();
    let differs = &miss["data"]["nearest"]["differs"][0];
    assert_eq!(differs["part"], "unfinished", "{miss}");
    let session = start(&daemon, &["cat"], &new).unwrap();
    ask(&daemon, &session, (Some("half"), "half\nhalf\n$")).unwrap();
    close(&session);
    assert_eq!(tapes(&root).len(), 2);
    for strict in [false, true] {
        let options = tape(&root, json!({"strict": strict, "latency": 0}));
        let session = start(&daemon, &["cat"], &options).unwrap();
        types_keys(&daemon, &session, "hal");
        ask(&daemon, &session, (None, "hal$")).unwrap();
        assert_eq!(record(&daemon, &session)["tape"]["hits"], 1);
        types_keys(&daemon, &session, "f\r");
        ask(&daemon, &session, (None, "^f\nhalf\n$")).unwrap();
    }
}

#[test]
fn a_key_behind_which_the_program_ends_has_been_answered() {
    if lacks(&["bash"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let command = ["bash", "-c", "printf 'go? '; read -rsn1 key; exit 3"];
    for options in [json!({"record": "new"}), json!({"strict": true})] {
        let session = start(&daemon, &command, &tape(&root, options)).unwrap();
        ask(&daemon, &session, (None, "go\\? $")).unwrap();
        types(&daemon, &session, "q").unwrap();
        assert_eq!(ended(&daemon, &session)["exitstatus"], 3);
    }
    let text = fs::read_to_string(&tapes(&root)[0]).unwrap();
    assert!(text.contains("dataText: \"q\""), "{text}");
    assert!(!text.contains("unfinished"), "{text}");
}

#[test]
fn a_key_that_was_answered_plays_and_so_does_what_came_behind_it() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    write(
        &root,
        "menu",
        &[
            ("> ", "raw", "1", "1 what: "),
            ("> 1 what: ", "line", "0", "0\\r\\nten\\r\\n> "),
        ],
    );
    write(
        &root,
        "whole",
        &[("> ", "line", "12", "12\\r\\ntwelve\\r\\n> ")],
    );
    let begin = || {
        let session = start(&daemon, &["asks"], &tape(&root, json!({}))).unwrap();
        ask(&daemon, &session, (None, "> $")).unwrap();
        session
    };
    let session = begin();
    types_keys(&daemon, &session, "10\r");
    ask(&daemon, &session, (None, "ten\\s+> $")).unwrap();
    // Typed at once, it matches as a whole line.
    let session = begin();
    types(&daemon, &session, "12\r").unwrap();
    ask(&daemon, &session, (None, "twelve\\s+> $")).unwrap();
}

#[test]
fn what_is_taken_back_in_a_line_does_not_count() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    write(
        &root,
        "whole",
        &[("> ", "line", "go on", "go on\\r\\ngone\\r\\n> ")],
    );
    for by_keys in [false, true] {
        let typed = "z\u{15}gxy\u{7f}\u{8}o off\u{17}on\r";
        let session = start(&daemon, &["asks"], &tape(&root, json!({}))).unwrap();
        ask(&daemon, &session, (None, "> $")).unwrap();
        if by_keys {
            types_keys(&daemon, &session, typed);
        } else {
            types(&daemon, &session, typed).unwrap();
        }
        ask(&daemon, &session, (None, "gone\\s+> $")).unwrap();
    }
}

#[test]
fn a_wait_for_lines_that_were_recorded_as_one_says_what_is_awaited() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let answer = "a\\r\\nb\\r\\nboth\\r\\n> ";
    write(&root, "both", &[("> ", "raw", "a\\rb\\r", answer)]);
    let session = start(&daemon, &["asks"], &tape(&root, json!({}))).unwrap();
    ask(&daemon, &session, (None, "> $")).unwrap();
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
