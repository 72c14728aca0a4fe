//! The stash on repositories that git made: what comes back is compared with what was there.

use crate::test_repository::{add_submodule, commit, git, repository, sh};
use crate::{RepositoryError, WorkTree};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// Every file and folder of the work tree with mode and content, what git says of it, and the stash.
#[derive(Debug, PartialEq)]
pub(crate) struct Everything {
    pub(crate) files: BTreeMap<PathBuf, (u32, Vec<u8>)>,
    pub(crate) status: String,
    index: String,
    stash: String,
}

pub(crate) fn everything(root: &Path) -> Everything {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            if path == root.join(".git") {
                continue;
            }
            let content = match metadata.file_type() {
                kind if kind.is_dir() => {
                    folders.push(path.clone());
                    Vec::new()
                }
                kind if kind.is_symlink() => fs::read_link(&path)
                    .unwrap()
                    .as_os_str()
                    .as_bytes()
                    .to_vec(),
                _ => fs::read(&path).unwrap(),
            };
            files.insert(path, (metadata.permissions().mode(), content));
        }
    }
    Everything {
        files,
        status: git(root, &["status", "--porcelain", "-uall"]),
        index: git(root, &["ls-files", "-s"]),
        stash: git(root, &["stash", "list"]),
    }
}

/// A work tree with every kind of change.
pub(crate) fn dirty() -> tempfile::TempDir {
    let folder = repository();
    let script = r#"
        numbers() { printf '%s\n' $1 2 3 4 5 6 7 8 9; }
        for file in both deleted 'staged away' 'kept on disk' type mode 'becomes a folder'; do numbers 1 > "$file"; done
        mkdir folder; echo x > 'folder/becomes a file'; echo 'ignored*' > .gitignore
        git add -A; git commit -q -m base
        echo ignored > ignored; numbers one > both; echo new > 'new staged'; echo new > 'new and gone'
        git add both 'new staged' 'new and gone'; git rm -q 'staged away'; git rm -q --cached 'kept on disk'
        numbers uno > both; rm 'new and gone' deleted type 'becomes a folder'
        ln -s a.txt type; chmod 755 mode; mkdir 'becomes a folder'; printf x > 'becomes a folder/x'
        rm -r folder; echo 'file now' > folder; mkdir -p deep/er; echo '#!/bin/sh' > deep/script; chmod 755 deep/script
        printf x > "$(printf 'deep/er/line\nbreak')"; printf x > "$(printf 'deep/latin-\344')""#;
    sh(folder.path(), script);
    folder
}

/// Adds to [`dirty`] what git does not store: permissions, and bytes that a filter changes.
pub(crate) fn add_unstored(root: &Path) {
    let script = r#"
        printf '*.crlf eol=crlf\n*.auto text=auto\n' > .gitattributes; git add .gitattributes
        for file in 'tracked key' 'staged key' read-only line.crlf; do echo 1 > "$file"; git add "$file"; done
        git commit -q -m unstored
        for file in 'tracked key' 'staged key' read-only line.crlf; do echo 2 > "$file"; done
        git add 'staged key'; printf 'a\r\nb\nc\r\n' > mixed.auto; mkdir private; printf secret > private/key
        chmod 600 'tracked key' private/key; chmod 640 'staged key'; chmod 444 read-only; chmod 700 private"#;
    sh(root, script);
}

fn stash(tree: &WorkTree) -> String {
    let id = tree.stash_save("before 7").unwrap().unwrap();
    tree.stash_clean(&id).unwrap();
    id
}

#[test]
fn everything_comes_back_and_ignored_files_stay() {
    let folder = dirty();
    let root = folder.path();
    let tree = WorkTree::find(root).unwrap();
    fs::write(root.join("other"), "x").unwrap();
    git(root, &["stash", "push", "-q", "-u", "-m", "other", "other"]);
    let before = everything(root);
    let id = stash(&tree);
    let clean = everything(root);
    assert_eq!(clean.status, "");
    assert!(clean.files.contains_key(&root.join("ignored")));
    assert_eq!(clean.stash.lines().count(), 2);
    let first = clean.stash.lines().next();
    assert_eq!(first, Some("stash@{0}: On main: before 7"));
    assert_eq!(tree.stash_find("before 7").unwrap().unwrap(), id);
    assert!(tree.stash_save("clean").unwrap().is_none());
    tree.stash_restore(&id).unwrap();
    assert_eq!(everything(root), before);
    let gone = tree.stash_restore(&id).unwrap_err();
    assert!(matches!(gone, RepositoryError::StashGone { .. }), "{gone}");
}

