//! The summary at the end of a session with tapes, in the reply and as text.

use super::config::{configured, root};
use crate::support::conversation::{ended, start, tapes};
use crate::support::{Ccctl, Daemon};
use serde_json::{Value, json};
use std::fs;

/// Records `echo` once for each text.
fn record_all<'a>(daemon: &Daemon, texts: impl IntoIterator<Item = &'a str>) {
    for text in texts {
        let options = json!({"record": "new", "tag": text, "name": "{program}/{tag}"});
        let session = start(daemon, &["echo", text], &options).unwrap();
        let ended = ended(daemon, &session);
        let new = json!([format!("echo/{text}")]);
        assert_eq!(
            (&ended["tape"]["new"], &ended["tape"]["written"]),
            (&new, &new)
        );
    }
}

#[test]
fn unused_are_all_tapes_of_the_root_that_this_session_did_not_play() {
    let (mut daemon, options) = configured(json!({}));
    record_all(&daemon, ["one", "two"]);
    let cat = start(
        &daemon,
        &["true"],
        &json!({"record": "new", "name": "other"}),
    )
    .unwrap();
    ended(&daemon, &cat);
    let play = |daemon: &Daemon, text: &str| {
        let session = start(daemon, &["echo", text], &options).unwrap();
        let tape = ended(daemon, &session)["tape"].clone();
        (tape["used"].clone(), tape["unused"].clone())
    };
    let one = (json!(["echo/one"]), json!(["echo/two", "other"]));
    let two = (json!(["echo/two"]), json!(["echo/one", "other"]));
    // What another session played before does not count.
    assert_eq!(play(&daemon, "one"), one);
    assert_eq!(play(&daemon, "two"), two);
    assert_eq!(play(&daemon, "one"), one);
    let listed = daemon
        .call_value("session.list", &json!({"all": true}))
        .unwrap();
    assert!(!listed.to_string().contains("unused"), "{listed}");
    // Nor does what was played while another daemon ran, for the summary at the daemon's end.
    daemon.stop();
    fs::remove_dir_all(daemon.home().join("logs")).unwrap();
    daemon.restart();
    assert_eq!(play(&daemon, "two"), two);
    daemon.stop();
    let log = daemon.log_text();
    let summary = log
        .lines()
        .find(|line| line.contains("summary of tapes"))
        .unwrap();
    assert!(
        summary.contains("echo/one other") && !summary.contains("echo/two"),
        "{summary}"
    );
}

#[test]
fn close_and_wait_print_the_summary_too() {
    let (daemon, _) = configured(json!({}));
    record_all(&daemon, ["one", "two"]);
    let ccctl = Ccctl::new(&daemon);
    let options = json!({"record": "new", "name": "sh"});
    let session = start(&daemon, &["sh", "-c", "echo ready; read x"], &options).unwrap();
    let ran = ccctl.run(&["session", "close", &session]);
    assert!(
        ran.stderr.contains("recorded 1 exchange as sh in "),
        "{ran:?}"
    );
    let play = |more: Value| {
        let mut options = json!({});
        for (name, value) in more.as_object().unwrap() {
            options[name] = value.clone();
        }
        start(&daemon, &["echo", "one"], &options).unwrap()
    };
    let session = play(json!({}));
    let ran = ccctl.run(&["session", "wait", &session, "--exit"]);
    assert_eq!(ran.stdout, "exited 0\n");
    let told = "replayed 1 exchange of echo/one\n";
    assert!(ran.stderr.contains(told), "{ran:?}");
    assert!(
        ran.stderr
            .contains("2 tapes were not played: echo/two, sh\n"),
        "{ran:?}"
    );
    // A session that has ended can still be closed.
    let ran = ccctl.run(&["session", "close", &session]);
    assert!(ran.stderr.contains(told), "{ran:?}");
    let ran = ccctl.run(&["session", "close", &session, "--json"]);
    let reply: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(reply["tape"]["unused"], json!(["echo/two", "sh"]));
    assert_eq!(ran.stderr, "");
    let session = play(json!({"summary": false}));
    for words in [
        &["session", "wait", &session, "--exit"][..],
        &["session", "close", &session],
    ] {
        assert_eq!(ccctl.run(words).stderr, "");
    }
    let plain = ccctl.ok(&["session", "create", "--", "true"]);
    let plain = plain.trim();
    for words in [
        &["session", "wait", plain, "--exit"][..],
        &["session", "close", plain],
    ] {
        assert_eq!(ccctl.run(words).stderr, "");
    }
}

#[test]
fn text_names_twenty_tapes_and_json_names_all() {
    let (daemon, _) = configured(json!({}));
    record_all(&daemon, ["a"]);
    let first = &tapes(&root(&daemon))[0];
    let text = fs::read_to_string(first).unwrap();
    for number in 10..35 {
        let path = root(&daemon).join(format!("b-{number}.json5"));
        fs::write(path, text.replace("\"echo\"", &format!("\"b{number}\""))).unwrap();
    }
    crate::support::eventually("all are found", || {
        let listed = daemon.call_value("tape.list", &json!({})).unwrap();
        (listed["total"] == 26).then_some(())
    });
    let ccctl = Ccctl::new(&daemon);
    let session = start(&daemon, &["echo", "a"], &json!({})).unwrap();
    let ran = ccctl.run(&["session", "wait", &session, "--exit"]);
    let told = "25 tapes were not played: b-10, b-11,";
    assert!(
        ran.stderr.contains(told) && ran.stderr.contains("b-29 and 5 more\n"),
        "{ran:?}"
    );
    let ran = ccctl.run(&["session", "wait", &session, "--exit", "--json"]);
    let reply: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(reply["tape"]["unused"].as_array().unwrap().len(), 25);
}
