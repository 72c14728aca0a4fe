//! The pattern library: built-in patterns, additional and overriding ones, and requests that use them.

use crate::support::Daemon;
use crate::support::client::Ran;
use crate::support::session::assert_error;
use crate::support::{Ccctl, assert_fields, assert_has};
use ccd_protocol::ErrorCode;
use ccd_protocol::Timeout;
use ccd_protocol::session::{SessionWait, SessionWaitParams, WaitFor};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

pub(super) fn is_error(daemon: &Daemon, text: &str) -> bool {
    let found = daemon.ok("pattern.classify", &json!({"text": text}));
    found["is_error"].as_bool().unwrap()
}

#[test]
fn the_library_has_all_built_in_categories() {
    let daemon = Daemon::start();
    let list = daemon.ok("pattern.list", &json!({}));
    let entries = list["patterns"].as_array().unwrap().iter();
    let names = entries.map(|entry| {
        assert_eq!(entry["origin"], "built_in", "{entry}");
        assert!(!entry["patterns"].as_array().unwrap().is_empty());
        let part = |name: &str| entry[name].as_str().unwrap();
        format!("{}/{}", part("pattern_type"), part("category"))
    });
    let names: Vec<String> = names.collect();
    for (kind, categories) in [
        (
            "prompt",
            "bash python node mysql postgres sqlite ssh sudo git generic endings",
        ),
        (
            "error",
            "command_not_found permission_denied connection_failed authentication_failed summary",
        ),
        ("help", "indicators hints lines"),
        ("data_format", "json xml yaml ini csv table key_value"),
        ("state", "entering switched mode state"),
    ] {
        for category in categories.split(' ') {
            let name = format!("{kind}/{category}");
            assert!(names.contains(&name), "{name} is missing in {names:?}");
        }
    }
    assert!(list["path"].as_str().unwrap().ends_with("/patterns.json"));
    assert!(!daemon.home().join("patterns.json").exists());
    let upper = daemon.ok("pattern.list", &json!({"pattern_type": "ERROR"}));
    assert!(upper["patterns"].as_array().unwrap().len() >= 4);
}

#[test]
fn what_is_set_counts_at_once_survives_and_can_be_unset() {
    let mut daemon = Daemon::start();
    let set = json!({"pattern_type": "error", "category": "mine", "patterns": ["^E[0-9]{4}:"], "description": "d"});
    assert!(!is_error(&daemon, "E1234: x"));
    assert_eq!(daemon.ok("pattern.set", &set)["origin"], "own");
    assert!(is_error(&daemon, "x\nE1234: x"));

    let replace =
        json!({"pattern_type": "ERROR", "category": "permission_denied", "patterns": ["^nope$"]});
    let replaced = daemon.ok("pattern.set", &replace);
    assert_fields(
        &replaced,
        json!({"origin": "override", "description": "Something is not allowed"}),
    );
    assert!(is_error(&daemon, "nope") && !is_error(&daemon, "x: Permission denied"));

    let path = daemon.home().join("patterns.json");
    let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    let file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(file[0], set);

    daemon.stop();
    daemon.restart();
    assert!(is_error(&daemon, "E1234: x") && is_error(&daemon, "nope"));

    let unset = json!({"pattern_type": "error", "category": "permission_denied"});
    let reply = daemon.ok("pattern.unset", &unset);
    assert_eq!(reply["built_in"]["origin"], "built_in");
    assert!(!is_error(&daemon, "nope") && is_error(&daemon, "x: Permission denied"));
    let error = daemon.error("pattern.unset", &unset);
    assert_error(&error, ErrorCode::PatternNotFound);
    assert_has(&error["message"], ["built in"]);
    let unknown = json!({"pattern_type": "error", "category": "unknown"});
    assert_error(
        &daemon.error("pattern.unset", &unknown),
        ErrorCode::PatternNotFound,
    );
}

#[test]
fn wrong_patterns_are_refused_with_their_place() {
    let daemon = Daemon::start();
    let set = |category: &str, patterns: &[String]| {
        let params = json!({"pattern_type": "state", "category": category, "patterns": patterns});
        daemon.error("pattern.set", &params)
    };
    let error = set("x", &["ok".into(), "ab(c".into()]);
    assert_error(&error, ErrorCode::InvalidPattern);
    assert_fields(&error, json!({"data": {"index": 1, "position": 2}}));
    assert_error(&set("x", &[]), ErrorCode::InvalidPattern);
    assert_error(&set("x", &["a*".into()]), ErrorCode::InvalidPattern);
    for (patterns, problem) in [
        (
            vec!["ok", "(a{1000}){1000}"],
            "pattern 2 would track up to 1001001 positions at once, which is slow: at most 1000",
        ),
        (vec![r"(\pL{100}){1000}"], "at most 1000"),
        (
            vec!["[ab]{400}"; 3],
            "all patterns that were set would together track up to 1203 positions",
        ),
        (vec!["ok", r"first\nsecond"], "pattern 2 can never match"),
    ] {
        let patterns: Vec<String> = patterns.into_iter().map(str::to_owned).collect();
        let error = set("x", &patterns);
        assert_error(&error, ErrorCode::InvalidPattern);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(problem), "{message}");
    }
    assert_error(
        &set("x", &vec!["a".into(); 101]),
        ErrorCode::InvalidArgument,
    );
    assert_error(&set("x", &["a".repeat(5000)]), ErrorCode::InvalidArgument);
    for category in ["", ".x", "a/b", "a b", &"x".repeat(65)] {
        assert_error(&set(category, &["a".into()]), ErrorCode::InvalidArgument);
    }
    let text = json!({"text": "x".repeat((1 << 20) + 1)});
    assert_error(
        &daemon.error("pattern.classify", &text),
        ErrorCode::InvalidArgument,
    );
    let kind = json!({"pattern_type": "nothing", "text": ""});
    assert_error(
        &daemon.error("pattern.test", &kind),
        ErrorCode::InvalidParams,
    );
    assert!(!daemon.home().join("patterns.json").exists());
}

