//! Programs that are recorded and then replayed by the same calls.

use crate::support::conversation::{
    Step, ask, close, converse, converse_with, ended, line, new_tape, nowhere, only_tape, output,
    record, root, send, start, tape, tapes,
};
use crate::support::session::{assert_error, lacks};
use crate::support::taped::handmade;
use crate::support::{Daemon, assert_fields, assert_has, assert_lacks, eventually};
use ccd_protocol::ErrorCode;
use serde_json::json;

/// Records a conversation, replays it where the program cannot be found, and asserts that everything is the same.
fn round_trip(daemon: &Daemon, command: &[&str], steps: &[Step<'_>], last: &str) {
    if lacks(&[command[0]]) {
        return;
    }
    let root = daemon.home().join(command[0]);
    let recorded = converse(daemon, command, &new_tape(&root), steps, last);
    assert_eq!(tapes(&root).len(), 1, "{}", recorded.text());
    let nowhere = nowhere(daemon);
    let options = tape(&root, json!({}));
    let replayed = converse_with(daemon, command, &options, &nowhere, steps, last);
    assert_eq!(replayed.text(), recorded.text());
    assert_eq!(replayed, recorded);
    // Recording it again adds nothing.
    let again = converse(daemon, command, &new_tape(&root), steps, last);
    assert_eq!(again.exitstatus, recorded.exitstatus);
    assert_eq!(tapes(&root).len(), 1, "{}", again.text());
}

#[test]
fn programs_play_as_they_were_recorded() {
    let daemon = Daemon::start();
    let steps = [
        (None, "sqlite> $"),
        (Some("create table t(a);"), "sqlite> $"),
        (Some("insert into t values (1), (2);"), "sqlite> $"),
        (Some("select sum(a) from t;"), "3\\s+sqlite> $"),
    ];
    round_trip(&daemon, &["sqlite3"], &steps, ".exit 3");
    let steps = [
        (None, "ready> $"),
        (Some("x=1"), "ready> $"),
        (Some("echo $((x += 1))"), "2\\s+.*ready> $"),
        (Some("echo $((x += 1))"), "3\\s+.*ready> $"),
        (Some("echo $((x += 1))"), "4\\s+.*ready> $"),
    ];
    round_trip(&daemon, &["bash", "--norc"], &steps, "exit 7");
    let steps = [
        (None, ">>> $"),
        (Some("x = 20"), ">>> $"),
        (Some("print(x + 1)"), "21\\s+.*>>> $"),
    ];
    let last = "raise SystemExit(5)";
    round_trip(&daemon, &["python3", "-q"], &steps, last);
    let steps = [(Some("6*7"), "42\n")];
    round_trip(&daemon, &["bc", "-q"], &steps, "quit");
    let steps = [(Some("one"), "one\none\n"), (Some("two"), "two\ntwo\n")];
    round_trip(&daemon, &["cat"], &steps, "\u{4}");
}

#[test]
fn a_password_is_asked_for_and_on_no_tape() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let script = "read -rsp 'Password: ' p; echo; echo \"length ${#p}\"; read -r x; echo \"got $x $p\"; exit 4";
    let command = ["bash", "-c", script];
    let steps = [(None, "Password: $"), (Some("Hunter2-x9"), "length 10")];
    let recorded = converse(&daemon, &command, &new_tape(&root), &steps, "bye");
    let text = only_tape(&root);
    assert_has(&text, ["hidden: true"]);
    assert_lacks(&text, ["Hunter2-x9"]);
    let session = start(&daemon, &command, &tape(&root, json!({}))).unwrap();
    ask(&daemon, &session, (None, "Password: $")).unwrap();
    // The terminal hides the input, as it did during the recording.
    let waiting = eventually("the tape waits", || {
        Some(record(&daemon, &session))
            .filter(|record| record["waiting_for_input"]["verdict"] == "blocked")
    });
    assert_eq!(waiting["waiting_for_input"]["hidden"], true, "{waiting}");
    assert_eq!(line(&daemon, &session, "another")["hidden"], true);
    ask(&daemon, &session, (None, "length 10")).unwrap();
    line(&daemon, &session, "bye");
    assert_eq!(ended(&daemon, &session)["exitstatus"], 4);
    let played = String::from_utf8(output(&daemon, &session)).unwrap();
    assert_eq!(played, recorded.text().replace("Hunter2-x9", "***"));
}

#[test]
fn a_replay_is_a_session_like_any_other() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let steps = [(Some("hello"), "hello\nhello\n")];
    converse(&daemon, &["cat"], &new_tape(&root), &steps, "\u{4}");
    let session = start(&daemon, &["cat"], &tape(&root, json!({}))).unwrap();
    let live = record(&daemon, &session);
    assert_fields(&live, json!({"is_replay": true, "state": "alive"}));
    // A miss names the nearest exchange and what differs, and the conversation continues where it was.
    let error = ask(&daemon, &session, (Some("help"), "help")).unwrap_err();
    assert_error(&error, ErrorCode::TapeMiss);
    assert_has(&error, ["hello", "input"]);
    ask(&daemon, &session, steps[0]).unwrap();
    let it = json!({ "session": session });
    assert_has(&daemon.ok("session.screen", &it), ["hello"]);
    let wait = json!({"session": session, "for": "input", "timeout_ms": 5000});
    assert_eq!(daemon.ok("session.wait", &wait)["reason"], "input");
    assert_has(&daemon.ok("session.history", &it), ["SEND"]);
    assert_eq!(close(&daemon, &session)["killed"], json!([]));
    let uses = record(&daemon, &session)["tape"].clone();
    assert_fields(&uses, json!({"hits": 2, "misses": 1}));
    let none = start(&daemon, &["cat", "-u"], &tape(&root, json!({}))).unwrap_err();
    assert_error(&none, ErrorCode::TapeMiss);
    assert_has(&none, ["args"]);
}

