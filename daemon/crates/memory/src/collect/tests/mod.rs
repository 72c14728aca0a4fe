//! Whole projects.

mod any_text;
mod bad_input;
mod hostile;
mod languages;
mod left_out;
mod own_sources;
mod plans;
mod points;
mod projects;
mod runs;
mod secrets;
mod servers;
mod verified;

use super::COLLECT_LIMIT;
use super::run::collect_within;
use crate::rules::validate_text;
use crate::{Collected, MEMORY_FILE, Recorded, VERIFY_LIMIT, Verified, digest, read, save, verify};
use ccd_protocol::memory::SessionMemory;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use tempfile::TempDir;

pub(in crate::collect) fn write(root: &Path, path: impl AsRef<Path>, content: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// Returns a project with some files.
fn with(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        write(folder.path(), path, content);
    }
    folder
}

/// Makes a commit at a time, RFC 3339, or runs another command of git.
fn git(root: &Path, date: &str, args: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=dev", "-c", "user.email=dev@example.com"]);
    git.args(args).current_dir(root);
    git.env("GIT_COMMITTER_DATE", date);
    assert!(git.output().unwrap().status.success(), "git {args:?}");
}

fn pipe(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let kind = rustix::fs::FileType::Fifo;
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path, kind, mode, 0).unwrap();
}

/// Collects with much time: the machine may be busy.
fn collected(root: &Path, before: Option<&SessionMemory>, recorded: &Recorded) -> Collected {
    collect_within(root, before, recorded, COLLECT_LIMIT * 50).unwrap()
}

fn memory(root: &Path) -> SessionMemory {
    collected(root, None, &Recorded::default()).memory
}

/// Returns the titles of blockers, without others.
fn titles(memory: &SessionMemory) -> Vec<&str> {
    memory.blockers.iter().map(|one| &*one.title).collect()
}

/// Collects, saves and reads back; everything must be valid. Returns what was left out, too.
fn saved(root: &Path) -> (SessionMemory, Vec<String>) {
    let collected = collected(root, None, &Recorded::default());
    save(root, collected.memory, &collected.notes).unwrap();
    let parsed = read(root).unwrap();
    assert_eq!(parsed.warnings, Vec::<String>::new());
    assert_eq!(parsed.notes.warnings, collected.notes.warnings);
    let checked = validate_text(&fs::read_to_string(root.join(MEMORY_FILE)).unwrap());
    assert_eq!(checked.errors, Vec::<String>::new());
    (parsed.memory, collected.notes.warnings)
}

/// Looks again with much time.
fn looked_at(root: &Path) -> Verified {
    let parsed = read(root).unwrap();
    verify(root, &parsed, Instant::now() + VERIFY_LIMIT * 50).unwrap()
}

/// Returns what a new session gets.
fn digest_of(root: &Path) -> String {
    digest(&looked_at(root), "x", 9500, false)
}
