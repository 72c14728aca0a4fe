//! Secrets reach no file while a program is recorded, except the session's own log of its output.

use crate::support::conversation::{
    ended, keys, line, output, record, root, send, start_with, tape,
};
use crate::support::secrets::{
    CAT, TOKEN, all, all_secrets, assert_nowhere, await_text, begin, cases, environment, escaped,
    exchanges, filled, plain, recording, removed, talkative, tape_at_the_end, type_at_cat,
};
use crate::support::session::lacks;
use crate::support::{Daemon, assert_has, assert_lacks, eventually};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// How a text is typed: at once, or key by key.
const WAYS: [fn(&Daemon, &str, &str); 2] = [
    |daemon, session, text| drop(send(daemon, session, text)),
    keys,
];

/// Returns the options that replay a recording, with no exchange in place of another.
fn strict(daemon: &Daemon) -> Value {
    tape(&root(daemon), json!({"strict": true, "latency": 0}))
}

#[test]
fn a_secret_that_is_typed_reaches_no_file_and_plays_when_it_is_typed_again() {
    if lacks(&["python3"]) {
        return;
    }
    let (daemon, cases) = (talkative(), cases());
    let secrets = all_secrets(&cases);
    let texts = || cases.iter().map(|case| case.text.as_str());
    let session = begin(&daemon, &CAT, &recording(&daemon));
    type_at_cat(&daemon, &session, texts());
    assert_nowhere(&daemon, &secrets);
    send(&daemon, &session, "\u{4}");
    let recorded = tape_at_the_end(&daemon, &session);
    assert_nowhere(&daemon, &secrets);
    let (input, output) = (all(&recorded, "input"), all(&recorded, "output"));
    for case in &cases {
        let redacted = plain(&case.redacted);
        assert!(plain(&output).contains(&redacted), "{redacted}\n{output}");
        let redacted = escaped(&case.redacted);
        assert!(input.contains(&redacted), "{redacted}\n{input}");
    }
    // At least twice, where it was typed and where it was printed.
    let all_there: usize = cases.iter().map(|case| case.secrets.len().min(2)).sum();
    assert!(removed(&recorded) as usize >= 2 * all_there, "{recorded}");
    assert_eq!(recorded["meta"]["redact"], true);
    let session = begin(&daemon, &CAT, &strict(&daemon));
    type_at_cat(&daemon, &session, texts());
    send(&daemon, &session, "\u{4}");
    assert_eq!(ended(&daemon, &session)["exitstatus"], 0);
    assert_eq!(record(&daemon, &session)["tape"]["misses"], 0);
    assert_nowhere(&daemon, &secrets);
}

/// Returns a program that prints pieces with pauses in between; it and its data are written to `folder`.
fn printer(folder: &Path, pieces: &[Vec<&str>]) -> Vec<String> {
    let script = "import json, sys, time\n\
        for pieces in json.load(open(sys.argv[1])):\n\
        \x20   for piece in pieces:\n\
        \x20       sys.stdout.write(piece)\n\
        \x20       sys.stdout.flush()\n\
        \x20       time.sleep(0.002)\n\
        \x20   sys.stdout.write('\\n--\\n')\n";
    let (program, data) = (folder.join("p.py"), folder.join("pieces.json"));
    std::fs::write(&program, script).unwrap();
    std::fs::write(&data, json!(pieces).to_string()).unwrap();
    let path = |path: PathBuf| path.to_str().unwrap().to_owned();
    vec![String::from("python3"), path(program), path(data)]
}

/// Splits a text into three pieces.
fn cut(text: &str, first: usize, second: usize) -> Vec<&str> {
    let first = text.floor_char_boundary(first);
    let second = text.floor_char_boundary(second.max(first));
    vec![&text[..first], &text[first..second], &text[second..]]
}

