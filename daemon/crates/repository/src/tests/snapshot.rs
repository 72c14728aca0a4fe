//! Snapshots and diffs of repositories that git made, compared with what git says.

use crate::test_repository::{commit, git, git_bytes, git_folder, repository};
use crate::{FileStatus, RepositoryError, WorkTree, files};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

fn find(root: &Path) -> WorkTree {
    WorkTree::find(root).unwrap()
}

/// What `git add -A` would commit, made with an index of its own.
fn tree_by_git(root: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("index");
    // A copy keeps what is only known there, such as files that a sparse checkout leaves out.
    let _ = fs::copy(find(root).git_dir.join("index"), &index);
    let variable = [("GIT_INDEX_FILE", index.to_str().unwrap())];
    git_bytes(root, &["add", "-A"], &variable);
    let tree = git_bytes(root, &["write-tree"], &variable);
    String::from_utf8(tree).unwrap().trim().to_owned()
}

/// Takes a snapshot, and checks that it is git's and that nothing else changed.
fn checked_snapshot(root: &Path) -> String {
    let before = git_folder(root);
    let snapshot = find(root).snapshot().unwrap();
    assert_eq!(git_folder(root), before);
    assert_eq!(snapshot, tree_by_git(root));
    snapshot
}

#[test]
fn a_snapshot_is_what_git_would_add_and_touches_only_objects() {
    let folder = repository();
    let root = folder.path();
    commit(root, "deleted", "deleted\n");
    commit(root, "becomes a folder", "x\n");
    commit(root, "only mode", "x\n");
    fs::write(root.join(".gitignore"), "ignored\n*.o\n").unwrap();
    fs::write(root.join("ignored"), "secret").unwrap();
    fs::write(root.join("a.txt"), "changed\n").unwrap();
    fs::write(root.join("staged"), "1").unwrap();
    fs::write(root.join("forced.o"), "1").unwrap();
    git(root, &["add", "staged"]);
    git(root, &["add", "-f", "forced.o"]);
    fs::write(root.join("staged"), "2").unwrap();
    fs::write(root.join("marked"), "marked").unwrap();
    git(root, &["add", "-N", "marked"]);
    fs::remove_file(root.join("deleted")).unwrap();
    fs::remove_file(root.join("becomes a folder")).unwrap();
    fs::create_dir_all(root.join("becomes a folder/in")).unwrap();
    fs::write(root.join("becomes a folder/in/it"), "x\n").unwrap();
    fs::set_permissions(root.join("only mode"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(root.join("line\nbreak \"and\" tab\t"), "x").unwrap();
    fs::write(root.join(std::ffi::OsStr::from_bytes(b"latin-\xe4")), "x").unwrap();
    symlink("nowhere", root.join("link")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, root.join("fifo"), 0o600.into()).unwrap();
    fs::write(root.join(".git/index.lock"), "").unwrap();
    let snapshot = find(root).snapshot().unwrap();
    fs::remove_file(root.join(".git/index.lock")).unwrap();
    assert_eq!(checked_snapshot(root), snapshot);
}

#[test]
fn a_file_that_changes_at_once_with_the_same_length_is_noticed() {
    let folder = repository();
    let root = folder.path();
    for n in 0..20 {
        fs::write(root.join("a.txt"), format!("{n:02}")).unwrap();
        git(root, &["add", "a.txt"]);
        fs::write(root.join("a.txt"), "xx").unwrap();
        let snapshot = find(root).snapshot().unwrap();
        assert_eq!(git(root, &["show", &format!("{snapshot}:a.txt")]), "xx");
    }
}

#[test]
fn an_unborn_branch_and_an_empty_work_tree_have_snapshots_and_nothing_to_check_out() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q"]);
    let empty = checked_snapshot(folder.path());
    assert_eq!(empty, "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    fs::write(folder.path().join("first"), "x").unwrap();
    assert_ne!(checked_snapshot(folder.path()), empty);
    let tree = find(folder.path());
    for error in [
        tree.stash_save("x").unwrap_err(),
        tree.new_linked(&folder.path().join("x"), "b").unwrap_err(),
    ] {
        assert!(matches!(error, RepositoryError::Unborn(_)), "{error}");
    }
}

#[test]
fn submodules_and_nested_repositories_are_the_ids_of_their_commits() {
    let (folder, other) = (repository(), repository());
    let root = folder.path();
    let url = other.path().to_str().unwrap();
    let add = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        url,
        "sub",
    ];
    git(root, &add);
    git(root, &["commit", "-q", "-m", "submodule"]);
    let clean = checked_snapshot(root);
    fs::write(root.join("sub/new"), "x").unwrap();
    assert_eq!(checked_snapshot(root), clean, "only its commit counts");
    let changes = find(root).changes().unwrap();
    assert_eq!(changes[0].path, Path::new("sub"));
    git(&root.join("sub"), &["config", "user.name", "dev"]);
    git(
        &root.join("sub"),
        &["config", "user.email", "dev@example.com"],
    );
    commit(&root.join("sub"), "new", "x");
    assert_ne!(checked_snapshot(root), clean);

    git(root, &["clone", "-q", url, "nested"]);
    let nested = checked_snapshot(root);
    git(root, &["init", "-q", "empty"]);
    fs::write(root.join("empty/file"), "x").unwrap();
    // git refuses to add this one.
    assert_eq!(find(root).snapshot().unwrap(), nested);
}

#[test]
fn filters_of_line_ends_count_and_programs_are_not_run() {
    let folder = repository();
    let root = folder.path();
    fs::write(
        root.join(".gitattributes"),
        "*.txt text\n*.bin filter=lfs -text\n",
    )
    .unwrap();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 3\n";
    fs::write(root.join("pointer.bin"), pointer).unwrap();
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "pointer"]);
    fs::write(root.join("crlf.txt"), "a\r\nb\r\n").unwrap();
    checked_snapshot(root);
    let mark = root.join(".git/ran");
    let program = format!("touch {} && cat", mark.display());
    git(root, &["config", "filter.lfs.clean", &program]);
    fs::write(root.join("pointer.bin"), "abc").unwrap();
    let tree = find(root);
    let snapshot = tree.snapshot().unwrap();
    assert!(tree.changes().unwrap().len() >= 2);
    assert!(!mark.exists());
    assert_eq!(
        git(root, &["show", &format!("{snapshot}:pointer.bin")]),
        "abc"
    );
}

