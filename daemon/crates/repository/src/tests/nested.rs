//! Repositories inside a work tree, and what changes in them.

use crate::WorkTree;
use crate::test_repository::{commit, git, git_bytes, repository};
use std::fs;
use std::path::Path;

/// A repository with the submodule `lib/sub`.
fn with_submodule() -> (tempfile::TempDir, tempfile::TempDir) {
    let (outer, inner) = (repository(), repository());
    let url = inner.path().to_str().unwrap();
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
    git_bytes(outer.path(), &[&add[..], &[url, "lib/sub"]].concat(), &[]);
    let sub = outer.path().join("lib/sub");
    for setting in [["user.name", "dev"], ["user.email", "dev@example.com"]] {
        git(&sub, &[&["config"][..], &setting].concat());
    }
    git(outer.path(), &["commit", "-q", "-m", "sub"]);
    (outer, inner)
}

/// What `change` changes inside repositories of `root`.
fn changed(root: &Path, change: impl FnOnce(&Path)) -> Vec<(String, Vec<String>)> {
    let tree = WorkTree::find(root).unwrap();
    let (first, before) = tree.snapshot_with_nested().unwrap();
    change(root);
    let (second, after) = tree.snapshot_with_nested().unwrap();
    let diff = crate::files(&tree.diff(&first, &second).unwrap());
    let is_in_diff = |path: &Path| diff.iter().any(|file| Path::new(&file.path) == path);
    let changes = tree.nested_changes(&before, &after, is_in_diff);
    let changes = changes.unwrap();
    let text = |(path, files): (std::path::PathBuf, _)| (path.display().to_string(), files);
    changes.into_iter().map(text).collect()
}

fn new_repository(path: &Path) {
    git(
        path.parent().unwrap(),
        &["init", "-q", path.to_str().unwrap()],
    );
    fs::write(path.join("new.txt"), "x").unwrap();
}

#[test]
fn changes_inside_submodules_and_other_repositories_are_found() {
    let of = |repository: &str, file: &str| {
        vec![(repository.to_owned(), vec![format!("{repository}/{file}")])]
    };
    type Change = fn(&Path);
    let changes: [(Change, _); 9] = [
        (|_| {}, vec![]),
        (|root| fs::write(root.join("a.txt"), "b").unwrap(), vec![]),
        (
            |root| fs::write(root.join("lib/sub/a.txt"), "b").unwrap(),
            of("lib/sub", "a.txt"),
        ),
        (
            |root| fs::write(root.join("lib/sub/new.txt"), "b").unwrap(),
            of("lib/sub", "new.txt"),
        ),
        (
            |root| drop(commit(&root.join("lib/sub"), "a.txt", "b")),
            vec![],
        ),
        (
            |root| {
                commit(&root.join("lib/sub"), "a.txt", "b");
                fs::write(root.join("lib/sub/new.txt"), "b").unwrap();
            },
            of("lib/sub", "new.txt"),
        ),
        (
            |root| {
                git(root, &["submodule", "deinit", "-q", "--all"]);
            },
            vec![],
        ),
        (
            |root| new_repository(&root.join("other")),
            of("other", "new.txt"),
        ),
        (
            |root| new_repository(&root.join("lib/sub/deep")),
            of("lib/sub/deep", "new.txt"),
        ),
    ];
    for (number, (change, expected)) in changes.into_iter().enumerate() {
        let (outer, _inner) = with_submodule();
        assert_eq!(changed(outer.path(), change), expected, "{number}");
    }
}

#[test]
fn what_was_changed_before_is_no_change_and_neither_is_a_fresh_checkout() {
    let (outer, _inner) = with_submodule();
    let root = outer.path();
    fs::write(root.join("lib/sub/a.txt"), "dirty").unwrap();
    assert_eq!(changed(root, |_| {}), []);
    git(root, &["submodule", "deinit", "-q", "--force", "--all"]);
    let check_out = |root: &Path| {
        git(root, &["submodule", "update", "-q", "--init"]);
    };
    assert_eq!(changed(root, check_out), []);
}
