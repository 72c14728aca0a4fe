//! What an older build has decided, in its own databases: four candidates, two approved, one of them with a guard, and two
//! rejected.

use crate::hook::{failure, prompt, silent_hook};
use crate::support::Daemon;
use crate::support::session::lacks;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

const LEDGER: &str = include_str!("../../fixtures/coach_of_older_build/ledger.sql");
const EVENTS: &str = include_str!("../../fixtures/coach_of_older_build/events.sql");
const INSTRUCTIONS: &str = include_str!("../../fixtures/coach_of_older_build/CLAUDE.md");

fn restore(database: &Path, dump: &str) {
    let mut sqlite = Command::new("sqlite3");
    let mut sqlite = sqlite.arg(database).stdin(Stdio::piped()).spawn().unwrap();
    sqlite
        .stdin
        .take()
        .unwrap()
        .write_all(dump.as_bytes())
        .unwrap();
    assert!(sqlite.wait().unwrap().success());
}

#[test]
fn what_an_older_build_decided_holds_and_is_not_proposed_in_other_words() {
    if lacks(&["sqlite3"]) {
        return;
    }
    let mut daemon = Daemon::start();
    daemon.stop();
    let (app, coach) = (
        daemon.home().join("app"),
        daemon.home().join(".claude-coach"),
    );
    fs::create_dir(&app).unwrap();
    fs::DirBuilder::new().mode(0o700).create(&coach).unwrap();
    fs::write(app.join("CLAUDE.md"), INSTRUCTIONS).unwrap();
    for (name, dump) in [("ledger.sqlite", LEDGER), ("events.sqlite", EVENTS)] {
        restore(
            &coach.join(name),
            &dump.replace("@APP@", app.to_str().unwrap()),
        );
    }
    daemon.restart();
    let status = daemon.call_value("coach.status", &json!({})).unwrap();
    assert_eq!(status["candidates"], json!({"approved": 2, "rejected": 2}));
    assert_eq!(status["recording_since"], Value::Null);

    assert_eq!(status["guards"][0]["pattern"], "^npm\\b");
    for session in ["n1", "n2"] {
        let said = |id: &str, text: &str| {
            let mut payload = prompt(session, &format!("{session}{id}"), text);
            payload["cwd"] = json!(app);
            silent_hook(&daemon, &payload);
        };
        said("a", "No, don't use npm, use pnpm for that");
        said("b", "no, don't edit the generated files, edit their source");
        let ran = |id: &str, command: &str, error: Option<&str>| {
            let mut payload = failure(
                session,
                &format!("{session}{id}"),
                command,
                error.unwrap_or_default(),
            );
            payload["cwd"] = json!(app);
            if error.is_none() {
                payload["hook_event_name"] = json!("PostToolUse");
                payload["tool_response"] =
                    json!({"stdout": "ok", "stderr": "", "interrupted": false});
            }
            silent_hook(&daemon, &payload);
        };
        ran(
            "c",
            "gh pr merge 8",
            Some("Exit code 1\nmerge queue is required"),
        );
        ran(
            "d",
            "npm install",
            Some("Exit code 1\nnpm ERR! ERESOLVE could not resolve"),
        );
        ran("e", "npm install --legacy-peer-deps", None);
    }
    let made = daemon.call_value("coach.aggregate", &json!({})).unwrap();
    let ledger = daemon.call_value("coach.ledger", &json!({})).unwrap();
    assert_eq!(made["candidates"], json!([]), "{made} {ledger}");

    for row in ledger["candidates"].as_array().unwrap() {
        if row["status"] == "approved" {
            daemon
                .call_value("coach.undo", &json!({"id": row["id"]}))
                .unwrap();
        }
    }
    let left = fs::read_to_string(app.join("CLAUDE.md")).unwrap_or_default();
    assert!(!left.contains("ccd:rule"), "{left}");
}