#[test]
fn a_secret_that_is_printed_in_pieces_reaches_no_file() {
    if lacks(&["python3"]) {
        return;
    }
    let (daemon, cases) = (talkative(), cases());
    let secrets = all_secrets(&cases);
    let printed: Vec<String> = cases
        .iter()
        .map(|case| case.text.replace("\r\n", "\n"))
        .collect();
    let mut pieces = Vec::new();
    for (case, text) in cases.iter().zip(&printed) {
        let secret = &case.secrets[0];
        let at = text.find(secret.as_str()).unwrap() + secret.len();
        pieces.push(cut(text, text.len() / 3, text.len() * 2 / 3));
        pieces.push(cut(text, at - secret.len() / 2, at - 1));
        pieces.push(cut(text, at - 2, at + 1));
    }
    let folder = tempfile::tempdir().unwrap();
    let command = printer(folder.path(), &pieces);
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let session = begin(&daemon, &command, &recording(&daemon));
    eventually("everything is printed", || {
        assert_nowhere(&daemon, &secrets);
        (record(&daemon, &session)["state"] == "dead").then_some(())
    });
    let recorded = tape_at_the_end(&daemon, &session);
    assert_nowhere(&daemon, &secrets);
    let chunks = recorded["exchanges"][0]["chunks"].as_u64().unwrap();
    assert!(chunks > cases.len() as u64, "{chunks}");
    // Longer than a record shows.
    let params =
        json!({"root": root(&daemon), "tape": recorded["tape_id"], "format": "transcript"});
    let shown = daemon.ok("tape.export", &params);
    let shown = plain(shown["text"].as_str().unwrap());
    for case in &cases {
        let redacted = plain(&case.redacted);
        let count = shown.matches(&format!("{redacted}--\n")).count();
        assert!(count >= 3, "{count} {redacted}\n{shown}");
    }
    assert_lacks(&shown, &secrets);
}

#[test]
fn secrets_of_arguments_and_of_the_environment_reach_no_file() {
    let (daemon, cases) = (talkative(), cases());
    let secrets = all_secrets(&cases);
    let mut command = vec!["sh", "-c", "read x", "sh"];
    command.extend(cases.iter().map(|case| case.text.as_str()));
    let mut env = environment();
    for (number, case) in cases.iter().enumerate() {
        env[format!("CASE_{number}")] = json!(case.text);
    }
    env["MY_TOKEN"] = json!("seems-to-be-harmless-4711");
    let matching = json!({"allow_env": ["CASE_*", "MY_TOKEN"]});
    let new = tape(&root(&daemon), json!({"record": "new", "match": matching}));
    let session = start_with(&daemon, &command, &new, &env).unwrap();
    let secrets = [secrets, vec!["seems-to-be-harmless-4711".into()]].concat();
    assert_nowhere(&daemon, &secrets);
    line(&daemon, &session, "");
    let recorded = tape_at_the_end(&daemon, &session);
    assert_nowhere(&daemon, &secrets);
    let meta = &recorded["meta"];
    for (number, case) in cases.iter().enumerate() {
        assert_eq!(meta["args"][number + 3], case.redacted.as_str());
        assert_eq!(
            meta["env"][format!("CASE_{number}")],
            case.redacted.as_str()
        );
    }
    assert_eq!(meta["env"]["MY_TOKEN"], "***");
    // The tape is found with the real values, and with other ones in their place.
    let strict = tape(&root(&daemon), json!({"strict": true, "match": matching}));
    let session = start_with(&daemon, &command, &strict, &env).unwrap();
    line(&daemon, &session, "");
    ended(&daemon, &session);
    assert_nowhere(&daemon, &secrets);
}

/// Records `password=hunter2-4711` as argument, input and output, and returns the tape.
fn with_password(daemon: &Daemon, options: Value) -> Value {
    let command = ["sh", "-c", "read x; echo $x", "password=hunter2-4711"];
    let mut options = tape(&root(daemon), options);
    options["record"] = json!("new");
    let session = begin(daemon, &command, &options);
    line(daemon, &session, "password=hunter2-4711");
    tape_at_the_end(daemon, &session)
}

