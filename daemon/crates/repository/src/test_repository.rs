//! Repositories for tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
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

/// Commits a file and returns the commit's id.
pub(crate) fn commit(folder: &Path, path: &str, content: &str) -> String {
    std::fs::write(folder.join(path), content).unwrap();
    git(folder, &["add", path]);
    git(folder, &["commit", "-q", "-m", content]);
    git(folder, &["rev-parse", "HEAD"]).trim().to_owned()
}

/// Runs a script of the shell in a directory; each of its commands must succeed.
pub(crate) fn sh(folder: &Path, script: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-ec", script]).current_dir(folder);
    let output = shell.env("GIT_CONFIG_GLOBAL", "/dev/null").output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}: {said}");
}

/// Adds the submodule `name`, in which one can commit.
pub(crate) fn add_submodule(folder: &Path, other: &Path, name: &str) {
    let other = other.display();
    sh(
        folder,
        &format!(
            "git -c protocol.file.allow=always submodule --quiet add {other} {name}; git commit -q -m submodule; cd {name}; git config user.name dev; git config user.email dev@example.com"
        ),
    );
}

/// Runs git and returns what it prints.
pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    String::from_utf8(git_bytes(folder, args, &[])).unwrap()
}

/// Runs git with more variables and returns what it prints.
pub(crate) fn git_bytes(folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> Vec<u8> {
    let output = run(folder, args, variables);
    assert!(
        output.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// Runs git with variables and an input; fails with its messages.
pub(crate) fn git_input(
    folder: &Path,
    args: &[&str],
    variables: &[(&str, &str)],
    input: &[u8],
) -> Result<(), String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), input).unwrap();
    let output = command(folder, args, variables)
        .stdin(file.reopen().unwrap())
        .output()
        .unwrap();
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Runs git, which must fail.
pub(crate) fn git_fails(folder: &Path, args: &[&str]) {
    assert!(!run(folder, args, &[]).status.success(), "git {args:?}");
}

fn run(folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> Output {
    command(folder, args, variables).output().unwrap()
}

fn command(folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs(variables.iter().copied());
    command
}

/// Returns every file in `.git` outside `objects` with its content.
pub(crate) fn git_folder(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.join(".git")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path != root.join(".git/objects") {
                folders.push(path);
            } else if path.is_file() {
                files.insert(path.clone(), std::fs::read(path).unwrap());
            }
        }
    }
    files
}
