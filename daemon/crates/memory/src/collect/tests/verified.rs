//! What is looked at again when a memory is read.

use super::bad_input::{digest_of, write};
use crate::{
    Recorded, RecordedPurpose, RecordedRun, RecordedTask, VERIFY_LIMIT, Verified, collect, digest,
    read, save, verify,
};
use ccd_protocol::memory::{ServerInfo, ServerStatus};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

fn saved_with(root: &Path, recorded: &Recorded) {
    let collected = collect(root, None, recorded).unwrap();
    save(root, collected.memory, &collected.notes).unwrap();
}

/// Looks with much time: the machine may be busy.
fn looked_at(root: &Path) -> Verified {
    let parsed = read(root).unwrap();
    let verified = verify(root, &parsed, Instant::now() + VERIFY_LIMIT * 50).unwrap();
    assert_eq!(verified.late, Vec::<&str>::new());
    verified
}

fn changes(root: &Path) -> Vec<String> {
    let checks = looked_at(root).checks.into_iter();
    let changed = checks.filter(|check| !check.holds);
    changed.map(|check| check.fact).collect()
}

#[test]
fn a_current_task_that_is_gone_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let plan = "- [x] T001 Start\n- [ ] T002 Go on\n- [ ] T003 End\n";
    write(root, "tasks.md", plan);
    saved_with(root, &Recorded::default());
    assert_eq!(changes(root), Vec::<String>::new());
    write(root, "tasks.md", "- [x] T001 Start\n- [ ] T003 End\n");
    assert_eq!(changes(root), ["T002 is no longer in tasks.md"]);
    fs::rename(root.join("tasks.md"), root.join("PLAN.md")).unwrap();
    assert_eq!(changes(root), ["the plan is now PLAN.md, not tasks.md"]);
    fs::remove_file(root.join("PLAN.md")).unwrap();
    assert_eq!(changes(root), ["tasks.md is gone"]);
    write(root, "tasks.md", &"- [ ] T002 x\n".repeat(400_000));
    assert_eq!(changes(root), ["tasks.md has 5.0 MiB; the limit is 4 MiB"]);
}

#[test]
fn a_task_without_an_id_is_known_by_its_title() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let password = "hunter2secret";
    let plan = format!("- [x] Start\n- [ ] Use password={password} no more\n");
    write(root, "tasks.md", &plan);
    saved_with(root, &Recorded::default());
    let checks = looked_at(root).checks;
    assert!(
        checks
            .iter()
            .any(|check| check.fact == "Use password=*** no more is still open"),
        "{checks:?}"
    );
    write(root, "tasks.md", &plan.replace("[ ]", "[x]"));
    assert_eq!(changes(root), ["Use password=*** no more is now done"]);
    write(root, "tasks.md", "- [x] Start\n- [ ] End\n");
    assert_eq!(
        changes(root),
        ["Use password=*** no more is no longer in tasks.md"]
    );
}

#[test]
fn a_task_of_the_list_of_claude_code_is_not_looked_for_in_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "tasks.md", "- [x] T001 Start\n- [ ] T002 Go on\n");
    let task = RecordedTask {
        title: "Fix the lamp".to_owned(),
        at: "2999-01-01T00:00:00Z".to_owned(),
        source: "transcript s.jsonl".to_owned(),
    };
    let recorded = Recorded {
        task: Some(task),
        ..Recorded::default()
    };
    saved_with(root, &recorded);
    assert_eq!(changes(root), Vec::<String>::new());
    fs::remove_file(root.join("tasks.md")).unwrap();
    assert_eq!(changes(root), ["tasks.md is gone"]);
}

