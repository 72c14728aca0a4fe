//! Hooks of Claude Code that load and save the memory.

use super::{FILE, project};
use crate::support::client::Ran;
use crate::support::{Ccctl, Daemon, eventually};
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

fn payload(event: &str, source: &str, cwd: &Path) -> Value {
    json!({"session_id": "s", "hook_event_name": event, "source": source, "cwd": cwd})
}

/// Posts a payload as `ccctl hook` does, but without its time limit.
fn post(daemon: &Daemon, number: u32, payload: &Value) -> Option<String> {
    let params = json!({"delivery_id": format!("{number:032x}"), "at": "2026-01-31T12:00:00.000000Z", "payload": payload});
    let reply = daemon.call_value("hook.post", &params).unwrap();
    reply["output"].as_str().map(str::to_owned)
}

fn context(output: &str) -> String {
    let output: Value = serde_json::from_str(output).unwrap();
    let output = &output["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "SessionStart");
    output["additionalContext"].as_str().unwrap().to_owned()
}

/// Runs `ccctl hook` with as much time as it may have.
fn hook(daemon: &Daemon, args: &[&str], payload: &Value) -> Ran {
    let mut words = vec!["hook", "--timeout-ms", "1000"];
    words.extend(args);
    let mut command = Ccctl::new(daemon).command(&words);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(payload.to_string().as_bytes()).unwrap();
    drop(input);
    Ran::of(child.wait_with_output().unwrap())
}

fn with(config: &Value) -> Daemon {
    Daemon::builder().config(&config.to_string()).start()
}

#[test]
fn each_start_of_a_session_gets_a_digest_that_was_verified() {
    let daemon = Daemon::start();
    let project = project();
    let root = project.root();
    let folder = root.join("src");
    fs::create_dir(&folder).unwrap();
    assert_eq!(
        post(&daemon, 1, &payload("SessionStart", "startup", &folder)),
        None
    );
    Ccctl::new(&daemon).ok(&["memory", "save", "--project", root.to_str().unwrap()]);
    let mut number = 10;
    let mut start = |source: &str| {
        number += 1;
        context(&post(&daemon, number, &payload("SessionStart", source, &folder)).unwrap())
    };
    for source in ["startup", "clear", "compact", "fork"] {
        let digest = start(source);
        assert!(
            digest.contains("(saved ") && digest.contains("Step: Complete T003"),
            "{digest}"
        );
        assert!(
            digest.contains(root.join(FILE).to_str().unwrap()),
            "{digest}"
        );
        assert!(digest.chars().count() <= 9500);
    }
    let short = start("resume");
    assert!(
        short.contains("Current task: T002") && !short.contains("Commit, "),
        "{short}"
    );

    let plan = fs::read_to_string(root.join("tasks.md")).unwrap();
    fs::write(root.join("tasks.md"), plan.replace("[ ] T002", "[x] T002")).unwrap();
    project.git(&["commit", "-q", "-a", "-m", "second"]);
    // A machine that is busy does not verify it in time each time, and the digest says so.
    eventually("the digest says what changed", || {
        let digest = start("startup");
        let is_late = digest.contains("Not verified");
        let is_known = digest.contains("1 commit since") && digest.contains("T002 is now done");
        assert!(is_known || is_late, "{digest}");
        is_known.then_some(())
    });
    for event in ["UserPromptSubmit", "SessionEnd", "PreCompact"] {
        number += 1;
        assert_eq!(
            post(&daemon, number, &payload(event, "startup", &folder)),
            None
        );
    }
    fs::write(root.join(FILE), "").unwrap();
    assert_eq!(
        post(&daemon, 900, &payload("SessionStart", "startup", &folder)),
        None
    );
}

#[test]
fn a_digest_has_as_many_characters_as_configured_and_none_if_switched_off() {
    let daemon = with(&json!({"memory": {"digest_chars": 500}}));
    let project = project();
    let at = project.root().to_str().unwrap();
    let tasks: String = (2..40)
        .map(|n| format!("- [ ] T{n:03} Task {n}\n"))
        .collect();
    fs::write(project.root().join("tasks.md"), tasks).unwrap();
    let client = Ccctl::new(&daemon);
    client.ok(&["memory", "save", "--project", at]);
    let start = payload("SessionStart", "startup", project.root());
    let digest = context(&post(&daemon, 1, &start).unwrap());
    assert!(
        digest.chars().count() <= 500 && digest.contains("more in the file"),
        "{digest}"
    );
    assert!(
        client
            .ok(&["memory", "load", "--project", at])
            .chars()
            .count()
            <= 500
    );

    let off = json!({"memory": {"load": false}}).to_string();
    fs::write(daemon.config_path(), off).unwrap();
    daemon.call_value("daemon.reload", &json!({})).unwrap();
    assert_eq!(post(&daemon, 2, &start), None);
    let installed = client.ok(&["hooks", "install", "--dry-run"]);
    assert!(installed.contains(" hook --no-memory"), "{installed}");
    assert_eq!(hook(&daemon, &["--no-memory"], &start).stdout, "");
}

#[test]
fn a_memory_is_saved_at_the_configured_moments() {
    let daemon = with(&json!({"memory": {"save_on": ["session_end"]}}));
    let (compacted, ended) = (project(), project());
    let none = tempfile::tempdir().unwrap();
    let folder = ended.root().join("src");
    fs::create_dir(&folder).unwrap();
    post(&daemon, 1, &payload("PreCompact", "", compacted.root()));
    post(&daemon, 2, &payload("SessionEnd", "", none.path()));
    post(&daemon, 3, &payload("SessionEnd", "", &folder));
    let file = eventually("the memory is saved", || {
        fs::read_to_string(ended.root().join(FILE)).ok()
    });
    assert!(
        file.contains("T002") && !file.contains("hunter2secret"),
        "{file}"
    );
    assert_eq!(ended.git(&["status", "--porcelain"]), "");
    // Saves are made one after the other.
    for folder in [compacted.root(), none.path(), &folder] {
        assert!(!folder.join(".claude").exists(), "{folder:?}");
    }

    let both = json!({"memory": {"save_on": ["session_end", "pre_compact"]}}).to_string();
    fs::write(daemon.config_path(), both).unwrap();
    daemon.call_value("daemon.reload", &json!({})).unwrap();
    // What cannot be saved is logged, and the next one is saved.
    fs::remove_file(ended.root().join(FILE)).unwrap();
    fs::create_dir(ended.root().join(FILE)).unwrap();
    post(&daemon, 4, &payload("SessionEnd", "", ended.root()));
    post(&daemon, 5, &payload("PreCompact", "", compacted.root()));
    eventually("the other memory is saved", || {
        compacted.root().join(FILE).is_file().then_some(())
    });
}

#[test]
fn the_client_prints_the_digest_and_without_a_daemon_the_head_of_the_file_which_is_marked() {
    let mut daemon = Daemon::start();
    let project = project();
    Ccctl::new(&daemon).ok(&[
        "memory",
        "save",
        "--project",
        project.root().to_str().unwrap(),
    ]);
    let folder = project.root().join("src");
    fs::create_dir(&folder).unwrap();
    let start = payload("SessionStart", "startup", &folder);
    eventually("the daemon replies in time", || {
        let ran = hook(&daemon, &[], &start);
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
        context(&ran.stdout).contains("(saved ").then_some(())
    });
    daemon.stop();
    let ran = hook(&daemon, &[], &start);
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    let head = context(&ran.stdout);
    assert!(
        head.contains("not verified: the ccd daemon did not answer"),
        "{head}"
    );
    assert!(
        head.contains("T002") && head.chars().count() <= 9500,
        "{head}"
    );
    for (args, payload) in [
        (&[][..], payload("SessionEnd", "startup", &folder)),
        (&[], payload("UserPromptSubmit", "", &folder)),
        (&["--no-memory"], start),
        (&[], payload("SessionStart", "startup", daemon.home())),
    ] {
        let ran = hook(&daemon, args, &payload);
        assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (Some(0), "", ""));
    }
}
