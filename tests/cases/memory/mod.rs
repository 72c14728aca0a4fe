//! `memory.*` and `ccctl memory`.

mod claude;
mod hook;
mod link;
mod recent;
mod recorded;
mod secrets;
mod trust;

use crate::support::client::Ran;
use crate::support::exec::Repository;
use crate::support::{Ccctl, Daemon};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

const FILE: &str = ".claude/session-memory.md";

/// A repository with a plan of which one task is done.
fn project() -> Repository {
    let project = Repository::unborn();
    let plan = "## Phase 1: Core\n\n- [x] T001 Start\n- [ ] T002 Go on\n- [ ] T003 End\n";
    project.write("tasks.md", plan);
    let source = "// FIXME: the key password=hunter2secret is wrong\nfn main() {}\n";
    project.write("main.rs", source);
    project.commit("first");
    project
}

/// Returns the memory of a project as JSON.
fn shown(client: &Ccctl<'_>, at: &str) -> Value {
    serde_json::from_str(&client.ok(&["memory", "show", "--project", at, "--json"])).unwrap()
}

#[test]
fn a_memory_is_saved_shown_checked_and_loaded() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    let at = project.root().to_str().unwrap();
    let saved: Value =
        serde_json::from_str(&client.ok(&["memory", "save", "--project", at, "--json"])).unwrap();
    let path = saved["path"].as_str().unwrap();
    let file = fs::read_to_string(path).unwrap();
    assert!(!file.contains("hunter2secret"), "{file}");
    assert_eq!(project.git(&["status", "--porcelain"]), "");

    let memory = shown(&client, at);
    assert_eq!(memory["taskStatus"]["currentTask"]["id"], "T002");
    assert_eq!(memory["provenance"]["taskStatus"]["source"], "tasks.md");
    assert_eq!(memory["warnings"], json!([]));
    let page = client.ok(&["memory", "show", "--project", at]);
    assert!(
        page.contains("tasks: 1/3 tasks complete (33.3%), from tasks.md"),
        "{page}"
    );
    assert_eq!(client.ok(&["memory", "validate", path]), "valid\n");

    let plan = project.root().join("tasks.md");
    let done = fs::read_to_string(&plan).unwrap();
    fs::write(&plan, done.replace("[ ] T002", "[x] T002")).unwrap();
    project.git(&["commit", "-q", "-a", "-m", "second"]);
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

    // What a save left out is said by each reader.
    fs::write(plan, "- [ ] T001 x\n".repeat(400_000)).unwrap();
    let expected = "tasks: left out: tasks.md has 5.0 MiB; the limit is 4 MiB";
    let saved = client.run(&["memory", "save", "--project", at]);
    assert!(saved.stderr.contains(expected), "{}", saved.stderr);
    let file = fs::read_to_string(path).unwrap();
    assert!(file.contains(expected), "{file}");
    for verb in ["show", "load"] {
        let text = client.ok(&["memory", verb, "--project", at]);
        assert!(text.contains(expected), "{text}");
    }
    assert_eq!(shown(&client, at)["warnings"], json!([expected]));
}

