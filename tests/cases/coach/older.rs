//! What an older build has decided, in its own databases: four candidates, two approved, one of them with a guard, and two
//! rejected.

use crate::hook::{failure, prompt, silent_hook};
use crate::support::Daemon;
use crate::support::files::sqlite;
use crate::support::session::lacks;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::DirBuilderExt as _;

const LEDGER: &str = include_str!("../../fixtures/coach_of_older_build/ledger.sql");
const EVENTS: &str = include_str!("../../fixtures/coach_of_older_build/events.sql");
const INSTRUCTIONS: &str = include_str!("../../fixtures/coach_of_older_build/CLAUDE.md");

#[test]
fn what_an_older_build_decided_holds_and_is_not_proposed_in_other_words() {
    if lacks(&["sqlite3"]) {
        return;
    }
    let mut daemon = Daemon::start();
    daemon.stop();
    let [app, coach] = ["app", ".claude-coach"].map(|name| daemon.home().join(name));
    fs::create_dir(&app).unwrap();
    fs::DirBuilder::new().mode(0o700).create(&coach).unwrap();
    fs::write(app.join("CLAUDE.md"), INSTRUCTIONS).unwrap();
    for (name, dump) in [("ledger.sqlite", LEDGER), ("events.sqlite", EVENTS)] {
        let dump = dump.replace("@APP@", app.to_str().unwrap());
        sqlite(&coach.join(name), &dump);
    }
    daemon.restart();
    let status = daemon.ok("coach.status", &json!({}));
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
        let ran = |id: &str, command: &str, error: &str| {
            let mut payload = failure(session, &format!("{session}{id}"), command, error);
            payload["cwd"] = json!(app);
            if error.is_empty() {
                payload["hook_event_name"] = json!("PostToolUse");
                payload["tool_response"] =
                    json!({"stdout": "ok", "stderr": "", "interrupted": false});
            }
            silent_hook(&daemon, &payload);
        };
        ran("c", "gh pr merge 8", "Exit code 1\nmerge queue is required");
        ran(
            "d",
            "npm install",
            "Exit code 1\nnpm ERR! ERESOLVE could not resolve",
        );
        ran("e", "npm install --legacy-peer-deps", "");
    }
    let made = daemon.ok("coach.aggregate", &json!({}));
    let ledger = daemon.ok("coach.ledger", &json!({}));
    assert_eq!(made["candidates"], json!([]), "{made} {ledger}");

    for row in ledger["candidates"].as_array().unwrap() {
        if row["status"] == "approved" {
            daemon.ok("coach.undo", &json!({"id": row["id"]}));
        }
    }
    let left = fs::read_to_string(app.join("CLAUDE.md")).unwrap_or_default();
    assert!(!left.contains("ccd:rule"), "{left}");
}
