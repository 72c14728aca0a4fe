//! Memories that are empty, invalid or incomplete, and directories that are not what they should be.

use super::{git, project};
use crate::support::client::Ran;
use crate::support::{Ccctl, Daemon};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const FILE: &str = ".claude/session-memory.md";

fn run_in(client: &Ccctl<'_>, folder: &Path, args: &[&str]) -> Ran {
    let mut command = client.command(args);
    Ran::of(command.current_dir(folder).output().unwrap())
}

#[test]
fn a_directory_in_a_project_belongs_to_the_project() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    let root = project.path();
    let folder = root.join("src/deep");
    fs::create_dir_all(&folder).unwrap();
    for verb in ["save", "show", "load", "status", "link"] {
        let ran = run_in(&client, &folder, &["memory", verb]);
        assert_eq!(ran.code, Some(0), "{verb}: {}", ran.stderr);
    }
    assert!(root.join(FILE).is_file());
    assert!(!folder.join(".claude").exists());
    // A directory that is named is the project itself, and what is in it belongs to it from then on.
    let at = folder.to_str().unwrap();
    client.ok(&["memory", "save", "--project", at]);
    assert!(folder.join(FILE).is_file());
    let status = run_in(&client, &folder, &["memory", "status"]);
    assert!(
        status.stdout.contains("src/deep/.claude"),
        "{}",
        status.stdout
    );
    // Where there is neither a memory nor git, it is the directory alone.
    let none = tempfile::tempdir().unwrap();
    let inner = none.path().join("inner");
    fs::create_dir(&inner).unwrap();
    run_in(&client, &inner, &["memory", "save"]);
    assert!(inner.join(FILE).is_file());
}

#[test]
fn a_given_memory_that_is_not_valid_is_refused_with_the_reason() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    let at = project.path().to_str().unwrap();
    client.ok(&["memory", "save", "--project", at]);
    let before = fs::read(project.path().join(FILE)).unwrap();
    let memory: Value =
        serde_json::from_str(&client.ok(&["memory", "show", "--project", at, "--json"])).unwrap();
    for (part, field, value, reason) in [
        (
            "metadata",
            "generatedAt",
            json!("yesterday"),
            "metadata.generatedAt",
        ),
        ("metadata", "version", json!("one"), "metadata.version"),
        (
            "taskStatus",
            "sourceFile",
            json!("/etc/tasks.md"),
            "a relative path",
        ),
    ] {
        let mut bad = memory.clone();
        bad[part][field] = value;
        let given = project.path().join("given.json");
        fs::write(&given, bad.to_string()).unwrap();
        let from = given.to_str().unwrap();
        let ran = client.run(&["memory", "save", "--project", at, "--from", from]);
        assert_ne!(ran.code, Some(0));
        let error = ran.stderr;
        assert!(
            error.contains("not valid") && error.contains(reason),
            "{error}"
        );
        assert_eq!(fs::read(project.path().join(FILE)).unwrap(), before);
    }
    // Too much of something is no mistake: it is cut.
    let mut long = memory.clone();
    let step = json!({"priority": "immediate", "action": "Fix it"});
    long["nextSteps"] = json!(vec![step; 30]);
    let params = json!({"project": at, "memory": long});
    let saved = daemon.call_value("memory.save", &params).unwrap();
    assert_eq!(saved["cut"]["nextSteps"], 20);
}

#[test]
fn an_empty_memory_is_one_line_for_each_command() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    let at = project.path().to_str().unwrap();
    let file = project.path().join(FILE);
    fs::create_dir(project.path().join(".claude")).unwrap();
    fs::write(&file, "\n").unwrap();
    let path = file.to_str().unwrap();
    let advice = format!("{path} is empty; ccctl memory save fills it\n");
    assert_eq!(client.ok(&["memory", "status", "--project", at]), advice);
    assert_eq!(
        client.ok(&["memory", "load", "--project", at]),
        format!("No session data: {advice}")
    );
    let checked = client.run(&["memory", "validate", path]);
    assert_eq!(
        (checked.code, &*checked.stdout, &*checked.stderr),
        (Some(1), "the file is empty\n", "")
    );
}

