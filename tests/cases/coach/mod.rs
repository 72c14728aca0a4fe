//! The coach: from events to rules in files.

mod decide;
mod files;
mod golden;

use crate::hook::{events, failure, silent_hook};
use crate::support::Daemon;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// A git repository, its own directory for each test.
pub(super) struct Repository(TempDir);

impl Repository {
    pub(super) fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("ccd-repository-")
            .tempdir()
            .unwrap();
        let repository = Self(folder);
        repository.git(&["init", "-q", "-b", "main"]);
        repository.git(&["config", "user.name", "dev"]);
        repository.git(&["config", "user.email", "dev@example.com"]);
        repository.git(&["commit", "-q", "--allow-empty", "-m", "first"]);
        repository
    }

    pub(super) fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    pub(super) fn git(&self, args: &[&str]) -> String {
        let mut git = Command::new("git");
        git.arg("-C")
            .arg(self.0.path())
            .args(args)
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = git.output().unwrap();
        assert!(
            output.status.success(),
            "git {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }
}

/// Makes one candidate in a repository, and returns it.
pub(super) fn candidate(daemon: &Daemon, repository: &Repository) -> Value {
    let mut payload = failure(
        "s",
        "t1",
        "gh pr merge 7",
        "Exit code 1\nmerge queue is required",
    );
    payload["cwd"] = json!(repository.path());
    silent_hook(daemon, &payload);
    events(daemon, 1);
    let made = daemon
        .call_value("coach.aggregate", &json!({"now": true}))
        .unwrap();
    assert_eq!(made["candidates"].as_array().unwrap().len(), 1, "{made}");
    made["candidates"][0].clone()
}
