//! Parts that a save leaves out: the file, its readers and the next session are told.

use super::bad_input::{digest_of, write};
use crate::{MEMORY_FILE, Recorded, collect, read, save, validate};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Saves a memory and returns what was left out, as it is in the file.
fn warnings(root: &Path) -> Vec<String> {
    let collected = collect(root, None, &Recorded::default()).unwrap();
    save(root, collected.memory.clone(), &collected.notes).unwrap();
    let parsed = read(root).unwrap();
    assert_eq!(parsed.memory, collected.memory);
    assert_eq!(parsed.notes.warnings, collected.notes.warnings);
    assert_eq!(parsed.warnings, Vec::<String>::new());
    assert!(validate(&parsed.memory).valid);
    parsed.notes.warnings
}

#[test]
fn a_plan_that_is_too_long_is_named_and_its_tasks_are_not_called_none() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(
        root,
        "specs/x/tasks.md",
        &"- [ ] T001 x\n".repeat(4_000_000),
    );
    let warning = "tasks: left out: specs/x/tasks.md has 49.6 MiB; the limit is 4 MiB";
    assert_eq!(warnings(root), [warning]);
    let file = fs::read_to_string(root.join(MEMORY_FILE)).unwrap();
    assert!(
        file.contains(&format!("**Warning**: {warning}\n")),
        "{file}"
    );
    assert!(digest_of(root).contains(&format!("Warning: {warning}\n")));
    let summary = read(root).unwrap().memory.summary;
    assert_eq!(
        summary.completion_status,
        "0/0 tasks complete (0.0%), as the tasks were left out"
    );
    assert!(
        !summary.next_action.contains("Create a list"),
        "{summary:?}"
    );
    // Another plan is read, and the long one is still named.
    write(root, "tasks.md", "- [x] T001 x\n- [ ] T002 y\n");
    assert_eq!(warnings(root), [warning]);
    assert_eq!(
        read(root).unwrap().memory.summary.completion_status,
        "1/2 tasks complete (50.0%)"
    );
}

#[test]
fn a_report_that_is_cut_off_is_named_until_a_newer_one_is_there() {
    let good = "<testsuites><testsuite><testcase name=\"a\"/></testsuite></testsuites>";
    for (path, content) in [
        (
            "test-results/junit.xml",
            "<testsuites><testsuite><testcase name=\"a\"/>",
        ),
        (
            "test-results/junit.xml",
            "<testsuites><testsuite><testcase name=\"a",
        ),
        (
            "coverage/jest.json",
            "{\"numTotalTests\": 3, \"testResults\": [{\"name\"",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, path, content);
        let expected = format!("test reports: left out: {path} is cut off");
        assert_eq!(warnings(root), [expected]);
        write(root, "reports/new.xml", good);
        let later = SystemTime::now() + Duration::from_secs(60);
        let report = fs::File::options()
            .write(true)
            .open(root.join("reports/new.xml"));
        report.unwrap().set_modified(later).unwrap();
        assert_eq!(warnings(root), Vec::<String>::new());
    }
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "coverage/data.json", "{\"lines\": [1, 2");
    assert_eq!(warnings(folder.path()), Vec::<String>::new());
}

#[test]
fn reports_beyond_the_limit_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..401 {
        let path = format!("target/surefire-reports/T{number}.xml");
        write(
            folder.path(),
            path,
            "<testsuite><testcase name=\"a\"/></testsuite>",
        );
    }
    let expected = "test reports: left out: there are 401 reports; the limit is 400";
    assert_eq!(warnings(folder.path()), [expected]);
}

#[test]
fn a_named_pipe_instead_of_rules_about_ignored_files_is_not_opened() {
    let pipe = |path: &Path| {
        let kind = rustix::fs::FileType::Fifo;
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, path, kind, mode, 0).unwrap();
    };
    for name in [".gitignore", ".ignore"] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, "a.rs", "// FIXME: seen\n");
        write(root, "sub/b.rs", "// FIXME: left out\n");
        pipe(&root.join("sub").join(name));
        let expected = format!("comments: left out: sub/{name} is not a regular file");
        assert_eq!(warnings(root), [expected]);
        assert_eq!(read(root).unwrap().memory.blockers[0].title, "seen");
        pipe(&root.join(name));
        let found = warnings(&root.join("sub"));
        assert!(found[0].ends_with("is not a regular file"), "{found:?}");
    }
}