#[test]
fn a_given_memory_is_written_and_comes_back_or_is_refused_with_the_reason() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    let at = project.root().to_str().unwrap();
    client.ok(&["memory", "save", "--project", at]);
    let mut memory = shown(&client, at);
    let give = |memory: &Value| {
        let given = project.root().join("given.json");
        fs::write(&given, memory.to_string()).unwrap();
        let from = given.to_str().unwrap();
        client.run(&["memory", "save", "--project", at, "--from", from])
    };
    let file = project.root().join(FILE);
    let before = fs::read(&file).unwrap();
    for (part, field, value, reason) in [
        (
            "metadata",
            "generatedAt",
            "yesterday",
            "metadata.generatedAt",
        ),
        ("metadata", "version", "one", "metadata.version"),
        (
            "taskStatus",
            "sourceFile",
            "/etc/tasks.md",
            "a relative path",
        ),
    ] {
        let mut bad = memory.clone();
        bad[part][field] = json!(value);
        let ran = give(&bad);
        assert_ne!(ran.code, Some(0));
        let error = ran.stderr;
        assert!(
            error.contains("not valid") && error.contains(reason),
            "{error}"
        );
        assert_eq!(fs::read(&file).unwrap(), before);
    }
    // Too much of something is no mistake: it is cut.
    let mut long = memory.clone();
    let step = json!({"priority": "immediate", "action": "Fix it"});
    long["nextSteps"] = json!(vec![step; 30]);
    let params = json!({"project": at, "memory": long});
    let saved = daemon.call_value("memory.save", &params).unwrap();
    assert_eq!(saved["cut"]["nextSteps"], 20);

    memory["summary"]["nextAction"] = json!("Fix | it (now)");
    // Nothing listens on port 1.
    memory["environment"]["servers"] =
        json!([{"process": "lamp", "port": 1, "url": "http://localhost:1", "status": "stopped"}]);
    assert_eq!(give(&memory).code, Some(0));
    assert_eq!(shown(&client, at)["summary"], memory["summary"]);
    let page = client.ok(&["memory", "show", "--project", at]);
    assert!(page.contains("stopped server: lamp on"), "{page}");
    let digest = client.ok(&["memory", "load", "--project", at]);
    assert!(digest.contains("Stopped server: lamp on"), "{digest}");

    // Its texts do not control the terminal.
    memory["metadata"]["projectName"] = json!("two\nlines \u{1b}]0;title\u{7}end");
    memory["summary"]["nextAction"] = json!("go \u{1b}[31mred\u{202e}");
    memory["nextSteps"] = json!([{"priority": "immediate", "action": "step \u{1b}[2J\u{9b}1m"}]);
    assert_eq!(give(&memory).code, Some(0));
    for verb in ["show", "load"] {
        let page = client.ok(&["memory", verb, "--project", at]);
        let controls = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!page.contains(controls), "{page:?}");
        assert!(page.contains("step"), "{page}");
    }
}

#[test]
fn errors_name_the_thing() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let kind = |method: &str, params: Value| {
        daemon.call_value(method, &params).unwrap_err()["data"]["kind"].clone()
    };
    let project = project();
    let at = project.root().to_str().unwrap();
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
    fs::create_dir(project.root().join(".claude")).unwrap();
    let file = project.root().join(FILE);
    let path = file.to_str().unwrap();
    fs::write(&file, "# Notes\n").unwrap();
    assert_eq!(kind("memory.get", json!({"project": at})), "memory_invalid");

    // An empty memory is one line for each command.
    fs::write(&file, "\n").unwrap();
    let advice = format!("{path} is empty; ccctl memory save fills it\n");
    for (verb, line) in [
        ("show", "No session data\n"),
        ("status", &*advice),
        ("load", &format!("No session data: {advice}")),
    ] {
        assert_eq!(client.ok(&["memory", verb, "--project", at]), line);
    }
    let checked = client.run(&["memory", "validate", path]);
    assert_eq!(
        (checked.code, &*checked.stdout, &*checked.stderr),
        (Some(1), "the file is empty\n", "")
    );

    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(
        kind("memory.save", json!({"project": at})),
        "memory_not_writable"
    );
    // A named pipe is not checked.
    let pipe = project.root().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let error = daemon
        .call_value("memory.validate", &json!({"path": pipe}))
        .unwrap_err();
    assert!(error.to_string().contains("regular file"), "{error}");
}

#[test]
fn a_directory_in_a_project_belongs_to_the_project() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    let root = project.root();
    let run_in = |folder: &Path, args: &[&str]| {
        let mut command = client.command(args);
        Ran::of(command.current_dir(folder).output().unwrap())
    };
    let folder = root.join("src/deep");
    fs::create_dir_all(&folder).unwrap();
    for verb in ["save", "show", "load", "status", "link"] {
        let ran = run_in(&folder, &["memory", verb]);
        assert_eq!(ran.code, Some(0), "{verb}: {}", ran.stderr);
    }
    assert!(root.join(FILE).is_file());
    assert!(!folder.join(".claude").exists());
    // A directory that is named is the project itself, and what is in it belongs to it from then on.
    let at = folder.to_str().unwrap();
    client.ok(&["memory", "save", "--project", at]);
    assert!(folder.join(FILE).is_file());
    let status = run_in(&folder, &["memory", "status"]);
    assert!(
        status.stdout.contains("src/deep/.claude"),
        "{}",
        status.stdout
    );
    // Where there is neither a memory nor git, it is the directory alone.
    let none = tempfile::tempdir().unwrap();
    let inner = none.path().join("inner");
    fs::create_dir(&inner).unwrap();
    run_in(&inner, &["memory", "save"]);
    assert!(inner.join(FILE).is_file());
}
