//! What was done last in a project.

use super::{MemoryClient, project};
use crate::support::Daemon;
use serde_json::{Value, json};
use std::fs;

#[test]
fn what_was_done_last_is_shown_and_transcripts_only_if_they_are_indexed() {
    let daemon = Daemon::start();
    let project = project();
    let root = project.root().canonicalize().unwrap();
    let at = root.to_str().unwrap();
    project.git(&["checkout", "-q", "-b", "lamps"]);
    project.write("lamp.rs", "one\n");
    project.git(&["add", "."]);
    project.git(&["commit", "-q", "-m", "Light the lamp"]);
    project.write("lamp.rs", "two\n");
    let name = at.replace(|char: char| !char.is_ascii_alphanumeric(), "-");
    let folder = daemon.home().join(".claude/projects").join(name);
    fs::create_dir_all(&folder).unwrap();
    let said = |role: &str, text: &str| {
        json!({
            "type": role, "sessionId": "8b5e2f3a-0000-4000-8000-000000000001", "uuid": text, "cwd": at,
            "timestamp": "2026-01-31T12:00:00.000Z",
            "message": {"role": role, "content": [{"type": "text", "text": text}]},
        })
    };
    let lines = [
        said("user", "make it brighter, password=hunter2secret"),
        said("assistant", "It is."),
    ];
    let lines = lines.map(|line| format!("{line}\n")).concat();
    let name = "8b5e2f3a-0000-4000-8000-000000000001.jsonl";
    fs::write(folder.join(name), lines).unwrap();

    let memory = MemoryClient::of(&daemon, &root);
    memory.ok(&["save"]);
    let recent = || {
        let shown = memory.shown();
        let recent = shown["recent"].as_array().unwrap().iter();
        let text = |one: &Value| {
            let [kind, text] = ["kind", "text"].map(|name| one[name].as_str().unwrap());
            format!("{kind}: {text}")
        };
        recent.map(text).collect::<Vec<String>>()
    };
    let of_git = [
        "uncommitted: lamp.rs",
        "branch: lamps, 1 commit since main",
        "commit: Light the lamp",
    ];
    assert_eq!(recent(), of_git);
    memory.client.ok(&["conversation", "list"]);
    let all = recent();
    assert_eq!(all[..3], of_git);
    let said = "conversation: make it brighter, password=*** - It is.";
    assert_eq!(all[3], said);
    // It can be written back: what was done last is in no file.
    let copy = daemon.home().join("memory.json");
    fs::write(&copy, memory.shown().to_string()).unwrap();
    memory.ok(&["save", "--from", copy.to_str().unwrap()]);
}
