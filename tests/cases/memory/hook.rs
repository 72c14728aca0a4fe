//! Hooks of Claude Code that load and save the memory.

use super::{FILE, MemoryClient, assert_has, payload, post, project};
use crate::support::client::Ran;
use crate::support::{Ccctl, Daemon, eventually};
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

fn context(output: &Value) -> String {
    let output = &output["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "SessionStart");
    output["additionalContext"].as_str().unwrap().to_owned()
}

/// Runs `ccctl hook` with as much time as it may have, and returns its output.
fn hook(daemon: &Daemon, args: &[&str], payload: &Value) -> String {
    let words = [&["hook", "--timeout-ms", "1000"], args].concat();
    let mut command = Ccctl::new(daemon).command(&words);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(payload.to_string().as_bytes()).unwrap();
    drop(input);
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    ran.stdout
}

fn with(config: &Value) -> Daemon {
    Daemon::builder().config(&config.to_string()).start()
}

fn configure(daemon: &Daemon, config: &Value) {
    fs::write(daemon.config_path(), config.to_string()).unwrap();
    daemon.ok("daemon.reload", &json!({}));
}

/// Makes a directory in a project.
fn below(root: &Path) -> std::path::PathBuf {
    let folder = root.join("src");
    fs::create_dir(&folder).unwrap();
    folder
}

#[test]
fn each_start_of_a_session_gets_a_digest_that_was_verified() {
    let daemon = Daemon::start();
    let project = project();
    let root = project.root();
    let folder = below(root);
    let at_start = |source: &str| post(&daemon, "SessionStart", source, &folder);
    assert_eq!(at_start("startup"), None);
    MemoryClient::of(&daemon, root).ok(&["save"]);
    let start = |source: &str| context(&at_start(source).unwrap());
    let file = root.join(FILE);
    for source in ["startup", "clear", "compact", "fork"] {
        let digest = start(source);
        let path = file.to_str().unwrap();
        assert_has(&digest, &["(saved ", "Step: Complete T003", path]);
        assert!(digest.chars().count() <= 9500);
    }
    let short = start("resume");
    let is_short = short.contains("Current task: T002") && !short.contains("Commit, ");
    assert!(is_short, "{short}");

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
        assert_eq!(post(&daemon, event, "startup", &folder), None);
    }
    fs::write(file, "").unwrap();
    assert_eq!(at_start("startup"), None);
}

#[test]
fn a_digest_has_as_many_characters_as_configured_and_none_if_switched_off() {
    let daemon = with(&json!({"memory": {"digest_chars": 500}}));
    let project = project();
    let root = project.root();
    let tasks = (2..40).map(|n| format!("- [ ] T{n:03} Task {n}\n"));
    fs::write(root.join("tasks.md"), tasks.collect::<String>()).unwrap();
    let memory = MemoryClient::of(&daemon, root);
    memory.ok(&["save"]);
    let digest = context(&post(&daemon, "SessionStart", "startup", root).unwrap());
    assert_has(&digest, &["more in the file"]);
    for text in [digest, memory.ok(&["load"])] {
        assert!(text.chars().count() <= 500, "{text}");
    }

    configure(&daemon, &json!({"memory": {"load": false}}));
    assert_eq!(post(&daemon, "SessionStart", "startup", root), None);
    let installed = memory.client.ok(&["hooks", "install", "--dry-run"]);
    assert_has(&installed, &[" hook --no-memory"]);
    let start = payload("SessionStart", "startup", root);
    assert_eq!(hook(&daemon, &["--no-memory"], &start), "");
}

#[test]
fn a_memory_is_saved_at_the_configured_moments() {
    let daemon = with(&json!({"memory": {"save_on": ["session_end"]}}));
    let (compacted, ended) = (project(), project());
    let none = tempfile::tempdir().unwrap();
    let folder = below(ended.root());
    post(&daemon, "PreCompact", "", compacted.root());
    post(&daemon, "SessionEnd", "", none.path());
    post(&daemon, "SessionEnd", "", &folder);
    let file = eventually("the memory is saved", || {
        fs::read_to_string(ended.root().join(FILE)).ok()
    });
    let is_clean = file.contains("T002") && !file.contains("hunter2secret");
    assert!(is_clean, "{file}");
    assert_eq!(ended.git(&["status", "--porcelain"]), "");
    // Saves are made one after the other.
    for folder in [compacted.root(), none.path(), &folder] {
        assert!(!folder.join(".claude").exists(), "{folder:?}");
    }

    let both = ["session_end", "pre_compact"];
    configure(&daemon, &json!({"memory": {"save_on": both}}));
    // What cannot be saved is logged, and the next one is saved.
    fs::remove_file(ended.root().join(FILE)).unwrap();
    fs::create_dir(ended.root().join(FILE)).unwrap();
    post(&daemon, "SessionEnd", "", ended.root());
    post(&daemon, "PreCompact", "", compacted.root());
    eventually("the other memory is saved", || {
        compacted.root().join(FILE).is_file().then_some(())
    });
}

#[test]
fn the_client_prints_the_digest_and_without_a_daemon_the_head_of_the_file_which_is_marked() {
    let mut daemon = Daemon::start();
    let project = project();
    MemoryClient::of(&daemon, project.root()).ok(&["save"]);
    let folder = below(project.root());
    let start = payload("SessionStart", "startup", &folder);
    let context = |output: &str| context(&serde_json::from_str(output).unwrap());
    eventually("the daemon replies in time", || {
        let digest = context(&hook(&daemon, &[], &start));
        digest.contains("(saved ").then_some(())
    });
    daemon.stop();
    let head = context(&hook(&daemon, &[], &start));
    let unverified = "not verified: the ccd daemon did not answer";
    assert_has(&head, &[unverified, "T002"]);
    assert!(head.chars().count() <= 9500, "{head}");
    for (args, payload) in [
        (&[][..], payload("SessionEnd", "startup", &folder)),
        (&[], payload("UserPromptSubmit", "", &folder)),
        (&["--no-memory"], start),
        (&[], payload("SessionStart", "startup", daemon.home())),
    ] {
        assert_eq!(hook(&daemon, args, &payload), "");
    }
}
