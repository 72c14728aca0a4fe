//! Repositories inside a work tree, and what changes in them.

use crate::WorkTree;
use crate::test_repository::{add_submodule, repository, sh};
use std::path::Path;

/// A repository with the submodule `lib/sub`.
fn with_submodule() -> (tempfile::TempDir, tempfile::TempDir) {
    let (outer, inner) = (repository(), repository());
    add_submodule(outer.path(), inner.path(), "lib/sub");
    (outer, inner)
}

/// Files inside repositories of `root` that a script changes; each is in the repository that it is listed for.
fn changed(root: &Path, script: &str) -> Vec<String> {
    let tree = WorkTree::find(root).unwrap();
    let (first, before) = tree.snapshot_with_nested().unwrap();
    sh(root, script);
    let (second, after) = tree.snapshot_with_nested().unwrap();
    let diff = crate::files(&tree.diff(&first, &second).unwrap());
    let is_in_diff = |path: &Path| diff.iter().any(|file| Path::new(&file.path) == path);
    let changes = tree.nested_changes(&before, &after, is_in_diff);
    let mut all = Vec::new();
    for (repository, files) in changes.unwrap() {
        assert!(
            files
                .iter()
                .all(|file| Path::new(file).parent() == Some(&repository))
        );
        all.extend(files);
    }
    all
}

#[test]
fn changes_inside_submodules_and_other_repositories_are_found() {
    for (script, expected) in [
        ("", &[][..]),
        ("echo b > a.txt", &[]),
        ("echo b > lib/sub/a.txt", &["lib/sub/a.txt"]),
        ("echo b > lib/sub/new.txt", &["lib/sub/new.txt"]),
        ("cd lib/sub; echo b > a.txt; git commit -qam b", &[]),
        (
            "cd lib/sub; echo b > a.txt; git commit -qam b; echo b > new.txt",
            &["lib/sub/new.txt"],
        ),
        ("git submodule deinit -q --all", &[]),
        (
            "git init -q other; echo x > other/new.txt",
            &["other/new.txt"],
        ),
        (
            "cd lib/sub; git init -q deep; echo x > deep/new.txt",
            &["lib/sub/deep/new.txt"],
        ),
    ] {
        let (outer, _inner) = with_submodule();
        assert_eq!(changed(outer.path(), script), expected, "{script}");
    }
}

#[test]
fn what_was_changed_before_is_no_change_and_neither_is_a_fresh_checkout() {
    let (outer, _inner) = with_submodule();
    let root = outer.path();
    sh(root, "echo dirty > lib/sub/a.txt");
    assert_eq!(changed(root, ""), [""; 0]);
    sh(root, "git submodule deinit -q --force --all");
    let check_out = "git submodule update -q --init";
    assert_eq!(changed(root, check_out), [""; 0]);
}
