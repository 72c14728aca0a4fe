//! What is kept about the user is listed in one place, and deleted there.

use crate::hook::{events, failure, silent_hook};
use crate::support::files::files_with;
use crate::support::{Ccctl, Daemon, assert_has, eventually};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A word that is in every part.
const WORD: &str = "zirbelkiefer";

/// A project with a memory, a session, a tape, a job and a failed command of Claude Code.
fn work(daemon: &Daemon, project: &Path) {
    let at = project.to_str().unwrap();
    fs::create_dir_all(project).unwrap();
    let init = Command::new("git").args(["init", "-q", at]).status();
    assert!(init.unwrap().success());
    fs::write(project.join("README.md"), WORD).unwrap();
    let ccctl = |args: &[&str]| {
        let ran = Ccctl::new(daemon).run_in(project, args);
        assert_eq!(ran.code, Some(0), "{args:?}: {ran:?}");
    };
    ccctl(&["run", "--", "echo", WORD]);
    ccctl(&["rec", "--", "echo", WORD, at]);
    ccctl(&["parallel", &format!("echo {WORD}"), "true"]);
    ccctl(&["memory", "save"]);
    let error = format!("Exit code 1\nerror: {WORD}");
    let mut payload = failure(&format!("s-{at}"), at, "make", &error);
    payload["cwd"] = at.into();
    silent_hook(daemon, &payload);
}

/// A payload that nobody could read.
fn invalid(daemon: &Daemon) {
    let spool = daemon.home().join("spool");
    fs::create_dir_all(&spool).unwrap();
    fs::write(spool.join("1-a.json.invalid"), WORD).unwrap();
}

/// Claude Code's own transcript, and an imported one.
fn transcripts(daemon: &Daemon, cwd: &Path) -> PathBuf {
    let folder = daemon.home().join(".claude/projects/-p");
    fs::create_dir_all(&folder).unwrap();
    let line = |id: &str| {
        let line = json!({
            "type": "user", "sessionId": id, "uuid": id, "cwd": cwd, "timestamp": "2026-01-31T12:00:00.000Z",
            "message": {"role": "user", "content": WORD},
        });
        format!("{line}\n")
    };
    let own = folder.join("8b5e2f3a-0000-4000-8000-000000000001.jsonl");
    fs::write(&own, line("8b5e2f3a-0000-4000-8000-000000000001")).unwrap();
    let other = daemon.home().join("other.jsonl");
    fs::write(&other, line("8b5e2f3a-0000-4000-8000-000000000002")).unwrap();
    let client = Ccctl::new(daemon);
    client.ok(&["conversation", "import", other.to_str().unwrap()]);
    fs::remove_file(other).unwrap();
    assert!(client.ok(&["conversation", "search", WORD]).contains(WORD));
    own
}

/// The parts that have something, each in words.
fn kept(daemon: &Daemon) -> Vec<(String, String)> {
    let reply = daemon.ok("data.list", &json!({}));
    let parts = reply["parts"].as_array().unwrap().iter();
    let text = |part: &Value, name: &str| part[name].as_str().unwrap().to_owned();
    let parts = parts.filter(|part| part["items"] != 0);
    parts
        .map(|part| (text(part, "part"), text(part, "what")))
        .collect()
}

/// Files below a directory that contain the word.
fn with_word(folder: &Path) -> Vec<PathBuf> {
    files_with(folder, WORD.as_bytes())
}

#[test]
fn every_part_is_listed_and_forgotten() {
    let daemon = Daemon::start();
    let project = daemon.home().join("project");
    work(&daemon, &project);
    let own = transcripts(&daemon, &project);
    events(&daemon, 1);
    invalid(&daemon);
    let words = [
        ("sessions", "4 ended sessions"),
        ("tapes", "1 tape"),
        ("hooks", "1 payload, 1 invalid payload"),
        ("coach", "1 event"),
        ("conversations", "1 index, 1 copied transcript"),
        ("memory", "1 memory"),
        ("jobs", "1 job"),
    ];
    let words = words.map(|(part, what)| (part.to_owned(), what.to_owned()));
    assert_eq!(kept(&daemon), words);
    let client = Ccctl::new(&daemon);
    let page = client.ok(&["data"]);
    let lines = [
        "sessions ",
        "off: coach.record: false, or ccctl hooks uninstall",
        "  1 log file: the newest, which the daemon writes; kept ",
        "nothing found: runs, reports",
    ];
    assert_has(&page, lines);
    // Without a terminal and without --yes, it is only shown.
    let preview = client.run(&["data", "forget"]);
    assert_has(&preview.stdout, ["tapes         would delete 1 tape\n"]);
    assert!(preview.stderr.contains("--yes deletes it"), "{preview:?}");
    assert_eq!(preview.code, Some(1));
    assert_eq!(kept(&daemon), words);

    let done = client.ok(&["data", "forget", "--yes"]);
    assert!(done.contains("memory        deleted 1 memory\n"), "{done}");
    assert!(done.contains("which ccd only reads"), "{done}");
    assert_eq!(kept(&daemon), []);
    let mut left = [own.clone(), project.join("README.md")];
    left.sort();
    eventually("no file has the word but the user's own", || {
        let mut found = with_word(daemon.home());
        found.sort();
        (found == left).then_some(())
    });
    // Nothing reads the transcripts before somebody asks.
    let index = daemon.home().join("conversations.sqlite");
    fs::write(&own, format!("{}\n", fs::read_to_string(&own).unwrap())).unwrap();
    assert!(!index.exists());
    client.ok(&["conversation", "list"]);
    assert!(index.exists());
}