#[test]
fn without_a_memory_nothing_is_linked_and_the_error_says_how_to_get_one() {
    let daemon = Daemon::start();
    let project = project();
    let at = project.path().to_str().unwrap();
    let ran = Ccctl::new(&daemon).run(&["memory", "link", "--yes", "--project", at]);
    assert_ne!(ran.code, Some(0));
    let error = ran.stderr;
    assert!(
        error.contains("has no session memory") && error.contains("ccctl memory save"),
        "{error}"
    );
    assert_eq!(git(project.path(), &["status", "--porcelain"]), "");
}

#[test]
fn what_a_save_left_out_is_said_by_each_reader() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    let at = project.path().to_str().unwrap();
    let plan = "- [ ] T001 x\n".repeat(400_000);
    fs::write(project.path().join("tasks.md"), plan).unwrap();
    let expected = "tasks: left out: tasks.md has 5.0 MiB; the limit is 4 MiB";
    let saved = client.run(&["memory", "save", "--project", at]);
    assert!(saved.stderr.contains(expected), "{}", saved.stderr);
    let file = fs::read_to_string(project.path().join(FILE)).unwrap();
    assert!(file.contains(expected), "{file}");
    let shown = client.run(&["memory", "show", "--project", at]);
    assert!(shown.stdout.contains(expected), "{}", shown.stdout);
    let shown: Value =
        serde_json::from_str(&client.ok(&["memory", "show", "--project", at, "--json"])).unwrap();
    assert_eq!(shown["warnings"], json!([expected]));
    let digest = client.ok(&["memory", "load", "--project", at]);
    assert!(digest.contains(expected), "{digest}");
}

#[test]
fn a_linked_directory_of_the_memory_is_refused_with_advice() {
    let daemon = Daemon::start();
    let project = project();
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), project.path().join(".claude")).unwrap();
    let params = json!({"project": project.path()});
    let error = daemon.call_value("memory.save", &params).unwrap_err();
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains(".claude is a link") && message.contains("replace it"),
        "{error}"
    );
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    fs::write(elsewhere.path().join("session-memory.md"), "## Blockers\n").unwrap();
    let error = daemon.call_value("memory.get", &params).unwrap_err();
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("links are not followed"), "{error}");
}

#[test]
fn a_plan_with_words_of_any_alphabet_is_saved_and_a_stopped_server_is_called_so() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    let at = project.path().to_str().unwrap();
    let plan = "- [ ] T1 a — b\n- [ ] Ändern\n- [ ] “quotes” → next 🚀\n";
    fs::write(project.path().join("tasks.md"), plan).unwrap();
    client.ok(&["memory", "save", "--project", at]);
    let mut memory: Value =
        serde_json::from_str(&client.ok(&["memory", "show", "--project", at, "--json"])).unwrap();
    assert_eq!(memory["taskStatus"]["nextTasks"][1]["title"], "Ändern");
    // Nothing listens on port 1.
    memory["environment"]["servers"] =
        json!([{"process": "lamp", "port": 1, "url": "http://localhost:1", "status": "stopped"}]);
    let params = json!({"project": at, "memory": memory});
    daemon.call_value("memory.save", &params).unwrap();
    let shown = client.ok(&["memory", "show", "--project", at]);
    assert!(shown.contains("stopped server: lamp on"), "{shown}");
    let digest = client.ok(&["memory", "load", "--project", at]);
    assert!(digest.contains("Stopped server: lamp on"), "{digest}");
}

#[test]
fn a_file_that_is_no_memory_is_refused_with_the_line() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    let at = project.path().to_str().unwrap();
    client.ok(&["memory", "save", "--project", at]);
    let file = project.path().join(FILE);
    let text = fs::read_to_string(&file).unwrap();
    let key = ["sk_", "live_", "4eC39HqLyjWDarjtT1zdp7dc"].concat();
    fs::write(&file, format!("{text}\n## Notes\n\nAPI_KEY={key}\n")).unwrap();
    let checked = client.run(&["memory", "validate", file.to_str().unwrap()]);
    assert_eq!(checked.code, Some(1));
    let line = text.lines().count() + 4;
    let expected = format!("line {line}: something there looks like a secret (Notes)\n");
    assert_eq!(checked.stdout, expected);
}
