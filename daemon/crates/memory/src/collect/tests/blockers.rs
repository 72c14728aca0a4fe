//! Since when something stops progress.

use super::bad_input::write;
use crate::{Recorded, collect};
use ccd_protocol::memory::SessionMemory;
use std::path::Path;

const REPORT: &str = "test-results/junit.xml";

fn report(line: u32) -> String {
    let failure = format!("<failure message=\"line {line} failed\">at a.py:{line}</failure>");
    let case = format!("<testcase name=\"adds\" file=\"a.py\">{failure}</testcase>");
    format!("<testsuites><testsuite>{case}</testsuite></testsuites>")
}

/// Returns the memory as if it had been saved on a day of January, all blockers of it being new.
fn first(root: &Path) -> SessionMemory {
    let mut memory = collect(root, None, &Recorded::default()).unwrap().memory;
    for (day, blocker) in (1..).zip(&mut memory.blockers) {
        blocker.detected_at = Some(format!("2026-01-0{day}T00:00:00Z"));
    }
    memory
}

fn dates(memory: &SessionMemory) -> Vec<(&str, Option<&str>)> {
    let blockers = memory.blockers.iter();
    let dates = blockers.map(|one| (&*one.title, one.detected_at.as_deref()));
    let mut dates: Vec<_> = dates.collect();
    dates.sort_unstable();
    dates
}

#[test]
fn a_blocker_that_moves_within_its_file_keeps_its_date() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "a.rs", "// FIXME: sort\n// TODO\n// TODO: two\n");
    write(root, REPORT, &report(3));
    let before = first(root);
    let expected = dates(&before);
    assert_eq!(expected.len(), 4);
    write(
        root,
        "a.rs",
        "\n\n// TODO: two\n// TODO\n\n// FIXME: sort\n",
    );
    write(root, REPORT, &report(7));
    let after = collect(root, Some(&before), &Recorded::default());
    assert_eq!(dates(&after.unwrap().memory), expected);
}

#[test]
fn a_blocker_in_another_file_is_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "a.rs", "// FIXME: sort\n");
    let before = first(root);
    write(root, "b/a.rs", "// FIXME: sort\n");
    let after = collect(root, Some(&before), &Recorded::default()).unwrap();
    let dates: Vec<_> = after
        .memory
        .blockers
        .iter()
        .map(|one| {
            let is_kept = one.detected_at == before.blockers[0].detected_at;
            (&*one.description, is_kept)
        })
        .collect();
    let expected = [
        ("FIXME comment in a.rs:1", true),
        ("FIXME comment in b/a.rs:1", false),
    ];
    assert_eq!(dates, expected);
}
