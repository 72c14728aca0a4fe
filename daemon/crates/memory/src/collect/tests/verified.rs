//! What is looked at again when a memory is read.

use super::bad_input::write;
use crate::{Recorded, RecordedTask, VERIFY_LIMIT, Verified, collect, read, save, verify};
use std::fs;
use std::path::Path;
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
