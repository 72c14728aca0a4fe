//! `memory.*` and `ccctl memory`.

mod claude;
mod hook;
mod link;
mod recorded;
mod secrets;
mod trouble;

use crate::support::{Ccctl, Daemon};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

fn git(folder: &Path, args: &[&str]) -> String {
    let identity = ["-c", "user.name=dev", "-c", "user.email=dev@example.com"];
    let output = Command::new("git")
        .args(identity)
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A repository with a plan of which one task is done.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let plan = "## Phase 1: Core\n\n- [x] T001 Start\n- [ ] T002 Go on\n- [ ] T003 End\n";
    fs::write(folder.path().join("tasks.md"), plan).unwrap();
    let source = "// FIXME: the key password=hunter2secret is wrong\nfn main() {}\n";
    fs::write(folder.path().join("main.rs"), source).unwrap();
    git(folder.path(), &["init", "-q", "-b", "main"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-q", "-m", "first"]);
    folder
}

#[test]
fn a_memory_is_saved_shown_checked_and_loaded() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    let at = project.path().to_str().unwrap();
    let saved: Value =
        serde_json::from_str(&client.ok(&["memory", "save", "--project", at, "--json"])).unwrap();
    let path = saved["path"].as_str().unwrap();
    let file = fs::read_to_string(path).unwrap();
    assert!(!file.contains("hunter2secret"), "{file}");
    assert_eq!(git(project.path(), &["status", "--porcelain"]), "");

    let shown: Value =
        serde_json::from_str(&client.ok(&["memory", "show", "--project", at, "--json"])).unwrap();
    assert_eq!(shown["taskStatus"]["currentTask"]["id"], "T002");
    assert_eq!(shown["provenance"]["taskStatus"]["source"], "tasks.md");
    assert_eq!(shown["warnings"], json!([]));
    let page = client.ok(&["memory", "show", "--project", at]);
    assert!(
        page.contains("tasks: 1/3 tasks complete (33.3%), from tasks.md"),
        "{page}"
    );
    assert_eq!(client.ok(&["memory", "validate", path]), "valid\n");

    let plan = fs::read_to_string(project.path().join("tasks.md")).unwrap();
    fs::write(
        project.path().join("tasks.md"),
        plan.replace("[ ] T002", "[x] T002"),
    )
    .unwrap();
    git(project.path(), &["commit", "-q", "-a", "-m", "second"]);
    let status = client.ok(&["memory", "status", "--project", at]);
    assert!(
        status.contains("1 commit since") && status.contains("T002 is now done"),
        "{status}"
    );
    let digest = client.ok(&["memory", "load", "--project", at]);
    assert!(
        digest.contains("Changed since: T002 is now done"),
        "{digest}"
    );
}

#[test]
fn a_given_memory_is_written_and_comes_back() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    let at = project.path().to_str().unwrap();
    client.ok(&["memory", "save", "--project", at]);
    let mut shown: Value =
        serde_json::from_str(&client.ok(&["memory", "show", "--project", at, "--json"])).unwrap();
    shown["summary"]["nextAction"] = json!("Fix | it (now)");
    let given = project.path().join("given.json");
    fs::write(&given, shown.to_string()).unwrap();
    client.ok(&[
        "memory",
        "save",
        "--project",
        at,
        "--from",
        given.to_str().unwrap(),
    ]);
    let again: Value =
        serde_json::from_str(&client.ok(&["memory", "show", "--project", at, "--json"])).unwrap();
    assert_eq!(again["summary"], shown["summary"]);
}

#[test]
fn errors_name_the_thing() {
    let daemon = Daemon::start();
    let kind = |method: &str, params: Value| {
        daemon.call_value(method, &params).unwrap_err()["data"]["kind"].clone()
    };
    let project = project();
    let at = project.path().to_str().unwrap();
    assert_eq!(
        kind("memory.get", json!({"project": at})),
        "memory_not_found"
    );
    for method in ["memory.save", "memory.get", "memory.load", "memory.status"] {
        let missing = json!({"project": "/no/such/project"});
        assert_eq!(kind(method, missing), "project_not_found", "{method}");
    }
    assert_eq!(
        kind("memory.save", json!({"project": "here"})),
        "invalid_argument"
    );
    fs::create_dir(project.path().join(".claude")).unwrap();
    let file = project.path().join(".claude/session-memory.md");
    fs::write(&file, "# Notes\n").unwrap();
    assert_eq!(kind("memory.get", json!({"project": at})), "memory_invalid");
    fs::write(&file, "").unwrap();
    assert_eq!(
        Ccctl::new(&daemon).ok(&["memory", "show", "--project", at]),
        "No session data\n"
    );
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(
        kind("memory.save", json!({"project": at})),
        "memory_not_writable"
    );
}

#[test]
fn texts_of_a_project_do_not_control_the_terminal() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    let at = project.path().to_str().unwrap();
    let shown = client.ok(&["memory", "save", "--project", at]);
    assert!(shown.contains("session-memory.md"), "{shown}");
    let mut memory: Value =
        serde_json::from_str(&client.ok(&["memory", "show", "--project", at, "--json"])).unwrap();
    memory["metadata"]["projectName"] = json!("two\nlines \u{1b}]0;title\u{7}end");
    memory["summary"]["nextAction"] = json!("go \u{1b}[31mred\u{202e}");
    memory["nextSteps"] = json!([{"priority": "immediate", "action": "step \u{1b}[2J\u{9b}1m"}]);
    let given = project.path().join("given.json");
    fs::write(&given, memory.to_string()).unwrap();
    let from = given.to_str().unwrap();
    client.ok(&["memory", "save", "--project", at, "--from", from]);
    for verb in ["show", "load"] {
        let page = client.ok(&["memory", verb, "--project", at]);
        let controls = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!page.contains(controls), "{page:?}");
        assert!(page.contains("step"), "{page}");
    }
}

#[test]
fn a_named_pipe_is_not_checked() {
    let daemon = Daemon::start();
    let project = project();
    let pipe = project.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let error = daemon
        .call_value("memory.validate", &json!({"path": pipe}))
        .unwrap_err();
    assert!(error.to_string().contains("regular file"), "{error}");
}