#[test]
fn files_that_a_sparse_checkout_leaves_out_are_not_deleted() {
    let folder = repository();
    let root = folder.path();
    fs::create_dir(root.join("out")).unwrap();
    commit(root, "out/file", "x");
    git(root, &["sparse-checkout", "set", "--no-cone", "/*.txt"]);
    assert!(!root.join("out/file").exists());
    let tree = find(root);
    assert_eq!(tree.changes().unwrap(), []);
    let head = git(root, &["rev-parse", "HEAD^{tree}"]);
    assert_eq!(tree.snapshot().unwrap(), head.trim());
}

#[test]
fn a_conflicted_file_is_its_text_in_the_work_tree_and_not_stashed() {
    let folder = repository();
    let root = folder.path();
    git(root, &["checkout", "-q", "-b", "other"]);
    commit(root, "a.txt", "theirs\n");
    git(root, &["checkout", "-q", "main"]);
    commit(root, "a.txt", "ours\n");
    crate::test_repository::git_fails(root, &["merge", "-q", "other"]);
    checked_snapshot(root);
    let changes = find(root).changes().unwrap();
    assert!(changes.len() == 1 && changes[0].is_modified, "{changes:?}");
    let error = find(root).stash_save("x").unwrap_err();
    assert!(matches!(error, RepositoryError::Unmerged { .. }), "{error}");
}

#[test]
fn a_large_file_is_streamed() {
    let folder = repository();
    let root = folder.path();
    let file = fs::File::create(root.join("large")).unwrap();
    file.set_len((32 << 20) + 1).unwrap();
    fs::set_permissions(root.join("large"), fs::Permissions::from_mode(0o755)).unwrap();
    checked_snapshot(root);
}

#[test]
fn objects_that_cannot_be_written_are_named() {
    let folder = repository();
    let root = folder.path();
    let objects = root.join(".git/objects");
    fs::set_permissions(&objects, fs::Permissions::from_mode(0o500)).unwrap();
    fs::write(root.join("new"), "never stored before").unwrap();
    let result = find(root).snapshot();
    fs::set_permissions(&objects, fs::Permissions::from_mode(0o700)).unwrap();
    match result {
        Ok(_) => eprintln!("skipped: root may write to every directory"),
        Err(error) => assert!(matches!(error, RepositoryError::NotWritable(_)), "{error}"),
    }
}

