//! Snapshots and diffs of repositories that git made, compared with what git says.

use crate::test_repository::{add_submodule, commit, git, git_bytes, git_folder, repository, sh};
use crate::{RepositoryError, WorkTree, files};
use ccd_protocol::exec::FileStatus;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
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
    let script = r#"
        for file in deleted 'becomes a folder' 'only mode'; do echo x > "$file"; done; git add -A; git commit -q -m base
        printf 'ignored\n*.o\n' > .gitignore; echo secret > ignored; echo changed > a.txt
        echo 1 > staged; echo 1 > forced.o; git add staged; git add -f forced.o; echo 2 > staged
        echo marked > marked; git add -N marked; rm deleted 'becomes a folder'
        mkdir -p 'becomes a folder/in'; echo x > 'becomes a folder/in/it'; chmod 755 'only mode'
        echo x > "$(printf 'line\nbreak "and" tab\t')"; echo x > "$(printf 'latin-\344')"; ln -s nowhere link"#;
    sh(root, script);
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
    add_submodule(root, other.path(), "sub");
    let clean = checked_snapshot(root);
    fs::write(root.join("sub/new"), "x").unwrap();
    assert_eq!(checked_snapshot(root), clean, "only its commit counts");
    let changes = find(root).changes().unwrap();
    assert_eq!(changes, [Path::new("sub")]);
    commit(&root.join("sub"), "new", "x");
    assert_ne!(checked_snapshot(root), clean);

    git(
        root,
        &["clone", "-q", other.path().to_str().unwrap(), "nested"],
    );
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
    let script = r"
        printf '*.txt text\n*.bin filter=lfs -text\n' > .gitattributes
        printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 3\n' > pointer.bin
        git add .; git commit -q -m pointer; printf 'a\r\nb\r\n' > crlf.txt";
    sh(root, script);
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
    assert!(tree.changes().unwrap().is_empty());
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
    assert_eq!(find(root).changes().unwrap(), [Path::new("a.txt")]);
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
fn the_dirty_list_has_what_is_staged_modified_deleted_and_untracked() {
    let folder = repository();
    let root = folder.path();
    commit(root, "b.txt", "b\n");
    fs::write(root.join("a.txt"), "changed\n").unwrap();
    git(root, &["add", "a.txt"]);
    fs::remove_file(root.join("b.txt")).unwrap();
    fs::create_dir(root.join("d")).unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"\xff");
    fs::write(root.join("d").join(odd), "x").unwrap();
    let changes = find(root).changes().unwrap();
    assert_eq!(crate::name_paths(&changes, 9), "a.txt, b.txt, d/\u{fffd}");
    assert_eq!(crate::name_paths(&changes, 1), "a.txt, 2 more");
}

#[test]
fn a_diff_is_git_s_to_the_byte_and_lists_each_kind_of_change() {
    let folder = repository();
    let root = folder.path();
    sh(
        root,
        "seq -f 'line %g' 0 49 > 'old name'; echo x > type; echo x > mode; printf 'x\\ny\\n' > gone; git add -A; git commit -q -m base",
    );
    let tree = find(root);
    let before = tree.snapshot().unwrap();
    let script = r#"
        new=$(printf 'neu \303\244\n.'); new=${new%.}; sed 's/^line 7$/7/' 'old name' > "$new"; rm 'old name' type gone
        ln -s x type; chmod 755 mode; printf '\0\1\377%.0s' $(seq 999) > binary; printf '\344\n' > latin"#;
    sh(root, script);
    let after = tree.snapshot().unwrap();
    // What the user has set for people must not reach the diff.
    let set = "git config diff.noprefix true; git config diff.external false";
    sh(root, set);
    let diff = tree.diff(&before, &after).unwrap();
    sh(root, &set.replace("config", "config --unset"));
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