#[test]
fn secrets_are_kept_where_that_is_asked_for_and_the_tape_says_so() {
    let kept = |tape: &Value| {
        assert_eq!(tape["meta"]["redact"], false, "{tape}");
        assert_eq!(tape["meta"]["args"][2], "password=hunter2-4711");
        assert_eq!(all(tape, "input").trim_end(), "password=hunter2-4711");
        assert_eq!(all(tape, "output").matches("hunter2-4711").count(), 2);
        assert_eq!(removed(tape), 0);
    };
    let gone = |tape: &Value| {
        assert_eq!(tape["meta"]["redact"], true, "{tape}");
        assert!(!tape.to_string().contains("hunter2-4711"), "{tape}");
    };
    kept(&with_password(&Daemon::start(), json!({"redact": false})));
    gone(&with_password(&Daemon::start(), json!({})));
    let off = || Daemon::builder().env("CLAUDECONTROL_REDACT", "off").start();
    kept(&with_password(&off(), json!({})));
    // A request can still turn redaction on.
    gone(&with_password(&off(), json!({"redact": true})));
}

#[test]
fn a_secret_that_is_typed_key_by_key_reaches_no_file() {
    if lacks(&["cat", "bash", "python3"]) {
        return;
    }
    let secrets = [TOKEN[..20].to_owned(), TOKEN[20..].to_owned()];
    let export = format!("export TOKEN={TOKEN}");
    let python = format!("token = '{TOKEN}'");
    for (command, prompt, text, last) in [
        (&["cat"][..], "", &export, "\u{4}"),
        (&["bash", "--norc"], "ready> $", &export, "exit\r"),
        (&["python3", "-q"], ">>> $", &python, "exit()\r"),
    ] {
        for types in WAYS {
            let daemon = talkative();
            let session = begin(&daemon, command, &recording(&daemon));
            await_text(&daemon, &session, prompt);
            types(&daemon, &session, text);
            assert_nowhere(&daemon, &secrets);
            eventually("the echo appears", || {
                let came = output(&daemon, &session);
                let came = String::from_utf8_lossy(&came);
                came.contains(&TOKEN[36..]).then_some(())
            });
            assert_nowhere(&daemon, &secrets);
            send(&daemon, &session, "\r");
            await_text(&daemon, &session, prompt);
            assert_nowhere(&daemon, &secrets);
            send(&daemon, &session, last);
            let recorded = tape_at_the_end(&daemon, &session);
            assert_nowhere(&daemon, &secrets);
            assert_has(&all(&recorded, "input"), ["***"]);
            // Typed again as one line, it plays.
            let session = begin(&daemon, command, &strict(&daemon));
            await_text(&daemon, &session, prompt);
            line(&daemon, &session, text);
            await_text(&daemon, &session, "\\*\\*\\*");
        }
    }
}

/// Reads keys until Enter, and shows none.
const RAW: &str = "import os, sys, termios, tty\n\
    old = termios.tcgetattr(0)\n\
    tty.setraw(0)\n\
    os.write(1, b'PIN: ')\n\
    typed = b''\n\
    while not typed.endswith(b'\\r'):\n\
    \x20   typed += os.read(0, 1)\n\
    termios.tcsetattr(0, termios.TCSANOW, old)\n\
    print('\\nlength', len(typed) - 1)\n";