#[test]
fn permissions_and_bytes_that_git_does_not_store_come_back() {
    let folder = dirty();
    let root = folder.path();
    add_unstored(root);
    let tree = WorkTree::find(root).unwrap();
    let before = everything(root);
    let modified = |path: &str| root.join(path).metadata().unwrap().modified().unwrap();
    let time = modified("tracked key");
    let id = stash(&tree);
    assert!(!root.join("private").exists());
    assert_eq!(fs::read(root.join("line.crlf")).unwrap(), b"1\r\n");
    assert_eq!(git(root, &["status", "--porcelain"]), "");
    tree.stash_restore(&id).unwrap();
    assert_eq!(everything(root), before);
    assert!(!root.join(".git/ccd-stash").exists());
    assert!(modified("tracked key") > time, "a build tool has to notice");
    // A process that was killed before it put anything aside.
    let id = tree.stash_save("saved").unwrap().unwrap();
    fs::remove_file(root.join("deep/script")).unwrap();
    fs::remove_file(root.join("both")).unwrap();
    tree.stash_restore(&id).unwrap();
    assert_eq!(everything(root), before);
}

#[test]
fn empty_folders_come_back() {
    let folder = repository();
    let root = folder.path();
    let script =
        "mkdir -p deep/er; echo x > deep/er/file; echo x > file; git add -A; git commit -q -m base
        rm deep/er/file file; mkdir -p file/with/none; chmod 700 file/with";
    sh(root, script);
    let tree = WorkTree::find(root).unwrap();
    let before = everything(root);
    let id = stash(&tree);
    assert!(root.join("file").is_file());
    tree.stash_restore(&id).unwrap();
    assert_eq!(everything(root), before);
}

#[test]
fn git_itself_can_restore_our_stash() {
    let folder = dirty();
    let root = folder.path();
    let before = everything(root);
    stash(&WorkTree::find(root).unwrap());
    git(root, &["stash", "pop", "-q", "--index"]);
    assert_eq!(everything(root), before);
}

#[test]
fn what_a_run_committed_is_merged_and_its_other_files_stay() {
    let folder = dirty();
    let root = folder.path();
    let tree = WorkTree::find(root).unwrap();
    let before = everything(root);
    let id = stash(&tree);
    commit(root, "both", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    fs::write(root.join("by the run"), "x").unwrap();
    fs::write(root.join("a.txt"), "by the run").unwrap();
    git(root, &["stash", "push", "-q", "-m", "later", "a.txt"]);
    tree.stash_restore(&id).unwrap();
    let merged = "uno\n2\n3\n4\n5\n6\n7\n8\nnine\n";
    assert_eq!(fs::read_to_string(root.join("both")).unwrap(), merged);
    let staged = git(root, &["show", ":both"]);
    assert_eq!(staged, merged.replace("uno", "one"));
    assert!(root.join("by the run").exists());
    let expected = before.status.replacen("?? ", "?? \"by the run\"\n?? ", 1);
    let sorted = |status: &str| {
        let mut lines: Vec<String> = status.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&everything(root).status), sorted(&expected));
    assert!(git(root, &["stash", "list"]).contains("later"));
    assert_eq!(git(root, &["stash", "list"]).lines().count(), 1);
}

