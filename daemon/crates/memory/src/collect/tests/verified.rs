//! What is looked at again when a memory is read.

use super::{collected, digest_of, git, memory, titles, with, write};
use crate::{
    Recorded, RecordedPurpose, RecordedRun, RecordedTask, Verified, digest, read, save, verify,
};
use ccd_protocol::memory::{ServerInfo, ServerStatus};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

fn save_with(root: &Path, recorded: &Recorded) {
    let collected = collected(root, None, recorded);
    save(root, collected.memory, &collected.notes).unwrap();
}

/// Returns a project with some files and a memory.
fn saved_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = with(files);
    save_with(folder.path(), &Recorded::default());
    assert_eq!(changes(folder.path()), Vec::<String>::new());
    folder
}

fn looked_at(root: &Path) -> Verified {
    let verified = super::looked_at(root);
    assert_eq!(verified.late, Vec::<&str>::new());
    verified
}

fn changes(root: &Path) -> Vec<String> {
    let checks = looked_at(root).checks.into_iter();
    let changed = checks.filter(|check| !check.holds);
    changed.map(|check| check.fact).collect()
}

/// Says of each text whether a digest has it.
#[track_caller]
fn assert_has(digest: &str, texts: &[(&str, bool)]) {
    for (text, expected) in texts {
        assert_eq!(digest.contains(text), *expected, "{text}: {digest}");
    }
}

const PLAN: &str = "- [x] T001 Start\n- [ ] T002 Go on\n- [ ] T003 End\n";

#[test]
fn a_current_task_that_is_gone_is_noticed() {
    let folder = saved_with(&[("tasks.md", PLAN)]);
    let root = folder.path();
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
    let password = "hunter2secret";
    let plan = format!("- [x] Start\n- [ ] Use password={password} no more\n");
    let folder = saved_with(&[("tasks.md", &plan)]);
    let root = folder.path();
    let checks = looked_at(root).checks;
    let open = "Use password=*** no more is still open";
    assert!(checks.iter().any(|one| one.fact == open), "{checks:?}");
    write(root, "tasks.md", &plan.replace("[ ]", "[x]"));
    assert_eq!(changes(root), ["Use password=*** no more is now done"]);
    write(root, "tasks.md", "- [x] Start\n- [ ] End\n");
    let gone = "Use password=*** no more is no longer in tasks.md";
    assert_eq!(changes(root), [gone]);
}

#[test]
fn a_task_of_the_list_of_claude_code_is_not_looked_for_in_the_plan() {
    let folder = with(&[("tasks.md", PLAN)]);
    let root = folder.path();
    let task = RecordedTask {
        title: "Fix the lamp".to_owned(),
        at: "2999-01-01T00:00:00Z".to_owned(),
        source: "transcript s.jsonl".to_owned(),
    };
    let recorded = Recorded {
        task: Some(task),
        ..Recorded::default()
    };
    save_with(root, &recorded);
    assert_eq!(changes(root), Vec::<String>::new());
    fs::remove_file(root.join("tasks.md")).unwrap();
    assert_eq!(changes(root), ["tasks.md is gone"]);
}

#[test]
fn a_report_that_is_newer_than_the_memory_is_mentioned() {
    let report = "<testsuites><testsuite timestamp=\"2026-01-02T03:04:05\"><testcase name=\"a\"/></testsuite></testsuites>";
    let path = "coverage/junit.xml";
    let folder = saved_with(&[(path, report)]);
    let failed = "\"a\"/><testcase name=\"b\"><failure/></testcase>";
    write(folder.path(), path, &report.replace("\"a\"/>", failed));
    let file = fs::File::options()
        .append(true)
        .open(folder.path().join(path));
    let later = SystemTime::now() + Duration::from_secs(5);
    file.unwrap().set_modified(later).unwrap();
    let expected = "unit tests ran again: 1 failed, 1 passed, from coverage/junit.xml";
    assert_eq!(changes(folder.path()), [expected]);
}

#[test]
fn what_the_memory_does_not_have_is_not_called_unverified() {
    let folder = saved_with(&[]);
    let parsed = read(folder.path()).unwrap();
    let late = verify(folder.path(), &parsed, Instant::now()).unwrap().late;
    let is_named = |part: &&str| ["servers", "tasks"].contains(part);
    assert!(!late.iter().any(is_named), "{late:?}");
}

