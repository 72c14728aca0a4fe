//! Whose a memory is: a project's own, or nobody's.

use super::{FILE, MemoryClient, assert_has, post, project};
use crate::support::Daemon;
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::Path;

/// Any user but root.
const OTHER_USER: u32 = 12_345;

/// Returns what a session gets that starts in a directory; with `None`, nothing.
fn start(daemon: &Daemon, cwd: &Path) -> Option<Value> {
    post(daemon, "SessionStart", "startup", cwd)
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn trust(daemon: &Daemon, directories: &[&str]) {
    let line = |directory: &&str| format!("\tdirectory = {directory}\n");
    let lines: String = directories.iter().map(line).collect();
    let text = format!("[safe]\n{lines}");
    fs::write(daemon.home().join(".gitconfig"), text).unwrap();
}

#[test]
fn a_memory_above_a_directory_is_not_that_of_a_session_there() {
    let daemon = Daemon::start();
    let outside = tempfile::tempdir().unwrap();
    let below = outside.path().join("below");
    fs::create_dir(&below).unwrap();
    let memory = MemoryClient::of(&daemon, outside.path());
    memory.ok(&["save"]);
    assert!(start(&daemon, outside.path()).is_some());
    assert_eq!(start(&daemon, &below), None);
    let mut show = memory.client.command(&["memory", "show"]);
    let shown = show.current_dir(&below).output().unwrap();
    let told = String::from_utf8_lossy(&shown.stderr).into_owned();
    assert_has(&told, &["below has no session memory"]);
}

#[test]
fn what_others_could_have_written_is_not_read_and_the_reason_is_said() {
    let daemon = Daemon::start();
    let project = project();
    let (root, file) = (project.root(), project.root().join(FILE));
    let memory = MemoryClient::of(&daemon, root);
    memory.ok(&["save"]);
    for (path, before) in [
        (root, 0o755),
        (&root.join(".claude"), 0o700),
        (&file, 0o600),
    ] {
        mode(path, before | 0o002);
        let shown = path.display();
        let why = format!("{shown} is writable for everybody; run chmod o-w");
        let started = start(&daemon, root).unwrap();
        assert_has(started["systemMessage"].as_str().unwrap(), &[&why]);
        assert_eq!(started["hookSpecificOutput"], Value::Null);
        for verb in ["show", "load", "status"] {
            memory.fails(&[verb], &why);
        }
        mode(path, before);
        assert!(start(&daemon, root).unwrap()["systemMessage"].is_null());
    }
    // What would not be read is not written either.
    mode(root, 0o777);
    let before = fs::read(&file).unwrap();
    for words in [&["save"][..], &["link", "--yes"]] {
        memory.fails(words, "writable for everybody");
    }
    assert_eq!(fs::read(&file).unwrap(), before);
    assert!(!root.join("CLAUDE.md").exists());
    trust(&daemon, &[memory.at]);
    assert_eq!(memory.shown()["metadata"]["branch"], "main");
    assert!(start(&daemon, root).unwrap()["systemMessage"].is_null());
}

#[test]
fn a_repository_of_another_user_gets_no_memory_unless_git_s_configuration_trusts_it() {
    let daemon = Daemon::start();
    let project = project();
    for path in [project.root(), &project.root().join(".git")] {
        if chown(path, Some(OTHER_USER), None).is_err() {
            eprintln!("skipped: only root can give files to another user");
            return;
        }
    }
    let memory = MemoryClient::of(&daemon, project.root());
    let above = format!("{}/*", project.root().parent().unwrap().display());
    for directories in [&[][..], &["/elsewhere"], &["*", ""], &[memory.at, ""]] {
        trust(&daemon, directories);
        memory.fails(&["save"], "safe.directory");
        assert!(!project.root().join(".claude").exists());
    }
    for directories in [&[memory.at][..], &["*"], &[&above], &["", memory.at]] {
        trust(&daemon, directories);
        memory.ok(&["save"]);
        fs::remove_dir_all(project.root().join(".claude")).unwrap();
    }
}