#[test]
fn a_conflict_restores_nothing_and_names_the_way() {
    let all = "git add -A; git commit -q -m run";
    let runs = [
        ("both", "echo not committed > both", ""),
        ("both", "echo another line 1 > both", all),
        ("new staged", "echo another > 'new staged'", all),
        ("deep/script", "mkdir deep; echo another > deep/script", all),
        ("deep/script", "mkdir deep; echo another > deep/script", ""),
        ("deep/script", "echo a file > deep", all),
        (
            "new staged",
            "echo 'new*' > .git/info/exclude; echo ignored > 'new staged'",
            "",
        ),
    ];
    for (path, run, commit) in runs {
        let folder = dirty();
        let root = folder.path();
        let tree = WorkTree::find(root).unwrap();
        let id = stash(&tree);
        sh(root, &format!("{run}; {commit}"));
        let before = everything(root);
        let error = tree.stash_restore(&id).unwrap_err();
        let text = error.to_string();
        let is_conflict = matches!(error, RepositoryError::StashConflict { .. });
        assert!(is_conflict, "{text}");
        let way = "Move these away, then run: git stash pop --index stash@{0};";
        assert!(text.contains(path) && text.contains(way), "{text}");
        assert_eq!(everything(root), before);
        assert!(!root.join(".git/ccd-stash").exists());
        follow_the_way(root, path);
    }
}

fn follow_the_way(root: &Path, path: &str) {
    let taken = [path, "deep"].map(|path| root.join(path));
    let taken = taken.iter().find(|path| path.is_file()).unwrap();
    fs::rename(taken, root.join("moved away")).unwrap();
    let pop = |options: &[&str]| {
        let mut command = std::process::Command::new("git");
        let command = command.arg("-C").arg(root).args(["stash", "pop"]);
        command.args(options).output().unwrap()
    };
    let popped = pop(&["--index", "stash@{0}"]);
    if !popped.status.success() {
        let said = String::from_utf8_lossy(&popped.stderr).into_owned();
        assert!(said.contains("conflicts in index"), "{path}: {said}");
        pop(&["stash@{0}"]);
        let status = git(root, &["status", "--porcelain", path]);
        let is_unmerged = status.starts_with("UU") || status.starts_with("AA");
        assert!(is_unmerged, "{status}");
    }
    assert!(root.join(path).is_file(), "{path}");
}

#[test]
fn a_stash_is_restored_from_wherever_a_killed_process_left_it() {
    // Saved, but nothing removed yet.
    let folder = dirty();
    let root = folder.path();
    let tree = WorkTree::find(root).unwrap();
    let before = everything(root);
    let id = tree.stash_save("saved").unwrap().unwrap();
    assert_eq!(everything(root).files, before.files);
    tree.stash_restore(&id).unwrap();
    assert_eq!(everything(root), before);
    // The files that were put aside are gone.
    let id = stash(&tree);
    fs::remove_dir_all(root.join(".git/ccd-stash")).unwrap();
    tree.stash_restore(&id).unwrap();
    assert_eq!(everything(root), before);
    // Some files are as they were, others are not.
    let mut paths: Vec<&PathBuf> = before.files.keys().collect();
    paths.retain(|path| {
        let is_folder = before.files[*path].0 & 0o170_000 == 0o040_000;
        !is_folder && !path.ends_with("ignored") && !path.ends_with("a.txt")
    });
    for (n, kept) in paths.iter().enumerate() {
        let id = stash(&tree);
        let (mode, content) = &before.files[*kept];
        let _ = fs::remove_file(kept);
        if kept.parent().is_some_and(Path::is_file) {
            fs::remove_file(kept.parent().unwrap()).unwrap();
        }
        fs::create_dir_all(kept.parent().unwrap()).unwrap();
        if kept.ends_with("folder") {
            fs::remove_dir_all(kept).unwrap();
        }
        if kept.ends_with("type") {
            symlink("a.txt", kept).unwrap();
        } else {
            fs::write(kept, content).unwrap();
            fs::set_permissions(kept, fs::Permissions::from_mode(*mode)).unwrap();
        }
        // The index comes back last.
        if n == 0 {
            assert_eq!(git(root, &["diff", "--cached", "--name-only"]), "");
        }
        tree.stash_restore(&id).unwrap();
        assert_eq!(everything(root), before, "{}", kept.display());
    }
}

