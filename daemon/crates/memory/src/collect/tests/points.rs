//! Open points: since when they are there, and what the age of a comment means.

use super::{collected, git, memory, with, write};
use crate::Recorded;
use ccd_protocol::memory::{Priority, SessionMemory};
use std::path::Path;

const REPORT: &str = "test-results/junit.xml";

fn report(line: u32) -> String {
    let failure = format!("<failure message=\"line {line} failed\">at a.py:{line}</failure>");
    let case = format!("<testcase name=\"adds\" file=\"a.py\">{failure}</testcase>");
    format!("<testsuites><testsuite>{case}</testsuite></testsuites>")
}

/// Returns the memory as if it had been saved on a day of January, all blockers of it being new.
fn first(root: &Path) -> SessionMemory {
    let mut memory = memory(root);
    for (day, blocker) in (1..).zip(&mut memory.blockers) {
        blocker.detected_at = Some(format!("2026-01-0{day}T00:00:00Z"));
    }
    memory
}

/// Returns a text and the date of each blocker.
fn dates(
    memory: &SessionMemory,
    text: fn(&ccd_protocol::memory::BlockerEntry) -> &String,
) -> Vec<(&str, Option<&str>)> {
    let blockers = memory.blockers.iter();
    let dates = blockers.map(|one| (&**text(one), one.detected_at.as_deref()));
    let mut dates: Vec<_> = dates.collect();
    dates.sort_unstable();
    dates
}

#[test]
fn a_blocker_that_moves_within_its_file_keeps_its_date() {
    let folder = with(&[
        ("a.rs", "// FIXME: sort\n// TODO\n// TODO: two\n"),
        (REPORT, &report(3)),
    ]);
    let root = folder.path();
    let before = first(root);
    let expected = dates(&before, |one| &one.title);
    assert_eq!(expected.len(), 4);
    let moved = "\n\n// TODO: two\n// TODO\n\n// FIXME: sort\n";
    write(root, "a.rs", moved);
    write(root, REPORT, &report(7));
    let after = collected(root, Some(&before), &Recorded::default()).memory;
    assert_eq!(dates(&after, |one| &one.title), expected);
}

#[test]
fn a_blocker_in_another_file_is_a_new_one() {
    let folder = with(&[("a.rs", "// FIXME: sort\n")]);
    let root = folder.path();
    let before = first(root);
    write(root, "b/a.rs", "// FIXME: sort\n");
    let after = collected(root, Some(&before), &Recorded::default()).memory;
    let [old, new] = dates(&after, |one| &one.description).try_into().unwrap();
    assert_eq!(
        old,
        ("FIXME comment in a.rs:1", Some("2026-01-01T00:00:00Z"))
    );
    let saved_at = Some(&*after.metadata.generated_at);
    assert_eq!(new, ("FIXME comment in b/a.rs:1", saved_at));
}

#[test]
fn a_point_that_was_there_a_year_before_ranks_low() {
    let folder = tempfile::tempdir().unwrap();
    let root = &folder.path().join("sub");
    git(folder.path(), "", &["init", "-q"]);
    for (file, text, date) in [
        (
            "a.rs",
            "// TODO: old\n// FIXME: old and was urgent\n",
            "2020-01-01",
        ),
        ("b.rs", "// FIXME: of last month\n", "2021-12-20"),
        ("c.rs", "// FIXME: fresh\n", "2022-01-01"),
    ] {
        write(root, file, text);
        git(folder.path(), "", &["add", "."]);
        let date = format!("{date}T00:00:00Z");
        git(folder.path(), &date, &["commit", "-q", "-m", "x"]);
    }
    let moved = "\n// FIXME: old and was urgent\n// TODO: new\n// TODO: old\n";
    write(root, "a.rs", moved);
    let memory = memory(root);
    let found = memory.blockers.iter();
    let found: Vec<_> = found.map(|one| (&*one.title, one.priority)).collect();
    let expected = [
        ("fresh", Priority::High),
        ("of last month", Priority::High),
        ("new", Priority::Medium),
        ("old and was urgent", Priority::Low),
        ("old", Priority::Low),
    ];
    assert_eq!(found, expected);
    let files = memory.files_needing_attention.iter();
    let lines: Vec<_> = files.filter_map(|file| file.line).collect();
    assert_eq!(lines, [1, 1, 3, 2, 4]);
}