#[test]
fn what_is_typed_where_nothing_is_shown_reaches_no_file() {
    if lacks(&["bash", "python3"]) {
        return;
    }
    let secret = "Zaunkönig-81x";
    let traced = vec![secret.to_owned(), secret[..8].to_owned()];
    let read = "read -rsp 'Password: ' p; echo; echo length ${#p}";
    let getpass = "import getpass; print('length', len(getpass.getpass('Password: ')))";
    for (command, prompt) in [
        (["bash", "-c", read], "Password: $"),
        (["python3", "-c", getpass], "Password: $"),
        (["python3", "-c", RAW], "PIN: $"),
    ] {
        for types in WAYS {
            let daemon = talkative();
            let session = begin(&daemon, &command, &recording(&daemon));
            await_text(&daemon, &session, prompt);
            types(&daemon, &session, secret);
            assert_nowhere(&daemon, &traced);
            send(&daemon, &session, "\r");
            let recorded = tape_at_the_end(&daemon, &session);
            assert_nowhere(&daemon, &traced);
            let hidden = exchanges(&recorded).find(|exchange| {
                exchange["annotations"]["hidden"] == true && exchange["input"] == "***"
            });
            assert!(hidden.is_some(), "{command:?} {recorded}");
            assert!(all(&recorded, "output").contains("length"), "{recorded}");
            assert!(!all(&recorded, "input").contains("Zau"), "{recorded}");
            let session = begin(&daemon, &command, &strict(&daemon));
            await_text(&daemon, &session, prompt);
            line(&daemon, &session, "another");
            await_text(&daemon, &session, "length");
            assert_nowhere(&daemon, &traced);
        }
    }
}

/// A private key that is typed or pasted line by line.
#[test]
fn a_private_key_that_is_typed_line_by_line_reaches_no_file() {
    let secrets = [
        filled("{{64}}"),
        filled("{{64}}").chars().rev().collect::<String>(),
        String::from("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo="),
    ];
    let (start, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
    let key = secrets.iter().map(String::as_str);
    let key: Vec<&str> = [start].into_iter().chain(key).chain([end, "."]).collect();
    for (command, prompt, first) in [
        (&["cat"][..], "", None),
        (&["bash", "--norc"], "> $", Some("cat > /dev/null <<'.'")),
    ] {
        let daemon = talkative();
        let type_it = |session: &str| {
            for text in first.iter().chain(&key) {
                await_text(&daemon, session, prompt);
                line(&daemon, session, text);
                assert_nowhere(&daemon, &secrets);
            }
            await_text(&daemon, session, "\\.\n(?s:.*)(> |\\.\n)$");
            if first.is_some() {
                line(&daemon, session, "echo done");
                await_text(&daemon, session, "done\n(?s:.*)> $");
            }
            send(&daemon, session, "\u{4}");
        };
        let session = begin(&daemon, command, &recording(&daemon));
        type_it(&session);
        let recorded = tape_at_the_end(&daemon, &session);
        assert_nowhere(&daemon, &secrets);
        assert_lacks(&recorded, &secrets);
        let session = begin(&daemon, command, &strict(&daemon));
        type_it(&session);
        assert_eq!(ended(&daemon, &session)["exitstatus"], 0);
        assert_nowhere(&daemon, &secrets);
    }
}

#[test]
fn each_line_of_one_input_hides_its_secret() {
    if lacks(&["python3"]) {
        return;
    }
    let daemon = talkative();
    let inputs = [
        "PASS TapMul1aa\nauth TapMul2aa",
        "AUTH TapMul3aa\nPASS TapMul4aa",
        "select 1;\nauth default TapMul5aa",
        "AUTH TapMul6aa\nALTER x\nauth TapMul7aa",
        "print(\"\"\"\nPASS TapMul8aa\n\"\"\")",
    ];
    let secrets: Vec<String> = (1..=8).map(|number| format!("TapMul{number}aa")).collect();
    let session = begin(&daemon, &CAT, &recording(&daemon));
    type_at_cat(&daemon, &session, inputs.into_iter());
    let paste = json!({"session": session, "text": "ls\nPASS TapMul1aa", "paste": true});
    daemon.ok("session.send", &paste);
    send(&daemon, &session, "\r\u{4}");
    let recorded = tape_at_the_end(&daemon, &session);
    assert!(
        all(&recorded, "input").contains("auth default ***"),
        "{recorded}"
    );
    eventually("the history is written", || {
        let params = json!({"session": session, "limit": 1000});
        let rows = daemon.ok("session.history", &params).to_string();
        assert_lacks(&rows, &secrets);
        rows.contains("auth default ***").then_some(())
    });
    assert_nowhere(&daemon, &secrets);
}
