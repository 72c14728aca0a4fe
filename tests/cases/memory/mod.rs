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
use std::sync::atomic::{AtomicU32, Ordering};

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

/// `ccctl memory` for a project.
struct MemoryClient<'a> {
    client: Ccctl<'a>,
    at: &'a str,
}

impl<'a> MemoryClient<'a> {
    fn of(daemon: &'a Daemon, root: &'a Path) -> Self {
        Self {
            client: Ccctl::new(daemon),
            at: root.to_str().unwrap(),
        }
    }

    fn run(&self, words: &[&str]) -> Ran {
        let all = [&["memory"], words, &["--project", self.at]].concat();
        self.client.run(&all)
    }

    fn ok(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.stderr);
        ran.stdout
    }

    /// Runs a command that fails and says why.
    #[track_caller]
    fn fails(&self, words: &[&str], why: &str) {
        let ran = self.run(words);
        assert_ne!(ran.code, Some(0), "{words:?}");
        assert!(ran.stderr.contains(why), "{words:?}: {}", ran.stderr);
    }

    fn json(&self, words: &[&str]) -> Value {
        serde_json::from_str(&self.ok(&[words, &["--json"]].concat())).unwrap()
    }

    fn shown(&self) -> Value {
        self.json(&["show"])
    }
}

#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Posts a payload as `ccctl hook` does, but without its time limit. Returns what Claude Code gets.
fn post(daemon: &Daemon, event: &str, source: &str, cwd: &Path) -> Option<Value> {
    static LAST: AtomicU32 = AtomicU32::new(1);
    let number = LAST.fetch_add(1, Ordering::Relaxed);
    let params = json!({
        "delivery_id": format!("{number:032x}"),
        "at": "2026-01-31T12:00:00.000000Z",
        "payload": payload(event, source, cwd),
    });
    let reply = daemon.ok("hook.post", &params);
    Some(serde_json::from_str(reply["output"].as_str()?).unwrap())
}

fn payload(event: &str, source: &str, cwd: &Path) -> Value {
    json!({"session_id": "s", "hook_event_name": event, "source": source, "cwd": cwd})
}

#[test]
fn a_memory_is_saved_shown_checked_and_loaded() {
    let daemon = Daemon::start();
    let project = project();
    let memory = MemoryClient::of(&daemon, project.root());
    let saved = memory.json(&["save"]);
    let path = saved["path"].as_str().unwrap();
    let file = fs::read_to_string(path).unwrap();
    assert!(!file.contains("hunter2secret"), "{file}");
    assert_eq!(project.git(&["status", "--porcelain"]), "");

    let shown = memory.shown();
    assert_eq!(shown["taskStatus"]["currentTask"]["id"], "T002");
    assert_eq!(shown["provenance"]["taskStatus"]["source"], "tasks.md");
    assert_eq!(shown["warnings"], json!([]));
    let page = memory.ok(&["show"]);
    let tasks = "tasks: 1/3 tasks complete (33.3%), from tasks.md";
    assert_has(&page, &[tasks]);
    let checked = memory.client.ok(&["memory", "validate", path]);
    assert_eq!(checked, "valid\n");

    let plan = project.root().join("tasks.md");
    let done = fs::read_to_string(&plan).unwrap();
    fs::write(&plan, done.replace("[ ] T002", "[x] T002")).unwrap();
    project.git(&["commit", "-q", "-a", "-m", "second"]);
    let status = memory.ok(&["status"]);
    assert_has(&status, &["1 commit since", "T002 is now done"]);
    let digest = memory.ok(&["load"]);
    assert_has(&digest, &["Changed since: T002 is now done"]);

    // What a save left out is said by each reader.
    fs::write(plan, "- [ ] T001 x\n".repeat(400_000)).unwrap();
    let expected = "tasks: left out: tasks.md has 5.0 MiB; the limit is 4 MiB";
    assert_has(&memory.run(&["save"]).stderr, &[expected]);
    assert_has(&fs::read_to_string(path).unwrap(), &[expected]);
    for verb in ["show", "load"] {
        assert_has(&memory.ok(&[verb]), &[expected]);
    }
    assert_eq!(memory.shown()["warnings"], json!([expected]));
}

