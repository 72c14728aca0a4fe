//! Random changes of a work tree, judged by git: a diff applied to the tree before gives the tree after, and a stash comes
//! back as it was.

use super::stash::everything;
use crate::test_repository::{git, git_bytes, git_input, repository};
use crate::{RepositoryError, WorkTree, files};
use ccd_protocol::exec::FileStatus;
use proptest::prelude::*;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// Names that collide, are quoted, or are not UTF-8.
const NAMES: [&[u8]; 9] = [
    b"a",
    b"a.txt",
    b"d",
    b"d/x",
    b"d/y z",
    b"d/e/f",
    b"line\nbreak\t\"\\",
    b"\xff\xe4",
    b"x b/x",
];

#[derive(Debug, Clone)]
enum Step {
    Write(usize, u8),
    Edit(usize, u8),
    Remove(usize),
    Executable(usize),
    Link(usize),
    Rename(usize, usize),
    Stage(usize),
    Unstage(usize),
}

fn steps(len: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Step>> {
    let name = 0..NAMES.len();
    let step = prop_oneof![
        3 => (name.clone(), any::<u8>()).prop_map(|(name, kind)| Step::Write(name, kind)),
        2 => (name.clone(), any::<u8>()).prop_map(|(name, line)| Step::Edit(name, line)),
        1 => name.clone().prop_map(Step::Remove),
        1 => name.clone().prop_map(Step::Executable),
        1 => name.clone().prop_map(Step::Link),
        2 => (name.clone(), name.clone()).prop_map(|(from, to)| Step::Rename(from, to)),
        2 => name.clone().prop_map(Step::Stage),
        1 => name.prop_map(Step::Unstage),
    ];
    prop::collection::vec(step, len)
}

fn content(kind: u8) -> Vec<u8> {
    match kind % 4 {
        0 => Vec::new(),
        1 => [b"\0binary", &[kind; 300][..]].concat(),
        2 => b"no line end \xe4".to_vec(),
        _ => (0..40)
            .flat_map(|n| format!("{kind} {n}\n").into_bytes())
            .collect(),
    }
}

/// Steps that are not possible do nothing.
fn run(root: &Path, steps: &[Step]) {
    let path = |name: &usize| root.join(OsStr::from_bytes(NAMES[*name]));
    let make_way = |path: &PathBuf| {
        for parent in path
            .ancestors()
            .skip(1)
            .take_while(|parent| *parent != root)
        {
            if parent.is_symlink() || parent.is_file() {
                fs::remove_file(parent).unwrap();
            }
        }
        let _ = fs::remove_dir_all(path);
        let _ = fs::remove_file(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
    };
    for step in steps {
        match step {
            Step::Write(name, kind) => {
                make_way(&path(name));
                fs::write(path(name), content(*kind)).unwrap();
            }
            Step::Edit(name, line) => {
                if let Ok(mut text) = fs::read(path(name)) {
                    text.extend_from_slice(format!("edit {line}\n").as_bytes());
                    fs::write(path(name), text).unwrap();
                }
            }
            Step::Remove(name) => drop(fs::remove_file(path(name))),
            Step::Executable(name) => {
                if path(name).is_file() && !path(name).is_symlink() {
                    fs::set_permissions(path(name), fs::Permissions::from_mode(0o755)).unwrap();
                }
            }
            Step::Link(name) => {
                make_way(&path(name));
                symlink("a.txt", path(name)).unwrap();
            }
            Step::Rename(from, to) => {
                let (from, to) = (path(from), path(to));
                if from
                    .symlink_metadata()
                    .is_ok_and(|metadata| !metadata.is_dir())
                    && !from.starts_with(&to)
                    && !to.starts_with(&from)
                {
                    let content = fs::read(&from);
                    make_way(&to);
                    let _ = content.is_ok().then(|| fs::rename(&from, &to));
                }
            }
            Step::Stage(name) => {
                if path(name)
                    .symlink_metadata()
                    .is_ok_and(|metadata| !metadata.is_dir())
                {
                    stage(root, name, &["add", "--"]);
                }
            }
            Step::Unstage(name) => stage(
                root,
                name,
                &["rm", "-q", "--cached", "--ignore-unmatch", "-r", "--"],
            ),
        }
    }
}

fn stage(root: &Path, name: &usize, command: &[&str]) {
    let mut git = std::process::Command::new("git");
    let output = git
        .arg("-C")
        .arg(root)
        .args(command)
        .arg(OsStr::from_bytes(NAMES[*name]));
    // What cannot be staged, for example below a link, stays as it is.
    let _ = output.output().unwrap();
}

fn commit_all(root: &Path) {
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "--allow-empty", "-m", "all"]);
}