#[test]
fn a_report_that_is_newer_than_the_memory_is_mentioned() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let report = "<testsuites><testsuite timestamp=\"2026-01-02T03:04:05\"><testcase name=\"a\"/></testsuite></testsuites>";
    write(root, "coverage/junit.xml", report);
    saved_with(root, &Recorded::default());
    assert_eq!(changes(root), Vec::<String>::new());
    let failed = report.replace(
        "\"a\"/>",
        "\"a\"/><testcase name=\"b\"><failure/></testcase>",
    );
    write(root, "coverage/junit.xml", &failed);
    let file = fs::File::options()
        .write(true)
        .open(root.join("coverage/junit.xml"));
    let later = SystemTime::now() + Duration::from_secs(5);
    file.unwrap().set_modified(later).unwrap();
    let expected = "unit tests ran again: 1 failed, 1 passed, from coverage/junit.xml";
    assert_eq!(changes(root), [expected]);
}

#[test]
fn what_the_memory_does_not_have_is_not_called_unverified() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    saved_with(root, &Recorded::default());
    let parsed = read(root).unwrap();
    let late = verify(root, &parsed, Instant::now()).unwrap().late;
    assert!(
        !late.contains(&"servers") && !late.contains(&"tasks"),
        "{late:?}"
    );
}

#[test]
fn files_of_blockers_that_came_or_went_are_noticed_and_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "tasks.md", "- [ ] T001 Fill .env.local\n");
    write(root, ".env.example", "A=\n");
    write(root, "a.rs", "// FIXME: sort\n");
    write(root, "b.rs", "// TODO: later\n");
    saved_with(root, &Recorded::default());
    assert_eq!(changes(root), Vec::<String>::new());
    assert!(digest_of(root).contains("Missing file .env.local"));
    write(root, ".env.local", "A=1\n");
    fs::remove_file(root.join("a.rs")).unwrap();
    let mut changed = changes(root);
    changed.sort_unstable();
    assert_eq!(changed, [".env.local exists now", "a.rs is gone"]);
    let memory = looked_at(root).current.memory;
    let titles: Vec<&str> = memory.blockers.iter().map(|one| &*one.title).collect();
    assert_eq!(titles, ["later"]);
    assert_eq!(memory.summary.major_blocker, None);
    let steps = memory.next_steps.iter();
    assert!(
        steps
            .clone()
            .all(|step| !step.action.contains("Create .env")),
        "{memory:?}"
    );
    assert!(
        !memory.summary.next_action.contains("Create .env"),
        "{memory:?}"
    );
    let digest = digest_of(root);
    assert!(
        !digest.contains("Missing file") && !digest.contains("sort"),
        "{digest}"
    );
}

#[test]
fn a_task_that_is_done_is_not_called_current_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let plan = "- [x] T001 Start\n- [ ] T002 Go on\n- [ ] T003 End\n";
    write(root, "tasks.md", plan);
    saved_with(root, &Recorded::default());
    write(root, "tasks.md", &plan.replace("[ ] T002", "[x] T002"));
    let digest = digest_of(root);
    assert!(
        digest.contains("Changed since: T002 is now done\n"),
        "{digest}"
    );
    assert!(digest.contains("Current task: T003 End"), "{digest}");
    assert!(digest.contains("2/3 tasks complete"), "{digest}");
    assert!(!digest.contains("Go on"), "{digest}");
}

/// Waits until nobody listens. A process that another test has just forked holds a copy of each socket for a moment.
fn eventually_closed(port: u16) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
        assert!(Instant::now() < deadline, "somebody still listens");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_server_that_is_gone_is_not_called_one() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let mut memory = collect(root, None, &Recorded::default()).unwrap().memory;
    let server = |status| ServerInfo {
        process: "lamp".to_owned(),
        port,
        url: format!("http://localhost:{port}"),
        status,
        ..ServerInfo::default()
    };
    memory.environment.servers = vec![server(ServerStatus::Stopped)];
    save(root, memory.clone(), &Default::default()).unwrap();
    assert_eq!(changes(root), [format!("port {port} answers again")]);
    memory.environment.servers = vec![server(ServerStatus::Running)];
    save(root, memory, &Default::default()).unwrap();
    assert!(digest_of(root).contains("Server: lamp on"));
    drop(socket);
    eventually_closed(port);
    let digest = digest_of(root);
    assert!(
        digest.contains(&format!("port {port} no longer answers")),
        "{digest}"
    );
    assert!(!digest.contains("Server: lamp"), "{digest}");
}

