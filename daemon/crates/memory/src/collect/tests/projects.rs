//! The six projects of the fixtures, made by their `setup.sh`.

use super::expected::compare;
use crate::{Recorded, collect, read, save};
use ccd_protocol::memory::SessionMemory;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

pub(super) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// Makes the project of a fixture.
fn project(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("sample project");
    let setup = Command::new("bash")
        .arg(fixtures().join(name).join("setup.sh"))
        .arg(&root)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(
        setup.status.success(),
        "{}",
        String::from_utf8_lossy(&setup.stderr)
    );
    (folder, root)
}

fn status(root: &Path) -> Vec<u8> {
    let git = Command::new("git")
        .args(["status", "--porcelain", "--ignored=no"])
        .current_dir(root)
        .output();
    git.unwrap().stdout
}

/// Saves the memory of a fixture and compares it with what is expected. Returns it, and how many secrets were masked.
fn check(name: &str) -> (SessionMemory, u64) {
    let (_folder, root) = project(name);
    let before = status(&root);
    let start = Instant::now();
    let collected = collect(&root, None, &Recorded::default()).unwrap();
    assert_eq!(collected.notes.warnings, Vec::<String>::new());
    let saved = save(&root, collected.memory, &collected.notes).unwrap();
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(saved.warnings, Vec::<String>::new());
    assert_eq!(status(&root), before);
    let text = std::fs::read_to_string(&saved.path).unwrap();
    let parsed = read(&root).unwrap();
    assert_eq!(parsed.warnings, Vec::<String>::new(), "{text}");
    assert!(
        crate::validate(&parsed.memory).valid,
        "{:?}",
        crate::validate(&parsed.memory).errors
    );
    let expected = std::fs::read(fixtures().join(name).join("expected.json")).unwrap();
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    let memory = serde_json::to_value(&parsed.memory).unwrap();
    compare(&expected, &memory, &text, "sample project");
    // What is written again is the same, byte for byte.
    let again = crate::write(&parsed.memory, &saved.cut, &parsed.notes);
    assert_eq!(again, text);
    (parsed.memory, collected.redacted + saved.redacted)
}

#[test]
fn projects_have_the_memories_that_are_expected() {
    // Every credential that is masked is counted once.
    for (name, redacted) in [
        ("01-vitest-blocked", 0),
        ("02-empty", 0),
        ("04-secrets", 6),
        ("05-rust-workspace", 0),
        ("06-jest-playwright", 0),
    ] {
        assert_eq!(check(name).1, redacted, "{name}");
    }
    let folder = tempfile::tempdir().unwrap();
    let source = "// TODO: bold *** is no secret\n";
    std::fs::write(folder.path().join("x.ts"), source).unwrap();
    let collected = collect(folder.path(), None, &Recorded::default()).unwrap();
    assert_eq!(collected.redacted, 0);
}

#[test]
fn more_of_everything_than_fits() {
    let (memory, _) = check("03-large");
    let blocked = memory
        .blockers
        .iter()
        .filter(|one| one.description.starts_with("BLOCKED"));
    assert_eq!(blocked.count(), 10);
    let high = ccd_protocol::memory::Priority::High;
    assert!(memory.blockers.iter().all(|one| one.priority == high));
}