#[test]
fn a_time_or_a_directory_with_all_below_it_limits_what_is_forgotten() {
    let daemon = Daemon::start();
    let top = daemon.home().join("all");
    let [one, other] = ["one", "other"].map(|name| top.join(name));
    work(&daemon, &one);
    work(&daemon, &other);
    transcripts(&daemon, &one);
    events(&daemon, 2);
    let all = kept(&daemon);
    let client = Ccctl::new(&daemon);
    let forget = |args: &[&str]| client.ok(&[&["data", "forget", "--yes"], args].concat());
    let early = forget(&["--before", "2026-01-01"]);
    assert!(early.starts_with("nothing to delete\n"), "{early}");
    assert!(early.contains("conversations stays: 1 index: "), "{early}");
    let elsewhere = forget(&["--project", "/elsewhere"]);
    assert!(elsewhere.starts_with("nothing to delete\n"), "{elsewhere}");
    let elsewhere = client.run(&["data", "forget", "--project", "/elsewhere"]);
    let missing = "/elsewhere: there is no such directory";
    assert!(elsewhere.stderr.contains(missing), "{elsewhere:?}");
    assert_eq!(elsewhere.code, Some(0));
    let inside = one.join("src");
    fs::create_dir(&inside).unwrap();
    let below = forget(&["memory", "--project", inside.to_str().unwrap()]);
    assert_eq!(below, "nothing to delete\n");
    assert_eq!(kept(&daemon), all);

    let done = forget(&["--project", one.to_str().unwrap()]);
    let lines = [
        "sessions      deleted 4 ended sessions",
        "tapes         deleted 1 tape",
        "coach         deleted 1 event",
        "hooks         deleted 1 payload",
        "conversations deleted 1 copied transcript",
        "memory        deleted 1 memory",
        "jobs          stays: 2 jobs: jobs belong to no project",
    ];
    assert_has(&done, lines);
    assert!(!with_word(&other).is_empty());
    assert!(other.join(".claude/session-memory.md").exists());
    let rest = forget(&["sessions", "tapes", "--project", other.to_str().unwrap()]);
    assert_eq!(
        rest,
        "sessions      deleted 4 ended sessions\ntapes         deleted 1 tape\n"
    );
    let rest = forget(&["--project", top.to_str().unwrap()]);
    let lines = [
        "coach         deleted 1 event",
        "hooks         deleted 1 payload",
        "memory        deleted 1 memory",
    ];
    assert_has(&rest, lines);
}

#[test]
fn a_request_that_selects_nothing_or_no_place_is_refused() {
    let daemon = Daemon::start();
    for (params, mistake) in [
        (r#"{"parts": []}"#, "at least one"),
        (
            r#"{"parts": ["jobs"], "project": "src"}"#,
            "not an absolute path",
        ),
        (
            r#"{"parts": ["jobs"], "before": "yesterday"}"#,
            "not a time",
        ),
        (r#"{"parts": ["everything"]}"#, "everything"),
        ("{}", "parts"),
    ] {
        let params = serde_json::from_str(params).unwrap();
        let error = daemon.error("data.forget", &params);
        assert_has(&error["message"], [mistake]);
    }
}

#[test]
fn live_sessions_stay() {
    let daemon = Daemon::start();
    let mut connection = daemon.connect();
    let session = connection.start_session(&["cat"]);
    let client = Ccctl::new(&daemon);
    let done = client.ok(&["data", "forget", "sessions", "--yes"]);
    assert!(done.contains("stays: 1 live session"), "{done}");
    client.ok(&["session", "close", &session]);
    let done = client.ok(&["data", "forget", "sessions", "--yes"]);
    assert_eq!(done, "sessions      deleted 1 ended session\n");
}

#[test]
fn candidates_that_quote_what_is_forgotten_go_with_it() {
    let daemon = Daemon::start();
    for (session, project) in [("s1", "one"), ("s2", "other")] {
        let at = daemon.home().join(project);
        fs::create_dir_all(&at).unwrap();
        let text = format!("No, use pnpm instead of npm, {WORD}");
        let mut said = crate::hook::prompt(session, session, &text);
        said["cwd"] = at.to_str().unwrap().into();
        silent_hook(&daemon, &said);
    }
    events(&daemon, 2);
    let client = Ccctl::new(&daemon);
    client.ok(&["coach", "aggregate"]);
    let one = daemon.home().join("one");
    let project = ["--yes", "--project", one.to_str().unwrap()];
    let done = client.ok(&[&["data", "forget", "coach"], &project[..]].concat());
    assert_eq!(done, "coach         deleted 1 event, 1 proposal\n");
}

#[test]
fn a_part_that_fails_keeps_no_other_from_its_turn() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let session = client.ok(&["session", "create", "--", "cat"]);
    client.ok(&["session", "close", session.trim()]);
    let target = daemon.home().join("target");
    fs::create_dir(&target).unwrap();
    std::os::unix::fs::symlink(target, daemon.home().join(".claude-coach")).unwrap();
    let done = client.run(&["data", "forget", "coach", "sessions", "--yes"]);
    let said = &done.stdout;
    let is_failed = said.contains("coach         failed: ") || said.contains("nothing");
    assert_has(&done.stdout, ["sessions      deleted 1 ended session"]);
    assert!(is_failed, "{done:?}");
}