#[test]
fn the_list_is_right_whatever_a_killed_process_left_of_it() {
    let folder = dirty();
    let root = folder.path();
    let tree = WorkTree::find(root).unwrap();
    let before = everything(root);
    let (log, reference) = (".git/logs/refs/stash", ".git/refs/stash");
    let first = |left: &str| {
        let id = stash(&tree);
        let listed = git(root, &["stash", "list", "--format=%H %gs"]);
        assert_eq!(listed, format!("{id} On main: before 7\n"), "{left}");
        id
    };
    let leave_log = || fs::write(root.join(log), "").unwrap();
    let leave_reference = |id| fs::write(root.join(reference), format!("{id}\n")).unwrap();
    let leaves = [
        ("an empty log", true, false),
        ("a reference", false, true),
        ("both", true, true),
    ];
    for (left, has_log, has_reference) in leaves {
        let id = first("nothing");
        tree.stash_restore(&id).unwrap();
        if has_log {
            leave_log();
        }
        if has_reference {
            leave_reference(id);
        }
        assert_eq!(tree.stash_find("before 7").unwrap(), None, "{left}");
        tree.stash_restore(&first(left)).unwrap();
        assert_eq!(everything(root), before, "{left}");
    }
    // Git logs a stash whatever this says.
    git(root, &["config", "core.logAllRefUpdates", "false"]);
    tree.stash_restore(&first("no logs")).unwrap();
    assert_eq!(everything(root), before);
}

#[test]
fn a_restored_stash_that_was_not_removed_is_only_removed() {
    let folder = dirty();
    let root = folder.path();
    let tree = WorkTree::find(root).unwrap();
    let id = stash(&tree);
    commit(root, "a.txt", "by the run\n");
    git(root, &["stash", "apply", "-q", "--index"]);
    let mut restored = everything(root);
    tree.stash_restore(&id).unwrap();
    restored.stash = String::new();
    assert_eq!(everything(root), restored);
}

#[test]
fn what_cannot_be_stashed_is_left_as_it_is() {
    let folder = dirty();
    let root = folder.path();
    let tree = WorkTree::find(root).unwrap();
    let before = everything(root);
    let lock = root.join(".git/index.lock");
    fs::write(&lock, "").unwrap();
    let locked = tree.stash_save("x").unwrap_err();
    assert!(matches!(locked, RepositoryError::Locked(_)), "{locked}");
    fs::remove_file(&lock).unwrap();
    assert_eq!(everything(root), before);

    let id = tree.stash_save("x").unwrap().unwrap();
    fs::write(root.join("both"), "typed meanwhile").unwrap();
    let changed = everything(root);
    let error = tree.stash_clean(&id).unwrap_err();
    assert!(matches!(error, RepositoryError::Changed(_)), "{error}");
    assert_eq!(everything(root), changed);

    // Ignored files in the way.
    let folder = dirty();
    let root = folder.path();
    fs::write(root.join("becomes a folder/ignored"), "precious").unwrap();
    let before = everything(root);
    let tree = WorkTree::find(root).unwrap();
    let id = tree.stash_save("x").unwrap().unwrap();
    let error = tree.stash_clean(&id).unwrap_err();
    assert!(matches!(error, RepositoryError::Blocked { .. }), "{error}");
    tree.stash_restore(&id).unwrap();
    assert_eq!(everything(root), before);
}

#[test]
fn submodules_nested_repositories_and_sparse_checkouts_survive_a_stash() {
    let (folder, other) = (repository(), repository());
    let root = folder.path();
    add_submodule(root, other.path(), "sub");
    let script = format!(
        "mkdir out; echo x > out/file; git add out; git commit -q -m out; git clone -q {} nested
        git sparse-checkout set --no-cone '/*' '!/out'; echo changed > a.txt",
        other.path().display()
    );
    sh(root, &script);
    commit(&root.join("sub"), "new", "x");
    fs::write(root.join("untracked"), "x\n").unwrap();
    let before = everything(root);
    let tree = WorkTree::find(root).unwrap();
    let id = stash(&tree);
    assert_eq!(fs::read(root.join("a.txt")).unwrap(), b"a\n");
    let status = git(root, &["status", "--porcelain"]);
    assert_eq!(status, " M sub\n?? nested/\n");
    tree.stash_restore(&id).unwrap();
    assert_eq!(everything(root), before);
}