#[test]
fn a_pattern_for_a_data_format_replaces_what_is_built_in_or_adds_one() {
    let daemon = Daemon::start();
    let formats =
        |text: &str| daemon.ok("pattern.classify", &json!({"text": text}))["data_formats"].clone();
    for (category, pattern) in [("json", "^JSON "), ("toml", r"^\[\[\w+\]\]$")] {
        let set =
            json!({"pattern_type": "data_format", "category": category, "patterns": [pattern]});
        daemon.ok("pattern.set", &set);
    }
    assert_eq!(formats("{\"a\": 1}"), json!([]));
    assert_eq!(formats("JSON text\n[[bin]]\n"), json!(["json", "toml"]));
}

#[test]
fn waiting_for_a_prompt_knows_the_library() {
    let daemon = Daemon::start();
    let session = daemon.open("sh", &["-c", "printf 'ready| '; exec cat"]);
    session.expect("ready");
    let wait = |timeout_ms: f64| {
        daemon.call::<SessionWait>(&SessionWaitParams {
            session: session.id().to_owned(),
            condition: WaitFor::Prompt,
            timeout_ms: Timeout::After(timeout_ms),
            idle_ms: None,
            since: None,
        })
    };
    assert_error(&wait(100.0).unwrap_err(), ErrorCode::Timeout);
    let set = json!({"pattern_type": "prompt", "category": "mine", "patterns": [r"^ready\| $"]});
    daemon.ok("pattern.set", &set);
    assert_eq!(wait(20_000.0).unwrap().reason, "prompt");
    let test = json!({"text": "ready| ", "pattern_type": "prompt"});
    let found = daemon.ok("pattern.test", &test);
    assert_eq!(found["matches"][0]["category"], "mine");
    assert_eq!(found["matches"][0]["span"], json!({"start": 0, "end": 7}));
}

#[test]
fn the_client_reads_texts_from_everywhere_and_fails_as_grep_does() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let set = ["pattern", "set", "error", "mine", "^oops"];
    ccctl.ok(&[&set[..], &["--description", "what I print"]].concat());
    let list = ccctl.ok(&["pattern", "list", "error"]);
    assert_has(&list, ["own", "what I print"]);
    assert_eq!(ccctl.ok(&["pattern", "get", "error", "mine"]), "^oops\n");
    let none = ccctl.run(&["pattern", "list", "error", "none"]);
    assert_eq!(none.code, Some(4));

    let found = ccctl.ok(&["pattern", "test", "a\noops"]);
    assert_eq!(found, "2  2-6  error  mine  \"oops\"\n");
    let nothing = ccctl.run(&["pattern", "test", "Normal output"]);
    assert_eq!((nothing.code, &nothing.printed()[..]), (Some(1), ""));
    let file = daemon.home().join("text");
    fs::write(&file, "oops\n{\"a\": 1}\n").unwrap();
    let told = ccctl.ok(&["pattern", "classify", "--file", file.to_str().unwrap()]);
    assert_has(&told, ["error           yes\n", "data formats    json\n"]);
    let nowhere = ccctl.run(&["pattern", "classify", "--file", "/nowhere"]);
    assert_eq!(nowhere.code, Some(1));

    let mut classify = ccctl.command(&["pattern", "classify", "-", "--json"]);
    let ran = Ran::with_input(&mut classify, "oops\n>>> ");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_fields(
        &found,
        json!({"is_error": true, "prompt": {"category": "python"}}),
    );
    fs::write(&file, "Router#\n").unwrap();
    let told = ccctl.ok(&["pattern", "classify", "--file", file.to_str().unwrap()]);
    assert!(told.contains("prompt          \"Router#\""), "{told}");

    ccctl.ok(&["pattern", "unset", "error", "mine"]);
    let again = ccctl.run(&["pattern", "unset", "error", "mine"]);
    assert_eq!(again.code, Some(4), "{}", again.stderr);
    let wrong = ccctl.run(&["pattern", "set", "error", "mine", "(x"]);
    assert_eq!(wrong.code, Some(2));
    assert_has(&wrong.stderr, ["byte 0"]);
}
