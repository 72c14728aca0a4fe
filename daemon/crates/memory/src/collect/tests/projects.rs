//! The six projects of the fixtures, made by their `setup.sh`.

use super::{collected, with};
use crate::file::write;
use crate::model::pattern;
use crate::rules::validate_text;
use crate::{MAX_BYTES, Recorded, read, save};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

pub(super) fn fixture(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(fixtures().join(name)).unwrap()).unwrap()
}

fn output(command: &mut Command) -> Output {
    let command = command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.output().unwrap()
}

/// Saves the memory of a fixture and compares it with `expected.md`. Returns how many secrets were masked.
fn check(name: &str) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let (fixture, root) = (fixtures().join(name), folder.path().join("sample project"));
    let setup = fixture.join("setup.sh");
    let setup = output(Command::new("bash").arg(setup).arg(&root));
    assert!(setup.status.success(), "{setup:?}");
    let status = || {
        let mut git = Command::new("git");
        output(git.args(["status", "--porcelain"]).current_dir(&root)).stdout
    };
    let before = status();
    let start = Instant::now();
    let collected = collected(&root, None, &Recorded::default());
    assert_eq!(collected.notes.warnings, Vec::<String>::new());
    let saved = save(&root, collected.memory, &collected.notes).unwrap();
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(saved.warnings, Vec::<String>::new());
    assert_eq!(status(), before);
    let text = std::fs::read_to_string(&saved.path).unwrap();
    assert!(text.len() <= MAX_BYTES);
    let checked = validate_text(&text);
    assert!(checked.valid && checked.warnings.is_empty(), "{checked:?}");
    let parsed = read(&root).unwrap();
    // What is written again is the same, byte for byte.
    let mut memory = parsed.memory;
    assert_eq!(write(&memory, &saved.cut, &parsed.notes), text);
    // Servers are those of this machine, and the fixtures are of March 2026.
    memory.environment.servers.clear();
    let found = write(&memory, &saved.cut, &Default::default());
    let time = pattern(r"20\d\d-\d\d-\d\dT[\d:]+Z");
    let found = time.replace_all(&found, |time: &regex::Captures<'_>| match &time[0] {
        time if time.starts_with("2026-03-") => time.to_owned(),
        _ => "NOW".to_owned(),
    });
    let expected = fixture.join("expected.md");
    if std::env::var_os("CCD_UPDATE_DOCS").is_some() {
        std::fs::write(&expected, &*found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(expected).unwrap(), "{name}");
    collected.redacted + saved.redacted
}

#[test]
fn projects_have_the_memories_that_are_expected() {
    // Every credential that is masked is counted once.
    for (name, redacted) in [
        ("01-vitest-blocked", 0),
        ("02-empty", 0),
        ("03-large", 0),
        ("04-secrets", 6),
        ("05-rust-workspace", 0),
        ("06-jest-playwright", 0),
    ] {
        assert_eq!(check(name), redacted, "{name}");
    }
    let folder = with(&[("x.ts", "// TODO: bold *** is no secret\n")]);
    let collected = collected(folder.path(), None, &Recorded::default());
    assert_eq!(collected.redacted, 0);
}