/// The status letters of git, plain paths and line counts.
fn list_by_git(
    root: &Path,
    before: &str,
    after: &str,
) -> Vec<(FileStatus, String, Option<String>)> {
    let output = git_bytes(
        root,
        &["diff", "-M", "--name-status", "-z", before, after],
        &[],
    );
    let text = String::from_utf8_lossy(&output).into_owned();
    let mut fields = text.split_terminator('\0').map(str::to_owned);
    let mut list = Vec::new();
    while let Some(status) = fields.next() {
        let first = fields.next().unwrap();
        list.push(match &status[..1] {
            "A" => (FileStatus::Added, first, None),
            "D" => (FileStatus::Deleted, first, None),
            "R" => (FileStatus::Renamed, fields.next().unwrap(), Some(first)),
            _ => (FileStatus::Modified, first, None),
        });
    }
    list
}

/// Each case runs git many times.
fn config() -> ProptestConfig {
    let mut config = ProptestConfig::default();
    config.cases = config.cases.div_ceil(16);
    config.failure_persistence = None;
    config
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_diff_applied_to_the_tree_before_gives_the_tree_after(base in steps(0..12), dirty in steps(0..6), made in steps(1..12)) {
        let folder = repository();
        let root = folder.path();
        let tree = WorkTree::find(root).unwrap();
        run(root, &base);
        commit_all(root);
        run(root, &dirty);
        let before = tree.snapshot().unwrap();
        run(root, &made);
        let after = tree.snapshot().unwrap();
        let diff = tree.diff(&before, &after).unwrap();

        prop_assert_eq!(&diff, &git_bytes(root, &["diff", "-M", "--binary", &before, &after], &[]));
        let list: Vec<_> = files(&diff).into_iter().map(|file| (file.status, file.path, file.old_path)).collect();
        prop_assert_eq!(list, list_by_git(root, &before, &after));
        git(root, &["add", "-A"]);
        let added = git(root, &["write-tree"]);
        prop_assert_eq!(added.trim(), &after);

        let folder = tempfile::tempdir().unwrap();
        let index = folder.path().join("index");
        let variables = [("GIT_INDEX_FILE", index.to_str().unwrap())];
        git_bytes(root, &["read-tree", &before], &variables);
        if !diff.is_empty()
            && let Err(message) = git_input(root, &["apply", "--cached", "-"], &variables, &diff)
        {
            // git cannot apply its own diff of a link that became a folder.
            prop_assert!(message.contains("is beyond a symbolic link"), "{}", message);
            return Ok(());
        }
        let applied = String::from_utf8(git_bytes(root, &["write-tree"], &variables)).unwrap();
        prop_assert_eq!(applied.trim(), &after);
    }

    #[test]
    fn a_stash_comes_back_as_it_was(base in steps(0..12), dirty in steps(1..12)) {
        let folder = repository();
        let root = folder.path();
        let tree = WorkTree::find(root).unwrap();
        run(root, &base);
        commit_all(root);
        run(root, &dirty);
        let before = everything(root);
        let Some(id) = tree.stash_save("random").unwrap() else {
            prop_assert_eq!(&before.status, "");
            return Ok(());
        };
        tree.stash_clean(&id).unwrap();
        prop_assert_eq!(everything(root).status, "");
        tree.stash_restore(&id).unwrap();
        prop_assert_eq!(everything(root), before);
    }

    #[test]
    fn a_stash_is_merged_or_nothing_happens(base in steps(0..12), dirty in steps(1..12), made in steps(1..6), commits in any::<bool>()) {
        let folder = repository();
        let root = folder.path();
        let tree = WorkTree::find(root).unwrap();
        run(root, &base);
        commit_all(root);
        run(root, &dirty);
        let Some(id) = tree.stash_save("random").unwrap() else {
            return Ok(());
        };
        tree.stash_clean(&id).unwrap();
        run(root, &made);
        if commits {
            commit_all(root);
        }
        let before = everything(root);
        match tree.stash_restore(&id) {
            Ok(()) => prop_assert_eq!(git(root, &["stash", "list"]), ""),
            Err(RepositoryError::StashConflict { .. }) => prop_assert_eq!(everything(root), before),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}
