//! What a tape says about its recording, and about how it replays.

use crate::support::client::Ran;
use crate::support::conversation::{ask, ended, only_tape, record, root, start, tape, tapes};
use crate::support::{Ccctl, Daemon, assert_has};
use serde_json::{Value, json};
use std::time::Instant;

#[test]
fn latency_error_rate_and_seed_of_rec_are_on_the_tape_and_hold_when_it_plays() {
    let daemon = Daemon::start();
    let run = |verb: &str, root: &str, options: &[&str]| {
        let program = ["--", "sh", "-c", "echo one; echo two"];
        let mut command = Ccctl::new(&daemon).command(&[verb, "--tapes", root]);
        let command = command.args(options).args(program);
        Ran::of(command.current_dir(daemon.home()).output().unwrap())
    };
    let slow = ["--latency", "400", "--error-rate", "0.5", "--seed", "12345"];
    for (root, options, lines) in [
        (
            "plain",
            &[][..],
            ["latency: null,", "errorRate: 0,", "seed: null,"],
        ),
        (
            "slow",
            &slow,
            ["latency: 400,", "errorRate: 0.5,", "seed: 12345,"],
        ),
        (
            "failing",
            &["--error-rate", "100", "--seed", "1"],
            ["errorRate: 100,", "seed: 1,", ""],
        ),
    ] {
        let ran = run("rec", root, options);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_has(&only_tape(&daemon.home().join(root)), lines);
    }
    let begun = Instant::now();
    let ran = run("play", "slow", &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(begun.elapsed().as_millis() >= 400, "{:?}", begun.elapsed());
    let ran = run("play", "failing", &[]);
    assert_has(&ran.stderr, ["1 error was injected"]);
}

#[test]
fn a_latency_of_none_holds_too_although_0_means_as_recorded_on_a_tape() {
    let daemon = Daemon::start();
    let root = root(&daemon);
    let command = ["sh", "-c", "sleep 1; echo late; read x"];
    let options = json!({"record": "new", "latency": 0});
    let session = start(&daemon, &command, &tape(&root, options)).unwrap();
    ask(&daemon, &session, (None, "late\n")).unwrap();
    ask(&daemon, &session, (Some("bye"), "bye")).unwrap();
    ended(&daemon, &session);
    assert_has(&only_tape(&root), ["latency: [0, 0],"]);
    // What the caller gives comes before what the tape says.
    let [quick, slow] = [json!({}), json!({"latency": "recorded"})].map(|options| {
        let begun = Instant::now();
        let session = start(&daemon, &command, &tape(&root, options)).unwrap();
        ask(&daemon, &session, (None, "late\n")).unwrap();
        begun.elapsed()
    });
    let is_as_recorded = slow.as_millis() >= 900 && quick < slow;
    assert!(is_as_recorded, "{quick:?}, {slow:?}");
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
        daemon.ok("tape.get", &params)["session"]["flags"].clone()
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
