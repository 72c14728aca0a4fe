//! Open points that have been there for long.

use super::bad_input::write;
use crate::store_tests::git;
use crate::{Recorded, collect};
use ccd_protocol::memory::Priority;
use std::process::Command;

#[test]
fn a_point_that_was_there_a_year_before_ranks_low() {
    let folder = tempfile::tempdir().unwrap();
    let root = &folder.path().join("sub");
    git(folder.path(), &["init", "-q"]);
    write(root, "a.rs", "// TODO: old\n// FIXME: old and was urgent\n");
    let commit = |date: &str| {
        git(folder.path(), &["add", "."]);
        let identity = ["-c", "user.name=dev", "-c", "user.email=dev@example.com"];
        let commit = Command::new("git")
            .args(identity)
            .args(["commit", "-q", "-m", "x"])
            .env("GIT_COMMITTER_DATE", date)
            .current_dir(folder.path())
            .status();
        assert!(commit.unwrap().success());
    };
    commit("2020-01-01T00:00:00Z");
    write(root, "b.rs", "// FIXME: of last month\n");
    commit("2021-12-20T00:00:00Z");
    write(root, "c.rs", "// FIXME: fresh\n");
    commit("2022-01-01T00:00:00Z");
    write(
        root,
        "a.rs",
        "\n// FIXME: old and was urgent\n// TODO: new\n// TODO: old\n",
    );
    let memory = collect(root, None, &Recorded::default()).unwrap().memory;
    let found: Vec<(&str, Priority)> = memory
        .blockers
        .iter()
        .map(|one| (&*one.title, one.priority))
        .collect();
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