#[test]
fn a_history_without_the_saved_commit_and_a_conflict_that_is_resolved_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=dev", "-c", "user.email=dev@example.com"];
        let git = Command::new("git")
            .args(identity)
            .args(args)
            .current_dir(root)
            .output();
        git.unwrap()
    };
    let commit = |text: &str| {
        write(root, "a.txt", text);
        git(&["add", "a.txt"]);
        git(&["commit", "-q", "-m", text]);
    };
    git(&["init", "-q", "-b", "main"]);
    ["one\n", "two\n", "three\n"].into_iter().for_each(commit);
    saved_with(root, &Recorded::default());
    assert_eq!(changes(root), Vec::<String>::new());
    git(&["reset", "-q", "--hard", "HEAD~2"]);
    let expected = "HEAD has moved back: it no longer has the commit of the save";
    assert_eq!(changes(root), [expected]);
    commit("other\n");
    let changed = changes(root);
    assert!(
        changed[0].starts_with("the history was rewritten"),
        "{changed:?}"
    );

    git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    commit("side\n");
    git(&["merge", "-q", "main"]);
    saved_with(root, &Recorded::default());
    assert_eq!(changes(root), Vec::<String>::new());
    assert!(digest_of(root).contains("Blocker: Merge conflict in a.txt"));
    commit("merged\n");
    let expected = ["1 commit since", "the conflict in a.txt is resolved"];
    let mut changed = changes(root);
    changed[0] = changed[0].replace("2 commits", "1 commit");
    assert_eq!(changed, expected);
    assert!(!digest_of(root).contains("Merge conflict"));
}

#[test]
fn commands_that_were_recorded_after_the_save_count() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let run = |command: &str, code, output: &str, at: &str| RecordedRun {
        purpose: match command {
            "cargo build" => RecordedPurpose::Build,
            _ => RecordedPurpose::Unit,
        },
        command: command.to_owned(),
        is_part: false,
        is_failed: Some(code != 0),
        output: output.to_owned(),
        at: at.to_owned(),
        source: "hook events".to_owned(),
    };
    let failed = "test a ... FAILED\ntest result: FAILED. 1 passed; 1 failed;\n";
    let old = "2026-03-02T09:15:00Z";
    let before = Recorded {
        runs: vec![
            run("cargo build", 1, "error: x\n", old),
            run("cargo test", 1, failed, old),
        ],
        ..Recorded::default()
    };
    saved_with(root, &before);
    let parsed = read(root).unwrap();
    let again = |recorded: Option<&Recorded>| {
        let mut verified = verify(root, &parsed, Instant::now() + VERIFY_LIMIT * 50).unwrap();
        verified.add_commands(root, recorded);
        verified
    };
    assert_eq!(again(None).late, ["commands"]);
    let digest_of = |recorded| digest(&again(Some(recorded)), "x", 9500, false);
    let text = digest_of(&before);
    assert!(
        !text.contains("Changed since") && text.contains("The build fails"),
        "{text}"
    );
    let new = "2999-01-01T00:00:00Z";
    let passed = "test result: ok. 2 passed; 0 failed;\n";
    let after = Recorded {
        runs: vec![
            run("cargo build", 0, "", new),
            run("cargo test", 0, passed, new),
        ],
        ..Recorded::default()
    };
    let text = digest_of(&after);
    assert!(
        text.contains(
            "Changed since: unit tests ran again: 0 failed, 2 passed, from hook events\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("Changed since: the build no longer fails, from hook events\n"),
        "{text}"
    );
    assert!(
        !text.contains("Failing test") && !text.contains("failing unit"),
        "{text}"
    );
    assert!(
        !text.contains("The build fails") && !text.contains("Fix the build"),
        "{text}"
    );
}
