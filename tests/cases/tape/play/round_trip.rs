//! Programs that are recorded and then replayed by the same calls.

use crate::support::conversation::{
    Step, ask, converse, converse_with, ended, output, record, start, tape, tapes,
};
use crate::support::session::{assert_error, lacks};
use crate::support::{Daemon, eventually};
use ccd_protocol::ErrorCode;
use serde_json::json;
use std::path::Path;

/// Records a conversation, replays it where the program cannot be found, and asserts that everything is the same.
fn round_trip(command: &[&str], steps: &[Step<'_>], last: &str) {
    if lacks(&[command[0]]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("tapes-here");
    let new = tape(&root, json!({"record": "new"}));
    let recorded = converse(&daemon, command, &new, steps, last);
    assert_eq!(tapes(&root).len(), 1, "{}", recorded.text());
    let nowhere = json!({"HOME": daemon.home(), "PS1": "ready> ", "PATH": "/nowhere"});
    let replayed = converse_with(
        &daemon,
        command,
        &tape(&root, json!({})),
        &nowhere,
        steps,
        last,
    );
    assert_eq!(replayed.text(), recorded.text());
    assert_eq!(replayed, recorded);
    // Recording it again adds nothing.
    let again = converse(&daemon, command, &new, steps, last);
    assert_eq!(again.exitstatus, recorded.exitstatus);
    assert_eq!(tapes(&root).len(), 1, "{}", again.text());
}

#[test]
fn sqlite3_plays_as_it_was_recorded() {
    let steps = [
        (None, "sqlite> $"),
        (Some("create table t(a);"), "sqlite> $"),
        (Some("insert into t values (1), (2);"), "sqlite> $"),
        (Some("select sum(a) from t;"), "3\\s+sqlite> $"),
    ];
    round_trip(&["sqlite3"], &steps, ".exit 3");
}

#[test]
fn bash_plays_as_it_was_recorded() {
    let steps = [
        (None, "ready> $"),
        (Some("x=1"), "ready> $"),
        (Some("echo $((x += 1))"), "2\\s+.*ready> $"),
        (Some("echo $((x += 1))"), "3\\s+.*ready> $"),
        (Some("echo $((x += 1))"), "4\\s+.*ready> $"),
    ];
    round_trip(&["bash", "--norc"], &steps, "exit 7");
}

#[test]
fn python_plays_as_it_was_recorded() {
    let steps = [
        (None, ">>> $"),
        (Some("x = 20"), ">>> $"),
        (Some("print(x + 1)"), "21\\s+.*>>> $"),
    ];
    round_trip(&["python3", "-q"], &steps, "raise SystemExit(5)");
}

#[test]
fn bc_plays_as_it_was_recorded() {
    round_trip(&["bc", "-q"], &[(Some("6*7"), "42\n")], "quit");
}

#[test]
fn cat_plays_as_it_was_recorded_to_the_end_of_its_input() {
    let steps = [(Some("one"), "one\none\n"), (Some("two"), "two\ntwo\n")];
    round_trip(&["cat"], &steps, "\u{4}");
}

#[test]
fn a_password_is_asked_for_and_on_no_tape() {
    if lacks(&["bash"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let script = "read -rsp 'Password: ' p; echo; echo \"length ${#p}\"; read -r x; echo \"got $x $p\"; exit 4";
    let command = ["bash", "-c", script];
    let steps = [(None, "Password: $"), (Some("Hunter2-x9"), "length 10")];
    let new = tape(&root, json!({"record": "new"}));
    let recorded = converse(&daemon, &command, &new, &steps, "bye");
    let text = std::fs::read_to_string(&tapes(&root)[0]).unwrap();
    assert!(
        !text.contains("Hunter2-x9") && text.contains("hidden: true"),
        "{text}"
    );
    let session = start(&daemon, &command, &tape(&root, json!({}))).unwrap();
    ask(&daemon, &session, (None, "Password: $")).unwrap();
    // The terminal hides the input, as it did during the recording.
    let waiting = eventually("the tape waits", || {
        Some(record(&daemon, &session))
            .filter(|record| record["waiting_for_input"]["verdict"] == "blocked")
    });
    assert_eq!(waiting["waiting_for_input"]["hidden"], true, "{waiting}");
    let sent = daemon
        .call_value(
            "session.send",
            &json!({"session": session, "text": "another", "newline": true}),
        )
        .unwrap();
    assert_eq!(sent["hidden"], true);
    ask(&daemon, &session, (None, "length 10")).unwrap();
    daemon
        .call_value(
            "session.send",
            &json!({"session": session, "text": "bye", "newline": true}),
        )
        .unwrap();
    let ended = ended(&daemon, &session);
    assert_eq!(ended["exitstatus"], 4, "{ended}");
    let played = String::from_utf8(output(&daemon, &session)).unwrap();
    assert_eq!(played, recorded.text().replace("Hunter2-x9", "***"));
}

#[test]
fn a_replay_is_a_session_like_any_other() {
    if lacks(&["cat"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let steps = [(Some("hello"), "hello\nhello\n")];
    converse(
        &daemon,
        &["cat"],
        &tape(&root, json!({"record": "new"})),
        &steps,
        "\u{4}",
    );
    let session = start(&daemon, &["cat"], &tape(&root, json!({}))).unwrap();
    let live = record(&daemon, &session);
    assert_eq!(
        (&live["is_replay"], &live["state"]),
        (&json!(true), &json!("alive"))
    );
    // A miss names the nearest exchange and what differs, and the conversation continues where it was.
    let error = ask(&daemon, &session, (Some("help"), "help")).unwrap_err();
    assert_error(&error, ErrorCode::TapeMiss);
    let text = error.to_string();
    assert!(text.contains("hello") && text.contains("input"), "{text}");
    ask(&daemon, &session, steps[0]).unwrap();
    let screen = daemon
        .call_value("session.screen", &json!({ "session": session }))
        .unwrap();
    assert!(screen.to_string().contains("hello"), "{screen}");
    let wait = json!({"session": session, "for": "input", "timeout_ms": 5000});
    assert_eq!(
        daemon.call_value("session.wait", &wait).unwrap()["reason"],
        "input"
    );
    let history = daemon
        .call_value("session.history", &json!({ "session": session }))
        .unwrap();
    assert!(history.to_string().contains("SEND"), "{history}");
    let closed = daemon
        .call_value("session.close", &json!({ "session": session }))
        .unwrap();
    assert_eq!(closed["killed"], json!([]));
    let uses = record(&daemon, &session)["tape"].clone();
    assert_eq!(
        (&uses["hits"], &uses["misses"]),
        (&json!(2), &json!(1)),
        "{uses}"
    );
    let none = start(&daemon, &["cat", "-u"], &tape(&root, json!({}))).unwrap_err();
    assert_error(&none, ErrorCode::TapeMiss);
    assert!(none.to_string().contains("args"), "{none}");
}

/// A table that was created on the tape exists when the real program answers.
#[test]
fn the_real_program_goes_on_where_the_tape_ends() {
    if lacks(&["sqlite3"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let steps = [
        (None, "sqlite> $"),
        (Some("create table t(a);"), "sqlite> $"),
        (Some("insert into t values (20), (22);"), "sqlite> $"),
    ];
    converse(
        &daemon,
        &["sqlite3"],
        &tape(&root, json!({"record": "new"})),
        &steps,
        ".exit",
    );
    let proxy = tape(&root, json!({"record": "disabled", "fallback": "proxy"}));
    let session = start(&daemon, &["sqlite3"], &proxy).unwrap();
    for step in steps {
        ask(&daemon, &session, step).unwrap();
    }
    let (found, _) = ask(
        &daemon,
        &session,
        (Some("select sum(a) from t;"), "42\\s+sqlite> $"),
    )
    .unwrap();
    assert!(found.starts_with("42"));
    let shown = String::from_utf8(output(&daemon, &session)).unwrap();
    assert_eq!(shown.matches("create table").count(), 1, "{shown}");
    let params = json!({"session": session, "text": ".exit 9", "newline": true});
    daemon.call_value("session.send", &params).unwrap();
    let ended = ended(&daemon, &session);
    assert_eq!(ended["exitstatus"], 9);
    assert_eq!(ended["tape"]["proxied"], 2, "{ended}");
    assert_eq!(tapes(&root).len(), 1);
    // With `new`, the live part is recorded, and can then be played.
    let proxy = tape(&root, json!({"record": "new", "fallback": "proxy"}));
    let more = [
        steps.as_slice(),
        &[(Some("select sum(a) from t;"), "42\\s+sqlite> $")],
    ]
    .concat();
    let first = converse(&daemon, &["sqlite3"], &proxy, &more, ".exit 9");
    assert_eq!(tapes(&root).len(), 2);
    let played = converse(
        &daemon,
        &["sqlite3"],
        &tape(&root, json!({"strict": true})),
        &more,
        ".exit 9",
    );
    assert_eq!(played, first);
}

#[test]
fn overwriting_changes_the_matched_exchange_and_nothing_else() {
    if lacks(&["bash"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let file = daemon.home().join("answer");
    let (one, two) = (format!("cat {}", file.display()), String::from("echo same"));
    let steps = [
        (None, "ready> $"),
        (Some(one.as_str()), "(old|new)\\s+.*ready> $"),
        (Some(two.as_str()), "same\\s+.*ready> $"),
    ];
    let command = ["bash", "--norc"];
    std::fs::write(&file, "old\n").unwrap();
    converse(
        &daemon,
        &command,
        &tape(&root, json!({"record": "new"})),
        &steps,
        "exit",
    );
    let path = &tapes(&root)[0];
    let before = std::fs::read_to_string(path).unwrap();
    let noted = before.replacen("exchanges: [", "// kept by hand\n  exchanges: [", 1);
    assert_ne!(noted, before);
    std::fs::write(path, &noted).unwrap();
    std::fs::write(&file, "new\n").unwrap();
    converse(
        &daemon,
        &command,
        &tape(&root, json!({"record": "overwrite"})),
        &steps,
        "exit",
    );
    assert_eq!(tapes(&root).len(), 1);
    let after = std::fs::read_to_string(path).unwrap();
    assert!(after.contains("// kept by hand"), "{after}");
    let played = converse(&daemon, &command, &tape(&root, json!({})), &steps, "exit");
    assert!(
        played.text().contains("new") && !played.text().contains("old"),
        "{}",
        played.text()
    );
}

/// Writes a tape that prints a prompt, and answers `go` with two chunks, each after `delay_ms`.
fn write_tape(root: &Path, program: &str, delay_ms: u64) {
    std::fs::create_dir_all(root.join(program)).unwrap();
    let text = format!(
        r#"{{
  meta: {{ program: "{program}", args: [], env: {{}}, cwd: "/" }},
  session: {{ format: 1 }},
  exchanges: [
    {{ pre: {{ prompt: "" }}, input: {{ type: "raw", dataText: "" }}, output: {{ chunks: [{{ delay_ms: 0, dataText: "hello\r\n> " }}] }} }},
    // edited by hand
    {{ pre: {{ prompt: "> " }}, input: {{ type: "line", dataText: "go" }}, output: {{ chunks: [
      {{ delay_ms: {delay_ms}, dataText: "first\r\n" }}, {{ delay_ms: {delay_ms}, dataText: "second\r\n> " }} ] }} }},
  ],
}}"#
    );
    std::fs::write(root.join(program).join("by-hand.json5"), text).unwrap();
}

#[test]
fn what_a_person_types_key_by_key_plays_as_a_line_and_the_other_way_round() {
    if lacks(&["cat"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let new = tape(&root, json!({"record": "new"}));
    let session = start(&daemon, &["cat"], &new).unwrap();
    let types = |session: &str, key: &str, seen: &str| {
        let params = json!({"session": session, "text": key});
        daemon.call_value("session.send", &params).unwrap();
        eventually(seen, || {
            (output(&daemon, session) == seen.as_bytes()).then_some(())
        });
    };
    let keys = [
        ("h", "h"),
        ("e", "he"),
        ("y", "hey"),
        ("\r", "hey\r\nhey\r\n"),
    ];
    for (key, seen) in keys {
        types(&session, key, seen);
    }
    ask(&daemon, &session, (None, "hey\nhey\n")).unwrap();
    daemon
        .call_value(
            "session.send",
            &json!({"session": session, "text": "\u{4}"}),
        )
        .unwrap();
    ended(&daemon, &session);
    let text = std::fs::read_to_string(&tapes(&root)[0]).unwrap();
    assert!(text.contains("dataText: \"hey\""), "{text}");
    let played = converse(
        &daemon,
        &["cat"],
        &tape(&root, json!({})),
        &[(Some("hey"), "hey\nhey\n")],
        "\u{4}",
    );
    assert_eq!(played.text(), "hey\r\nhey\r\n");
    // Typed again: each key is echoed at once.
    let session = start(&daemon, &["cat"], &tape(&root, json!({}))).unwrap();
    for (key, seen) in keys {
        types(&session, key, seen);
    }
}

#[test]
fn an_edit_is_picked_up_without_a_restart() {
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    write_tape(&root, "slow", 0);
    let answer = || {
        let session = start(&daemon, &["slow"], &tape(&root, json!({}))).unwrap();
        let (answer, _) = ask(&daemon, &session, (Some("go"), "second|third")).unwrap();
        answer
    };
    assert_eq!(answer(), "second");
    let path = root.join("slow/by-hand.json5");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("second", "third")).unwrap();
    eventually("the edited answer is played", || {
        (answer() == "third").then_some(())
    });
    std::fs::rename(&path, root.join("slow/renamed.json5")).unwrap();
    eventually("its new name is known", || {
        let listed = daemon.call_value("tape.list", &json!({ "root": root }));
        (listed.unwrap()["tapes"][0]["tape_id"] == "slow/renamed").then_some(())
    });
    assert_eq!(answer(), "third");
    std::fs::remove_file(root.join("slow/renamed.json5")).unwrap();
    let gone = eventually("it is gone", || {
        start(&daemon, &["slow"], &tape(&root, json!({}))).err()
    });
    assert_error(&gone, ErrorCode::TapeMiss);
}
