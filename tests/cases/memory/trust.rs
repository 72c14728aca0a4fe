//! Whose a memory is: a project's own, or nobody's.

use super::{FILE, project, shown};
use crate::support::exec::Repository;
use crate::support::{Ccctl, Daemon};
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::Path;

/// Any user but root.
const OTHER_USER: u32 = 12_345;

/// Returns what a session gets that starts in a directory; with `None`, nothing.
fn start(daemon: &Daemon, cwd: &Path) -> Option<Value> {
    let payload = json!({"session_id": "s", "hook_event_name": "SessionStart", "source": "startup", "cwd": cwd});
    let params = json!({"delivery_id": format!("{:032x}", number()), "at": "2026-01-31T12:00:00.000000Z", "payload": payload});
    let reply = daemon.call_value("hook.post", &params).unwrap();
    Some(serde_json::from_str(reply["output"].as_str()?).unwrap())
}

/// Returns a number that no other call has returned.
fn number() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static LAST: AtomicU32 = AtomicU32::new(1);
    LAST.fetch_add(1, Ordering::Relaxed)
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Gives a repository away; false without the right to do so.
fn give_away(project: &Repository) -> bool {
    let all = [project.root().to_owned(), project.root().join(".git")];
    let given = all
        .iter()
        .all(|path| chown(path, Some(OTHER_USER), None).is_ok());
    if !given {
        eprintln!("skipped: only root can give files to another user");
    }
    given
}

fn trust(daemon: &Daemon, directories: &[&str]) {
    let lines = directories
        .iter()
        .map(|directory| format!("\tdirectory = {directory}\n"));
    let text = format!("[safe]\n{}", lines.collect::<String>());
    fs::write(daemon.home().join(".gitconfig"), text).unwrap();
}

#[test]
fn a_memory_above_a_directory_is_not_that_of_a_session_there() {
    let daemon = Daemon::start();
    let outside = tempfile::tempdir().unwrap();
    let below = outside.path().join("below");
    fs::create_dir(&below).unwrap();
    let client = Ccctl::new(&daemon);
    client.ok(&[
        "memory",
        "save",
        "--project",
        outside.path().to_str().unwrap(),
    ]);
    assert!(start(&daemon, outside.path()).is_some());
    assert_eq!(start(&daemon, &below), None);
    let mut show = client.command(&["memory", "show"]);
    let shown = show.current_dir(&below).output().unwrap();
    let told = String::from_utf8_lossy(&shown.stderr).into_owned();
    assert!(told.contains("below has no session memory"), "{told}");
}

#[test]
fn what_others_could_have_written_is_not_read_and_the_reason_is_said() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    let at = project.root().to_str().unwrap();
    client.ok(&["memory", "save", "--project", at]);
    let (root, file) = (project.root(), project.root().join(FILE));
    for (path, before) in [
        (root, 0o755),
        (&root.join(".claude"), 0o700),
        (&file, 0o600),
    ] {
        mode(path, before | 0o002);
        let why = format!(
            "{} is writable for everybody; run chmod o-w",
            path.display()
        );
        let started = start(&daemon, root).unwrap();
        let told = started["systemMessage"].as_str().unwrap();
        assert!(told.contains(&why), "{told}");
        assert_eq!(started["hookSpecificOutput"], Value::Null);
        for verb in ["show", "load", "status"] {
            let ran = client.run(&["memory", verb, "--project", at]);
            assert!(
                ran.code != Some(0) && ran.stderr.contains(&why),
                "{verb}: {}",
                ran.stderr
            );
        }
        mode(path, before);
        assert!(start(&daemon, root).unwrap()["systemMessage"].is_null());
    }
    // What would not be read is not written either.
    mode(root, 0o777);
    let before = fs::read(&file).unwrap();
    for words in [&["save"][..], &["link", "--yes"]] {
        let ran = client.run(&[&["memory"], words, &["--project", at]].concat());
        assert!(
            ran.code != Some(0) && ran.stderr.contains("writable for everybody"),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(fs::read(&file).unwrap(), before);
    assert!(!root.join("CLAUDE.md").exists());
    trust(&daemon, &[at]);
    assert_eq!(shown(&client, at)["metadata"]["branch"], "main");
    assert!(start(&daemon, root).unwrap()["systemMessage"].is_null());
}

#[test]
fn a_repository_of_another_user_gets_no_memory_unless_git_s_configuration_trusts_it() {
    let daemon = Daemon::start();
    let client = Ccctl::new(&daemon);
    let project = project();
    if !give_away(&project) {
        return;
    }
    let at = project.root().to_str().unwrap();
    let above = format!("{}/*", project.root().parent().unwrap().display());
    let save = || client.run(&["memory", "save", "--project", at]);
    for directories in [&[][..], &["/elsewhere"], &["*", ""], &[at, ""]] {
        trust(&daemon, directories);
        let ran = save();
        assert!(
            ran.code != Some(0) && ran.stderr.contains("safe.directory"),
            "{}",
            ran.stderr
        );
        assert!(!project.root().join(".claude").exists());
    }
    for directories in [&[at][..], &["*"], &[&above], &["", at]] {
        trust(&daemon, directories);
        let ran = save();
        assert_eq!(ran.code, Some(0), "{directories:?}: {}", ran.stderr);
        fs::remove_dir_all(project.root().join(".claude")).unwrap();
    }
}