#[test]
fn files_of_blockers_that_came_or_went_are_noticed_and_left_out() {
    let folder = saved_with(&[
        ("tasks.md", "- [ ] T001 Fill .env.local\n"),
        (".env.example", "A=\n"),
        ("a.rs", "// FIXME: sort\n"),
        ("b.rs", "// TODO: later\n"),
    ]);
    let root = folder.path();
    assert!(digest_of(root).contains("Missing file .env.local"));
    write(root, ".env.local", "A=1\n");
    fs::remove_file(root.join("a.rs")).unwrap();
    let mut changed = changes(root);
    changed.sort_unstable();
    assert_eq!(changed, [".env.local exists now", "a.rs is gone"]);
    let memory = looked_at(root).current.memory;
    assert_eq!(titles(&memory), ["later"]);
    assert_eq!(memory.summary.major_blocker, None);
    let steps = memory.next_steps.iter().map(|step| &step.action);
    for action in steps.chain([&memory.summary.next_action]) {
        assert!(!action.contains("Create .env"), "{action}");
    }
    assert_has(
        &digest_of(root),
        &[("Missing file", false), ("sort", false)],
    );
}

#[test]
fn a_task_that_is_done_is_not_called_current_any_more() {
    let folder = saved_with(&[("tasks.md", PLAN)]);
    let done = PLAN.replace("[ ] T002", "[x] T002");
    write(folder.path(), "tasks.md", &done);
    let expected = [
        ("Changed since: T002 is now done\n", true),
        ("Current task: T003 End", true),
        ("2/3 tasks complete", true),
        ("Go on", false),
    ];
    assert_has(&digest_of(folder.path()), &expected);
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
    let mut memory = memory(root);
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
    let gone = format!("port {port} no longer answers");
    assert_has(&digest_of(root), &[(&gone, true), ("Server: lamp", false)]);
}

#[test]
fn a_history_without_the_saved_commit_and_a_conflict_that_is_resolved_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let commit = |text: &str| {
        write(root, "a.txt", text);
        git(root, "", &["add", "a.txt"]);
        git(root, "", &["commit", "-q", "-m", text]);
    };
    git(root, "", &["init", "-q", "-b", "main"]);
    ["one\n", "two\n", "three\n"].into_iter().for_each(commit);
    save_with(root, &Recorded::default());
    assert_eq!(changes(root), Vec::<String>::new());
    git(root, "", &["reset", "-q", "--hard", "HEAD~2"]);
    let expected = "HEAD has moved back: it no longer has the commit of the save";
    assert_eq!(changes(root), [expected]);
    commit("other\n");
    let changed = changes(root);
    let is_rewritten = changed[0].starts_with("the history was rewritten");
    assert!(is_rewritten, "{changed:?}");

    git(root, "", &["checkout", "-q", "-b", "side", "HEAD~1"]);
    commit("side\n");
    let merge = std::process::Command::new("git")
        .args(["merge", "-q", "main"])
        .current_dir(root)
        .output();
    assert!(!merge.unwrap().status.success(), "there is no conflict");
    save_with(root, &Recorded::default());
    assert_eq!(changes(root), Vec::<String>::new());
    assert!(digest_of(root).contains("Blocker: Merge conflict in a.txt"));
    commit("merged\n");
    let expected = ["1 commit since", "the conflict in a.txt is resolved"];
    let mut changed = changes(root);
    changed[0] = changed[0].replace("2 commits", "1 commit");
    assert_eq!(changed, expected);
    assert!(!digest_of(root).contains("Merge conflict"));
}

/// Returns the end of a build and of unit tests.
fn recorded(is_failed: bool, build: &str, tests: &str, at: &str) -> Recorded {
    let run = |purpose, command: &str, output: &str| RecordedRun {
        purpose,
        command: command.to_owned(),
        is_part: false,
        is_failed: Some(is_failed),
        output: output.to_owned(),
        at: at.to_owned(),
        source: "hook events".to_owned(),
    };
    let runs = vec![
        run(RecordedPurpose::Build, "cargo build", build),
        run(RecordedPurpose::Unit, "cargo test", tests),
    ];
    Recorded { runs, task: None }
}

#[test]
fn commands_that_were_recorded_after_the_save_count() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let failed = "test a ... FAILED\ntest result: FAILED. 1 passed; 1 failed;\n";
    let before = recorded(true, "error: x\n", failed, "2026-03-02T09:15:00Z");
    save_with(root, &before);
    let again = |recorded: Option<&Recorded>| {
        let mut verified = looked_at(root);
        verified.add_commands(root, recorded);
        verified
    };
    assert_eq!(again(None).late, ["commands"]);
    let digest_of = |recorded| digest(&again(Some(recorded)), "x", 9500, false);
    let expected = [("Changed since", false), ("The build fails", true)];
    assert_has(&digest_of(&before), &expected);
    let passed = "test result: ok. 2 passed; 0 failed;\n";
    let after = recorded(false, "", passed, "2999-01-01T00:00:00Z");
    let tests = "Changed since: unit tests ran again: 0 failed, 2 passed, from hook events\n";
    let build = "Changed since: the build no longer fails, from hook events\n";
    let expected = [
        (tests, true),
        (build, true),
        ("Failing test", false),
        ("failing unit", false),
        ("The build fails", false),
        ("Fix the build", false),
    ];
    assert_has(&digest_of(&after), &expected);
}
