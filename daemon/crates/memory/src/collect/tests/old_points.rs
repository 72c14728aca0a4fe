//! Open points that were there a year ago.

use super::bad_input::write;
use crate::store_tests::git;
use crate::{Recorded, collect};
use ccd_protocol::memory::Priority;
use std::process::Command;

#[test]
fn a_todo_that_was_there_a_year_ago_ranks_low() {
    let folder = tempfile::tempdir().unwrap();
    let root = &folder.path().join("sub");
    git(folder.path(), &["init", "-q"]);
    write(root, "a.rs", "// TODO: old\n// FIXME: old but urgent\n");
    git(folder.path(), &["add", "."]);
    let identity = ["-c", "user.name=dev", "-c", "user.email=dev@example.com"];
    let commit = Command::new("git")
        .args(identity)
        .args(["commit", "-q", "-m", "first"])
        .env("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z")
        .current_dir(folder.path())
        .status();
    assert!(commit.unwrap().success());
    write(
        root,
        "a.rs",
        "\n// FIXME: old but urgent\n// TODO: new\n// TODO: old\n",
    );
    let memory = collect(root, None, &Recorded::default()).unwrap().memory;
    let found: Vec<(&str, Priority)> = memory
        .blockers
        .iter()
        .map(|one| (&*one.title, one.priority))
        .collect();
    let expected = [
        ("old but urgent", Priority::High),
        ("new", Priority::Medium),
        ("old", Priority::Low),
    ];
    assert_eq!(found, expected);
    let files = memory.files_needing_attention.iter();
    assert_eq!(
        files.map(|file| file.line).collect::<Vec<_>>(),
        [Some(2), Some(3), Some(4)]
    );
}