#[test]
fn a_given_memory_is_written_and_comes_back_or_is_refused_with_the_reason() {
    let daemon = Daemon::start();
    let project = project();
    let memory = MemoryClient::of(&daemon, project.root());
    memory.ok(&["save"]);
    let mut value = memory.shown();
    let given = project.root().join("given.json");
    let from = ["save", "--from", given.to_str().unwrap()];
    let put = |value: &Value| fs::write(&given, value.to_string()).unwrap();
    let file = project.root().join(FILE);
    let before = fs::read(&file).unwrap();
    for (part, field, bad, reason) in [
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
        let mut value = value.clone();
        value[part][field] = json!(bad);
        put(&value);
        memory.fails(&from, "not valid");
        memory.fails(&from, reason);
        assert_eq!(fs::read(&file).unwrap(), before);
    }
    // Too much of something is no mistake: it is cut.
    let mut long = value.clone();
    let step = json!({"priority": "immediate", "action": "Fix it"});
    long["nextSteps"] = json!(vec![step; 30]);
    let params = json!({"project": memory.at, "memory": long});
    let saved = daemon.ok("memory.save", &params);
    assert_eq!(saved["cut"]["nextSteps"], 20);

    value["summary"]["nextAction"] = json!("Fix | it (now)");
    // Nothing listens on port 1.
    value["environment"]["servers"] =
        json!([{"process": "lamp", "port": 1, "url": "http://localhost:1", "status": "stopped"}]);
    put(&value);
    memory.ok(&from);
    assert_eq!(memory.shown()["summary"], value["summary"]);
    assert_has(&memory.ok(&["show"]), &["stopped server: lamp on"]);
    assert_has(&memory.ok(&["load"]), &["Stopped server: lamp on"]);

    // Its texts do not control the terminal.
    value["metadata"]["projectName"] = json!("two\nlines \u{1b}]0;title\u{7}end");
    value["summary"]["nextAction"] = json!("go \u{1b}[31mred\u{202e}");
    value["nextSteps"] = json!([{"priority": "immediate", "action": "step \u{1b}[2J\u{9b}1m"}]);
    put(&value);
    memory.ok(&from);
    for verb in ["show", "load"] {
        let page = memory.ok(&[verb]);
        let controls = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!page.contains(controls), "{page:?}");
        assert_has(&page, &["step"]);
    }
}

#[test]
fn errors_name_the_thing() {
    let daemon = Daemon::start();
    let project = project();
    let memory = MemoryClient::of(&daemon, project.root());
    let kind = |method: &str, project: &str| {
        let refused = daemon.call_value(method, &json!({"project": project}));
        refused.unwrap_err()["data"]["kind"].clone()
    };
    assert_eq!(kind("memory.get", memory.at), "memory_not_found");
    for method in ["memory.save", "memory.get", "memory.load", "memory.status"] {
        let missing = kind(method, "/no/such/project");
        assert_eq!(missing, "project_not_found", "{method}");
    }
    assert_eq!(kind("memory.save", "here"), "invalid_argument");
    fs::create_dir(project.root().join(".claude")).unwrap();
    let file = project.root().join(FILE);
    let path = file.to_str().unwrap();
    fs::write(&file, "# Notes\n").unwrap();
    assert_eq!(kind("memory.get", memory.at), "memory_invalid");

    // An empty memory is one line for each command.
    fs::write(&file, "\n").unwrap();
    let advice = format!("{path} is empty; ccctl memory save fills it\n");
    for (verb, line) in [
        ("show", "No session data\n"),
        ("status", &*advice),
        ("load", &format!("No session data: {advice}")),
    ] {
        assert_eq!(memory.ok(&[verb]), line);
    }
    let checked = memory.client.run(&["memory", "validate", path]);
    let said = (checked.code, &*checked.stdout, &*checked.stderr);
    assert_eq!(said, (Some(1), "the file is empty\n", ""));

    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(kind("memory.save", memory.at), "memory_not_writable");
    // A named pipe is not checked.
    let pipe = project.root().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let refused = daemon.call_value("memory.validate", &json!({"path": pipe}));
    assert_has(&refused.unwrap_err().to_string(), &["regular file"]);
}

#[test]
fn a_directory_in_a_project_belongs_to_the_project() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    let root = project.root();
    let run_in = |folder: &Path, verb: &str| {
        let mut command = client.command(&["memory", verb]);
        let ran = Ran::of(command.current_dir(folder).output().unwrap());
        assert_eq!(ran.code, Some(0), "{verb}: {}", ran.stderr);
        ran.stdout
    };
    let folder = root.join("src/deep");
    fs::create_dir_all(&folder).unwrap();
    for verb in ["save", "show", "load", "status", "link"] {
        run_in(&folder, verb);
    }
    assert!(root.join(FILE).is_file());
    assert!(!folder.join(".claude").exists());
    // A directory that is named is the project itself, and what is in it belongs to it from then on.
    MemoryClient::of(&daemon, &folder).ok(&["save"]);
    assert!(folder.join(FILE).is_file());
    assert_has(&run_in(&folder, "status"), &["src/deep/.claude"]);
    // Where there is neither a memory nor git, it is the directory alone.
    let none = tempfile::tempdir().unwrap();
    let inner = none.path().join("inner");
    fs::create_dir(&inner).unwrap();
    run_in(&inner, "save");
    assert!(inner.join(FILE).is_file());
}