#[test]
fn a_removed_git_folder_is_an_error_of_its_own() {
    let folder = repository();
    let tree = find(folder.path());
    let id = tree.snapshot().unwrap();
    fs::remove_dir_all(folder.path().join(".git")).unwrap();
    for error in [
        tree.snapshot().unwrap_err(),
        tree.changes().unwrap_err(),
        tree.diff(&id, &id).unwrap_err(),
        tree.commits(&[], &id).unwrap_err(),
    ] {
        assert!(matches!(error, RepositoryError::Gone { .. }), "{error}");
    }
}

#[test]
fn the_dirty_list_says_what_is_staged_modified_and_untracked() {
    let folder = repository();
    let root = folder.path();
    commit(root, "b.txt", "b\n");
    fs::write(root.join("a.txt"), "changed\n").unwrap();
    git(root, &["add", "a.txt"]);
    fs::write(root.join("a.txt"), "again\n").unwrap();
    fs::remove_file(root.join("b.txt")).unwrap();
    fs::create_dir(root.join("d")).unwrap();
    fs::write(
        root.join("d").join(std::ffi::OsStr::from_bytes(b"\xff")),
        "x",
    )
    .unwrap();
    let changes = find(root).changes().unwrap();
    let flags: Vec<_> = changes
        .iter()
        .map(|change| (change.is_staged, change.is_modified, change.is_untracked))
        .collect();
    assert_eq!(
        flags,
        [
            (true, true, false),
            (false, true, false),
            (false, false, true)
        ]
    );
    let paths: Vec<_> = changes.iter().map(|change| &change.path).collect();
    assert_eq!(crate::name_paths(&paths, 9), "a.txt, b.txt, d/\u{fffd}");
    assert_eq!(crate::name_paths(&paths, 1), "a.txt, 2 more");
}

#[test]
fn a_diff_is_git_s_to_the_byte_and_lists_each_kind_of_change() {
    let folder = repository();
    let root = folder.path();
    let lines: String = (0..50).map(|n| format!("line {n}\n")).collect();
    commit(root, "old name", &lines);
    commit(root, "type", "x\n");
    commit(root, "mode", "x\n");
    commit(root, "gone", "x\ny\n");
    let tree = find(root);
    let before = tree.snapshot().unwrap();
    fs::rename(root.join("old name"), root.join("neu \u{e4}\n")).unwrap();
    fs::write(root.join("neu \u{e4}\n"), lines.replace("line 7\n", "7\n")).unwrap();
    fs::remove_file(root.join("type")).unwrap();
    symlink("x", root.join("type")).unwrap();
    fs::set_permissions(root.join("mode"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(root.join("gone")).unwrap();
    fs::write(root.join("binary"), b"\0\x01\xff".repeat(999)).unwrap();
    fs::write(root.join("latin"), b"\xe4\n").unwrap();
    let after = tree.snapshot().unwrap();
    // What the user has set for people must not reach the diff.
    git(root, &["config", "diff.noprefix", "true"]);
    git(root, &["config", "diff.external", "false"]);
    let diff = tree.diff(&before, &after).unwrap();
    git(root, &["config", "--unset", "diff.noprefix"]);
    git(root, &["config", "--unset", "diff.external"]);
    let by_git = git_bytes(root, &["diff", "-M", "--binary", &before, &after], &[]);
    assert_eq!(diff, by_git);
    let list: Vec<_> = files(&diff)
        .into_iter()
        .map(|file| (file.path, file.status, file.additions, file.deletions))
        .collect();
    assert_eq!(
        list,
        [
            ("binary".to_owned(), FileStatus::Added, 0, 0),
            ("gone".to_owned(), FileStatus::Deleted, 0, 2),
            ("latin".to_owned(), FileStatus::Added, 1, 0),
            ("mode".to_owned(), FileStatus::Modified, 0, 0),
            ("neu \u{e4}\n".to_owned(), FileStatus::Renamed, 1, 1),
            ("type".to_owned(), FileStatus::Modified, 1, 1),
        ]
    );
    assert_eq!(files(&diff)[4].old_path.as_deref(), Some("old name"));
    let missing = tree.diff(&before, "0123456789012345678901234567890123456789");
    assert!(matches!(missing, Err(RepositoryError::GitFailed { .. })));
}
