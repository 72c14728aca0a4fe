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
pub(super) fn project(name: &str) -> (tempfile::TempDir, PathBuf) {
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

/// Saves the memory of a fixture and compares it with what is expected.
fn check(name: &str) -> (SessionMemory, String) {
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
    (parsed.memory, text)
}

#[test]
fn a_web_project_in_mid_work() {
    check("01-vitest-blocked");
}

#[test]
fn a_folder_with_one_text_file() {
    check("02-empty");
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

#[test]
fn planted_credentials() {
    check("04-secrets");
}

#[test]
fn every_credential_that_is_masked_is_counted_once() {
    let (_folder, root) = project("04-secrets");
    let collected = collect(&root, None, &Recorded::default()).unwrap();
    let saved = save(&root, collected.memory, &collected.notes).unwrap();
    assert_eq!(collected.redacted + saved.redacted, 6);
    let (_folder, root) = project("01-vitest-blocked");
    std::fs::write(root.join("x.ts"), "// TODO: bold *** is no secret\n").unwrap();
    let collected = collect(&root, None, &Recorded::default()).unwrap();
    assert_eq!(collected.redacted, 0);
}

#[test]
fn a_rust_workspace() {
    check("05-rust-workspace");
}

#[test]
fn jest_and_playwright() {
    check("06-jest-playwright");
}
