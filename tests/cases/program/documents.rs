//! Program configurations: saving, listing, showing, deleting, and making them from sessions.

use crate::support::client::Ran;
use crate::support::files::files_with;
use crate::support::session::{
    assert_error, assert_has, assert_lacks, exact, lacks, message_of, program,
};
use crate::support::{Ccctl, Daemon, eventually};
use ccd_protocol::ErrorCode;
use ccd_protocol::session::SessionCreateParams;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

pub(crate) fn save(daemon: &Daemon, name: &str, config: Value) -> Result<Value, Value> {
    let params = json!({"name": name, "config": config});
    daemon.call_value("program.save", &params)
}

/// Saves a configuration through the client, from a file with this document.
fn save_file(daemon: &Daemon, name: &str, document: &str, more: &[&str]) -> Ran {
    let path = daemon.home().join("document.json");
    std::fs::write(&path, document).unwrap();
    let path = path.to_str().unwrap();
    let words = [&["program", "save", name, "--file", path], more].concat();
    Ccctl::new(daemon).run(&words)
}

/// Returns the files in the daemon's directory that contain the text, except the log of what the terminal showed.
pub(crate) fn traces(daemon: &Daemon, text: &str) -> Vec<PathBuf> {
    let mut found = files_with(daemon.home(), text.as_bytes());
    // A ring becomes the log.
    let is_ring = |path: &PathBuf| path.extension().is_some_and(|end| end == "ring");
    found.retain(|path| !path.ends_with("output.log") && !is_ring(path));
    found
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_configuration_is_kept_listed_shown_and_deleted() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    assert_eq!(ccctl.ok(&["program", "list"]), "");
    let document = r#"{"command_template": "ssh {host}", "typical_timeout": 77, "tape": {"record": "new", "seed": 1},
        "expect_sequences": [{"pattern": "word: ", "response": {"secret": {"env": "PW"}}}]}"#;
    let saved = save_file(&daemon, "box", document, &[]);
    assert_eq!((saved.code, saved.stderr.as_str()), (Some(0), ""));
    let path = daemon.home().join("programs/box.json");
    assert_eq!(saved.stdout.trim(), path.to_str().unwrap());
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    let kept = parsed(&std::fs::read_to_string(&path).unwrap());
    assert_eq!(kept["tape"], json!({"record": "new", "seed": 1}));
    let listed = ccctl.ok(&["program", "list"]);
    assert_eq!(listed, "box  1  77s  host  PW  ssh {host}\n");
    let shown = ccctl.ok(&["program", "show", "box"]);
    assert_has(&shown, ["\"word: \" → secret from $PW"]);
    let got = parsed(&ccctl.ok(&["program", "get", "box", "--json"]));
    assert_eq!(got, kept);
    ccctl.ok(&["program", "delete", "box"]);
    assert!(!path.exists());
    for verb in ["get", "delete"] {
        let gone = ccctl.run(&["program", verb, "box"]);
        assert_eq!(gone.code, Some(4));
        let told = "no program configuration is named 'box'";
        assert_has(&gone.stderr, [told, "ccctl program list"]);
    }
}