/// A table that was created on the tape exists when the real program answers.
#[test]
fn the_real_program_goes_on_where_the_tape_ends() {
    if lacks(&["sqlite3"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = root(&daemon);
    let program = ["sqlite3"];
    let more = [
        (None, "sqlite> $"),
        (Some("create table t(a);"), "sqlite> $"),
        (Some("insert into t values (20), (22);"), "sqlite> $"),
        (Some("select sum(a) from t;"), "42\\s+sqlite> $"),
    ];
    converse(&daemon, &program, &new_tape(&root), &more[..3], ".exit");
    let proxy = json!({"record": "disabled", "fallback": "proxy"});
    let session = start(&daemon, &program, &tape(&root, proxy)).unwrap();
    for step in more {
        ask(&daemon, &session, step).unwrap();
    }
    let shown = String::from_utf8(output(&daemon, &session)).unwrap();
    assert_eq!(shown.matches("create table").count(), 1, "{shown}");
    line(&daemon, &session, ".exit 9");
    let ended = ended(&daemon, &session);
    assert_fields(&ended, json!({"exitstatus": 9, "tape": {"proxied": 2}}));
    assert_eq!(tapes(&root).len(), 1);
    // With `new`, the live part is recorded, and can then be played.
    let proxy = tape(&root, json!({"record": "new", "fallback": "proxy"}));
    let first = converse(&daemon, &program, &proxy, &more, ".exit 9");
    assert_eq!(tapes(&root).len(), 2);
    let strict = tape(&root, json!({"strict": true}));
    let played = converse(&daemon, &program, &strict, &more, ".exit 9");
    assert_eq!(played, first);
}

#[test]
fn overwriting_changes_the_matched_exchange_and_nothing_else() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let file = daemon.home().join("answer");
    let (one, two) = (format!("cat {}", file.display()), String::from("echo same"));
    let steps = [
        (None, "ready> $"),
        (Some(one.as_str()), "(old|new)\\s+.*ready> $"),
        (Some(two.as_str()), "same\\s+.*ready> $"),
    ];
    let converse = |options: serde_json::Value| {
        let options = tape(&root, options);
        converse(&daemon, &["bash", "--norc"], &options, &steps, "exit").text()
    };
    std::fs::write(&file, "old\n").unwrap();
    converse(json!({"record": "new"}));
    let before = only_tape(&root);
    let noted = before.replacen("exchanges: [", "// kept by hand\n  exchanges: [", 1);
    assert_ne!(noted, before);
    std::fs::write(&tapes(&root)[0], &noted).unwrap();
    std::fs::write(&file, "new\n").unwrap();
    converse(json!({"record": "overwrite"}));
    assert_has(&only_tape(&root), ["// kept by hand"]);
    let played = converse(json!({}));
    assert_has(&played, ["new"]);
    assert_lacks(&played, ["old"]);
}

#[test]
fn what_a_person_types_key_by_key_plays_as_a_line_and_the_other_way_round() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let types = |session: &str| {
        for (key, seen) in [
            ("h", "h"),
            ("e", "he"),
            ("y", "hey"),
            ("\r", "hey\r\nhey\r\n"),
        ] {
            send(&daemon, session, key);
            eventually(seen, || {
                (output(&daemon, session) == seen.as_bytes()).then_some(())
            });
        }
    };
    let session = start(&daemon, &["cat"], &new_tape(&root)).unwrap();
    types(&session);
    send(&daemon, &session, "\u{4}");
    ended(&daemon, &session);
    assert_has(&only_tape(&root), ["dataText: \"hey\""]);
    let options = tape(&root, json!({}));
    let steps = [(Some("hey"), "hey\nhey\n")];
    let played = converse(&daemon, &["cat"], &options, &steps, "\u{4}");
    assert_eq!(played.text(), "hey\r\nhey\r\n");
    // Typed again: each key is echoed at once.
    types(&start(&daemon, &["cat"], &options).unwrap());
}

#[test]
fn an_edit_is_picked_up_without_a_restart() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let path = root.join("slow/by-hand.json5");
    std::fs::create_dir_all(root.join("slow")).unwrap();
    std::fs::write(&path, handmade("slow", &[("go", "second", 0)])).unwrap();
    let answer = || {
        let session = start(&daemon, &["slow"], &tape(&root, json!({}))).unwrap();
        let (answer, _) = ask(&daemon, &session, (Some("go"), "second|third")).unwrap();
        answer
    };
    assert_eq!(answer(), "second");
    std::fs::write(&path, handmade("slow", &[("go", "third", 0)])).unwrap();
    eventually("the edited answer is played", || {
        (answer() == "third").then_some(())
    });
    std::fs::rename(&path, root.join("slow/renamed.json5")).unwrap();
    eventually("its new name is known", || {
        let listed = daemon.ok("tape.list", &json!({ "root": root }));
        (listed["tapes"][0]["tape_id"] == "slow/renamed").then_some(())
    });
    assert_eq!(answer(), "third");
    std::fs::remove_file(root.join("slow/renamed.json5")).unwrap();
    let gone = eventually("it is gone", || {
        start(&daemon, &["slow"], &tape(&root, json!({}))).err()
    });
    assert_error(&gone, ErrorCode::TapeMiss);
}
