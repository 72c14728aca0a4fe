//! Parts that a save leaves out: the file, its readers and the next session are told.

use super::{digest_of, pipe, saved, with, write};
use crate::{MEMORY_FILE, read};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

fn warnings(root: &Path) -> Vec<String> {
    saved(root).1
}

#[test]
fn a_plan_that_is_too_long_is_named_and_its_tasks_are_not_called_none() {
    let long = "- [ ] T001 x\n".repeat(4_000_000);
    let folder = with(&[("specs/x/tasks.md", &long)]);
    let root = folder.path();
    let warning = "tasks: left out: specs/x/tasks.md has 49.6 MiB; the limit is 4 MiB";
    assert_eq!(warnings(root), [warning]);
    let file = fs::read_to_string(root.join(MEMORY_FILE)).unwrap();
    let line = format!("**Warning**: {warning}\n");
    assert!(file.contains(&line), "{file}");
    assert!(digest_of(root).contains(&format!("Warning: {warning}\n")));
    let summary = read(root).unwrap().memory.summary;
    let status = "0/0 tasks complete (0.0%), as the tasks were left out";
    assert_eq!(summary.completion_status, status);
    let next = "Read the tasks: they were left out of this memory";
    assert_eq!(summary.next_action, next);
    // Another plan is read, and the long one is still named.
    write(root, "tasks.md", "- [x] T001 x\n- [ ] T002 y\n");
    assert_eq!(warnings(root), [warning]);
    let status = read(root).unwrap().memory.summary.completion_status;
    assert_eq!(status, "1/2 tasks complete (50.0%)");
}

#[test]
fn a_report_that_is_cut_off_is_named_until_a_newer_one_is_there() {
    let good = "<testsuites><testsuite><testcase name=\"a\"/></testsuite></testsuites>";
    let json = "{\"numTotalTests\": 3, \"testResults\": [{\"name\"";
    for (path, content) in [
        ("test-results/junit.xml", &good[..good.len() / 2]),
        ("test-results/junit.xml", &good[..good.len() / 2 + 10]),
        ("coverage/jest.json", json),
    ] {
        let folder = with(&[(path, content)]);
        let root = folder.path();
        let expected = format!("test reports: left out: {path} is cut off");
        assert_eq!(warnings(root), [expected]);
        write(root, "reports/new.xml", good);
        let new = fs::File::options()
            .append(true)
            .open(root.join("reports/new.xml"));
        let later = SystemTime::now() + Duration::from_secs(60);
        new.unwrap().set_modified(later).unwrap();
        assert_eq!(warnings(root), Vec::<String>::new());
    }
    let folder = with(&[("coverage/data.json", "{\"lines\": [1, 2")]);
    assert_eq!(warnings(folder.path()), Vec::<String>::new());
}

#[test]
fn reports_beyond_the_limit_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let report = "<testsuite><testcase name=\"a\"/></testsuite>";
    for number in 0..401 {
        let path = format!("target/surefire-reports/T{number}.xml");
        write(folder.path(), path, report);
    }
    let expected = "test reports: left out: there are 401 reports; the limit is 400";
    assert_eq!(warnings(folder.path()), [expected]);
}

#[test]
fn rules_about_ignored_files_that_are_a_named_pipe_or_too_long_to_try_are_not_read() {
    let name = ".gitignore";
    let folder = with(&[
        ("a.rs", "// FIXME: seen\n"),
        ("sub/b.rs", "// FIXME: left out\n"),
    ]);
    let root = folder.path();
    pipe(&root.join("sub").join(name));
    let unfit =
        "is not a regular file of at most 1 MiB, with lines of at most 4 KiB and few stars in each";
    let expected = format!("comments: left out: sub/{name} {unfit}");
    assert_eq!(warnings(root), [&*expected]);
    assert_eq!(read(root).unwrap().memory.blockers[0].title, "seen");
    pipe(&root.join(name));
    let found = warnings(&root.join("sub"));
    assert!(found[0].ends_with(unfit), "{found:?}");
    // The stars of the last one would take years.
    let stars = "*a".repeat(8) + "*b";
    for rules in ["**/".repeat(25_000), "a\n".repeat(600_000), stars] {
        fs::remove_file(root.join("sub").join(name)).unwrap();
        write(root, format!("sub/{name}"), &rules);
        assert_eq!(warnings(&root.join("sub")).len(), 1);
        fs::remove_file(root.join(name)).unwrap_or_default();
        assert_eq!(warnings(root), [&*expected]);
    }
}
