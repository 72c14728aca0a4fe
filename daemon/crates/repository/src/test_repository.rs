//! Repositories for tests.

use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A repository with one commit.
pub(crate) fn repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q", "-b", "main"]);
    git(folder.path(), &["config", "user.name", "dev"]);
    git(folder.path(), &["config", "user.email", "dev@example.com"]);
    std::fs::write(folder.path().join("a.txt"), "a\n").unwrap();
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-q", "-m", "first"]);
    folder
}

/// Runs git and returns what it prints.
pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}
