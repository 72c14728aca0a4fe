//! The summary at the end of a session with tapes, in the reply and as text.

use super::config::configured;
use crate::support::conversation::{ended, start};
use crate::support::{Ccctl, Daemon, assert_fields, assert_has, assert_lacks};
use serde_json::{Value, json};
use std::fs;

/// Records `echo` once for each text.
fn record_all(daemon: &Daemon, texts: &[&str]) {
    for text in texts {
        let options = json!({"record": "new", "tag": text, "name": "{program}/{tag}"});
        let session = start(daemon, &["echo", text], &options).unwrap();
        let new = json!([format!("echo/{text}")]);
        let tape = json!({"new": new, "written": new});
        assert_fields(&ended(daemon, &session), json!({ "tape": tape }));
    }
}

#[test]
fn unused_are_all_tapes_of_the_root_that_this_session_did_not_play() {
    let mut daemon = configured(json!({}));
    record_all(&daemon, &["one", "two"]);
    let other = json!({"record": "new", "name": "other"});
    ended(&daemon, &start(&daemon, &["true"], &other).unwrap());
    let play = |daemon: &Daemon, text: &str| {
        let session = start(daemon, &["echo", text], &json!({})).unwrap();
        let tape = ended(daemon, &session)["tape"].clone();
        (tape["used"].clone(), tape["unused"].clone())
    };
    let one = (json!(["echo/one"]), json!(["echo/two", "other"]));
    let two = (json!(["echo/two"]), json!(["echo/one", "other"]));
    // What another session played before does not count.
    assert_eq!(play(&daemon, "one"), one);
    assert_eq!(play(&daemon, "two"), two);
    assert_eq!(play(&daemon, "one"), one);
    let listed = daemon.ok("session.list", &json!({"all": true}));
    assert_lacks(&listed, ["unused"]);
    // Nor does what was played while another daemon ran, for the summary at the daemon's end.
    daemon.stop();
    fs::remove_dir_all(daemon.home().join("logs")).unwrap();
    daemon.restart();
    assert_eq!(play(&daemon, "two"), two);
    daemon.stop();
    let log = daemon.log_text();
    let mut lines = log.lines();
    let summary = lines
        .find(|line| line.contains("summary of tapes"))
        .unwrap();
    assert_has(summary, ["echo/one other"]);
    assert_lacks(summary, ["echo/two"]);
}

#[test]
fn close_and_wait_print_the_summary_too() {
    let daemon = configured(json!({}));
    record_all(&daemon, &["one", "two"]);
    let ccctl = Ccctl::new(&daemon);
    let options = json!({"record": "new", "name": "sh"});
    let session = start(&daemon, &["sh", "-c", "echo ready; read x"], &options).unwrap();
    let ran = ccctl.run(&["session", "close", &session]);
    assert_has(&ran.stderr, ["recorded 1 exchange as sh in "]);
    let session = start(&daemon, &["echo", "one"], &json!({})).unwrap();
    let ran = ccctl.run(&["session", "wait", &session, "--exit"]);
    assert_eq!(ran.stdout, "exited 0\n");
    let told = "replayed 1 exchange of echo/one\n";
    assert_has(
        &ran.stderr,
        [told, "2 tapes were not played: echo/two, sh\n"],
    );
    // A session that has ended can still be closed.
    let ran = ccctl.run(&["session", "close", &session]);
    assert_has(&ran.stderr, [told]);
    let ran = ccctl.run(&["session", "close", &session, "--json"]);
    let reply: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(reply["tape"]["unused"], json!(["echo/two", "sh"]));
    assert_eq!(ran.stderr, "");
    let silent = start(&daemon, &["echo", "one"], &json!({"summary": false})).unwrap();
    let plain = ccctl.ok(&["session", "create", "--", "true"]);
    for session in [&silent, plain.trim()] {
        for words in [
            &["session", "wait", session, "--exit"][..],
            &["session", "close", session],
        ] {
            assert_eq!(ccctl.run(words).stderr, "");
        }
    }
}
