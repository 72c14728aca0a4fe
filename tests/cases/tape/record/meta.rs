//! What a tape says about its recording, and about how it replays.

use crate::support::conversation::{ask, ended, record, start, tape, tapes};
use crate::support::session::lacks;
use crate::support::{Ccctl, Daemon};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Instant;

/// Records a program that answers one line, with options for `ccctl rec`; returns the text of the tape.
fn rec(daemon: &Daemon, root: &Path, options: &[&str]) -> String {
    let root_text = root.to_str().unwrap();
    let words = [
        &["rec", "--tapes", root_text],
        options,
        &["--", "sh", "-c", "echo one; echo two"],
    ];
    let ran = Ccctl::new(daemon).run(&words.concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let found = tapes(root);
    assert_eq!(found.len(), 1);
    fs::read_to_string(&found[0]).unwrap()
}

#[test]
fn latency_error_rate_and_seed_of_rec_are_on_the_tape_and_hold_when_it_plays() {
    if lacks(&["sh"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = |name: &str| daemon.home().join(name);
    let text = rec(&daemon, &root("plain"), &[]);
    for line in ["latency: null,", "errorRate: 0,", "seed: null,"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let options = ["--latency", "400", "--error-rate", "0.5", "--seed", "12345"];
    let text = rec(&daemon, &root("slow"), &options);
    for line in ["latency: 400,", "errorRate: 0.5,", "seed: 12345,"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let play = |name: &str| {
        let root = root(name);
        let words = [
            "play",
            "--tapes",
            root.to_str().unwrap(),
            "--",
            "sh",
            "-c",
            "echo one; echo two",
        ];
        let begun = Instant::now();
        (Ccctl::new(&daemon).run(&words), begun.elapsed().as_millis())
    };
    let (ran, took) = play("slow");
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(took >= 400, "{took}");
    let text = rec(
        &daemon,
        &root("failing"),
        &["--error-rate", "100", "--seed", "1"],
    );
    assert!(text.contains("errorRate: 100,"), "{text}");
    let (ran, _) = play("failing");
    assert!(
        ran.stderr.contains("1 error was injected"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_latency_of_none_holds_too_although_0_means_as_recorded_on_a_tape() {
    if lacks(&["sh", "sleep"]) {
        return;
    }
    let daemon = Daemon::start();
    let root = daemon.home().join("t");
    let command = ["sh", "-c", "sleep 1; echo late; read x"];
    let options = json!({"record": "new", "latency": 0});
    let session = start(&daemon, &command, &tape(&root, options)).unwrap();
    ask(&daemon, &session, (None, "late\n")).unwrap();
    ask(&daemon, &session, (Some("bye"), "bye")).unwrap();
    ended(&daemon, &session);
    let text = fs::read_to_string(&tapes(&root)[0]).unwrap();
    assert!(text.contains("latency: [0, 0],"), "{text}");
    let begun = Instant::now();
    let session = start(&daemon, &command, &tape(&root, json!({}))).unwrap();
    ask(&daemon, &session, (None, "late\n")).unwrap();
    assert!(begun.elapsed().as_millis() < 900, "{:?}", begun.elapsed());
    // What the caller gives comes before what the tape says.
    let session = start(
        &daemon,
        &command,
        &tape(&root, json!({"latency": "recorded"})),
    )
    .unwrap();
    ask(&daemon, &session, (None, "late\n")).unwrap();
    assert!(begun.elapsed().as_millis() >= 900, "{:?}", begun.elapsed());
}

#[test]
fn flags_list_what_was_on() {
    let daemon = Daemon::start();
    let flags = |name: &str, options: Value| {
        let root = daemon.home().join(name);
        let mut options = tape(&root, options);
        options["record"] = json!("new");
        let session = start(&daemon, &["echo", "x"], &options).unwrap();
        ended(&daemon, &session);
        assert_eq!(record(&daemon, &session)["tape"]["recorded"], 1);
        let path = tapes(&root)[0].clone();
        let params = json!({"root": root, "tape": path.file_stem().unwrap().to_str().unwrap()});
        daemon.call_value("tape.get", &params).unwrap()["session"]["flags"].clone()
    };
    assert_eq!(flags("defaults", json!({})), json!(["redact", "summary"]));
    let options = json!({
        "redact": false, "summary": false, "strict": true, "fallback": "proxy",
        "decorators": [{"on": "output", "replace": "a", "with": "b"}],
        "match": {"ignore_stdin": true, "match_cwd": true},
    });
    let all = json!(["decorators", "ignore_stdin", "match_cwd", "proxy", "strict"]);
    assert_eq!(flags("all", options), all);
}