#[test]
fn one_that_is_there_is_only_replaced_when_asked() {
    let daemon = Daemon::start();
    let saved = save_file(&daemon, "x", r#"{"command_template": "a"}"#, &[]);
    assert_eq!(saved.code, Some(0));
    let refused = save_file(&daemon, "x", r#"{"command_template": "b"}"#, &[]);
    assert_eq!(refused.code, Some(5));
    let told = "named 'x' exists already; --force overwrites it";
    assert_has(&refused.stderr, [told]);
    let forced = save_file(&daemon, "x", r#"{"command_template": "b"}"#, &["--force"]);
    assert_has(&forced.stderr, ["was overwritten"]);
    let kept = daemon.call_value("program.get", &json!({"name": "x"}));
    assert_eq!(kept.unwrap()["command_template"], "b");
}

#[test]
fn names_that_would_lead_elsewhere_are_refused_and_write_nothing() {
    let daemon = Daemon::start();
    for name in [
        "../x",
        "/tmp/x",
        "..",
        ".x",
        "",
        "a/b",
        "a\0",
        &"x".repeat(65),
    ] {
        let config = json!({"command_template": "cat"});
        let error = save(&daemon, name, config).unwrap_err();
        assert_error(&error, ErrorCode::InvalidArgument);
        for (method, params) in [
            ("program.get", json!({ "name": name })),
            ("program.delete", json!({ "name": name })),
            ("session.create", json!({ "config": name })),
        ] {
            let error = daemon.error(method, &params);
            assert_error(&error, ErrorCode::InvalidArgument);
        }
    }
    assert!(!daemon.home().join("programs").exists());
    assert!(!daemon.home().join("x.json").exists());
}

#[test]
fn a_mistake_is_told_with_its_place_and_nothing_is_kept() {
    let daemon = Daemon::start();
    for (config, code, told) in [
        (
            json!({"command_template": "psql -U 'me"}),
            ErrorCode::InvalidArgument,
            "command_template: the quote ' is not closed, at byte 8",
        ),
        (
            json!({"command_template": "x", "expect_sequences": [{"pattern": "a"}, {"pattern": "(b"}]}),
            ErrorCode::InvalidPattern,
            "expect_sequences[1].pattern: wrong at byte 0: unclosed group",
        ),
        (
            json!({"command_template": "x", "expect_sequences": [{"pattern": "a", "response": 5}]}),
            ErrorCode::InvalidParams,
            "expect_sequences[0].response: invalid type: integer `5`",
        ),
        (
            json!({}),
            ErrorCode::InvalidParams,
            "missing field `command_template`",
        ),
        (
            json!({"command_template": "x", "ready_indicators": vec!["a"; 101]}),
            ErrorCode::InvalidArgument,
            "at most 100",
        ),
    ] {
        let error = save(&daemon, "x", config).unwrap_err();
        assert_error(&error, code);
        let message = message_of(&error);
        assert_has(message, [told, "'x'"]);
    }
    let both = json!({"name": "x", "session": "a", "config": {}});
    let error = daemon.error("program.save", &both);
    assert_error(&error, ErrorCode::InvalidArgument);
    assert!(!daemon.home().join("programs").exists());
    let broken = save_file(&daemon, "x", "{\n  \"a\": ]", &[]);
    assert_eq!(broken.code, Some(2));
    assert_has(&broken.stderr, ["line 2"]);
}

#[test]
fn unknown_fields_and_doubts_are_warnings() {
    let daemon = Daemon::start();
    let document = r#"{"command_template": "a | b", "ready_indicator": ["x"],
        "expect_sequences": [{"pattern": "Password:", "response": "hunter2", "newlin": false}]}"#;
    let saved = save_file(&daemon, "x", document, &[]);
    assert_eq!(saved.code, Some(0));
    assert_has(
        &saved.stderr,
        [
            "ready_indicator is not a known field (did you mean ready_indicators?)",
            "expect_sequences[0].newlin is not a known field (did you mean newline?)",
            "command_template: | at byte 2",
            "expect_sequences[0].response is stored as plain text",
        ],
    );
}

#[test]
fn a_broken_file_is_named_and_hides_no_other() {
    let daemon = Daemon::start();
    save(&daemon, "good", json!({"command_template": "cat"})).unwrap();
    let folder = daemon.home().join("programs");
    std::fs::write(folder.join("broken.json"), "{\"command_template\": }").unwrap();
    std::fs::write(folder.join("wrong.json"), r#"{"command_template": "a 'b"}"#).unwrap();
    let by_hand = r#"{"command_template": "cat -u"}"#;
    std::fs::write(folder.join("by-hand.json"), by_hand).unwrap();
    let listed = daemon.ok("program.list", &json!({}));
    let programs = listed["programs"].as_array().unwrap().iter();
    let is_broken = programs.map(|program| json!([program["name"], program["error"].is_string()]));
    let expected = json!([
        ["broken", true],
        ["by-hand", false],
        ["good", false],
        ["wrong", true]
    ]);
    assert_eq!(Value::from_iter(is_broken), expected);
    let broken = daemon.call_value("program.get", &json!({"name": "broken"}));
    let error = broken.unwrap_err();
    assert_error(&error, ErrorCode::Storage);
    assert_has(message_of(&error), ["broken.json"]);
    let create = |config: &str| daemon.call_value("session.create", &json!({ "config": config }));
    assert_error(&create("wrong").unwrap_err(), ErrorCode::InvalidArgument);
    let record = create("by-hand").unwrap();
    assert_eq!(record["args"], json!(["-u"]));
    assert_eq!(record["config"], "by-hand");
    assert_eq!(daemon.listed(false).len(), 1);
}

#[test]
fn what_was_done_in_a_session_is_saved_and_done_again() {
    if lacks(&["sqlite3"]) {
        return;
    }
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let session = daemon.open_with(&SessionCreateParams {
        name: Some("db".to_owned()),
        timeout_s: Some(9.0),
        ..program(&daemon, "sqlite3", &["-interactive", ":memory:"])
    });
    session.expect_any(&[exact("sqlite> ")], 10_000.0).unwrap();
    session.ask("create table {t} (a);", "sqlite> ");
    session.ask("select 'x' || 'y';", "(?m)^x(y)");
    let saved = ccctl.run(&["program", "save", "memory", "--session", "db", "--json"]);
    assert_eq!(saved.code, Some(0), "{}", saved.stderr);
    let config = parsed(&saved.stdout)["config"].clone();
    assert_eq!(config["command_template"], "sqlite3 -interactive :memory:");
    assert_eq!(config["typical_timeout"], 9);
    assert_eq!(
        config["expect_sequences"],
        json!([
            {"pattern": "sqlite> ", "response": "create table {{t}} (a);"},
            {"pattern": "sqlite> ", "response": "select 'x' || 'y';"},
            {"pattern": "(?m)^x(y)"},
        ])
    );
    let notes = config["notes"].as_str().unwrap();
    assert!(notes.starts_with("Saved from session "));
    let sample = config["sample_output"].as_array().unwrap();
    assert!(sample.contains(&json!("xy")), "{sample:?}");
    // Braces mean nothing in SQL, so the name of the table shows that both steps were typed.
    ccctl.ok(&["session", "close", "db"]);
    ccctl.ok(&["program", "save", "ended", "--session", "db"]);
    let again = parsed(&ccctl.ok(&["session", "create", "--config", "ended", "--json"]));
    assert_eq!(again["config"], "ended");
    assert_eq!(again["timeout"], 9.0);
    let id = again["session_id"].as_str().unwrap();
    let output = ccctl.ok(&["session", "read", id]);
    assert_has(&output, ["create table {t} (a);", "xy\n"]);
}

#[test]
fn the_command_line_of_a_session_comes_back_word_by_word() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let words = [
        "printf", "%s|", "a b", "it's", "{x}", "", "$HOME", "-n", "\"q\"", "ü\\",
    ];
    ccctl.ok(&[&["session", "create", "--name", "words", "--"], &words[..]].concat());
    ccctl.ok(&["session", "wait", "words", "--exit"]);
    ccctl.ok(&["program", "save", "words", "--session", "words"]);
    let again = parsed(&ccctl.ok(&["session", "create", "--config", "words", "--json"]));
    assert_eq!(again["program"], words[0]);
    assert_eq!(again["args"], json!(words[1..]));
}

#[test]
fn a_secret_of_the_command_line_becomes_a_placeholder() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    let words = "session create --name s -- echo --password=hunter2hunter2";
    ccctl.ok(&words.split(' ').collect::<Vec<_>>());
    let saved = ccctl.ok(&["program", "save", "s", "--session", "s", "--json"]);
    assert_lacks(&saved, ["hunter2"]);
    let template = &parsed(&saved)["config"]["command_template"];
    assert_eq!(template, "echo --password={secret_argument_1}");
    // Its row in the database does not contain it either, and a start gets it from where no other user can read it.
    assert_eq!(traces(&daemon, "hunter2"), Vec::<PathBuf>::new());
    let words = "session create --name again --config s --secret secret_argument_1=env:TEST_PW --clean-env --reuse";
    let mut create = ccctl.command(&words.split(' ').collect::<Vec<_>>());
    let created = create.env("TEST_PW", "open-sesame-4711").output().unwrap();
    assert!(created.status.success(), "{created:?}");
    let log = daemon.home().join("sessions");
    eventually("it has printed its argument", || {
        (!files_with(&log, b"sesame").is_empty()).then_some(())
    });
    let history = ccctl.ok(&["session", "history", "again", "--json"]);
    assert_lacks(&history, ["sesame"]);
    assert_eq!(traces(&daemon, "sesame"), Vec::<PathBuf>::new());
}

#[test]
fn what_was_typed_is_kept_to_the_end_of_its_line() {
    let daemon = Daemon::start();
    let ccctl = Ccctl::new(&daemon);
    ccctl.ok(&["session", "create", "--name", "n", "--", "cat"]);
    ccctl.ok(&["session", "send", "n", "one\n"]);
    ccctl.ok(&["session", "send", "n", "two\n", "--no-newline"]);
    let bytes = json!({"session": "n", "data_b64": "Yv8K"});
    daemon.ok("session.send", &bytes);
    let saved = parsed(&ccctl.ok(&["program", "save", "n", "--session", "n", "--json"]));
    assert_eq!(
        saved["config"]["expect_sequences"],
        json!([
            {"response": "one\n"},
            {"response": "two\n", "newline": false},
            {"response": "b\u{fffd}\n", "newline": false},
        ])
    );
    let warning = saved["warnings"][0].as_str().unwrap();
    assert_has(
        warning,
        ["the response of step 3 differs from what was typed"],
    );
}
