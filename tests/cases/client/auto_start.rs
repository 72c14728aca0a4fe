//! The client starts the daemon if none is running.

use crate::support::client::{Installation, Ran};
use crate::support::{Connection, eventually, processes};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};

#[test]
fn clients_that_come_together_start_one_daemon() {
    let installation = Installation::new();
    let starts: Vec<_> = (0..6)
        .map(|_| {
            installation
                .ccctl(&["session", "list", "--json"])
                .spawn()
                .unwrap()
        })
        .collect();
    for start in starts {
        let ran = Ran::of(start.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains("\"sessions\""), "{ran:?}");
    }
    let daemons: BTreeSet<Vec<i32>> = (0..2)
        .map(|_| {
            let ran = installation.run(&["daemon", "status", "--json"]);
            let status: Value = serde_json::from_str(&ran.stdout).unwrap();
            let pid = |name: &str| i32::try_from(status[name].as_i64().unwrap()).unwrap();
            // If holder and worker are one process, both ids are the same.
            let both: BTreeSet<i32> = [pid("holder_pid"), pid("pid")].into();
            both.into_iter().collect()
        })
        .collect();
    assert_eq!(daemons.len(), 1);
    let home = format!("CCD_HOME={}", installation.home().display());
    let daemon = daemons.first().unwrap();
    let mut left = processes::with_variable(&home);
    left.sort_unstable();
    assert_eq!(&left, daemon, "only one daemon is left, and no client");
    let pid = daemon[0];
    let ran = installation.run(&["daemon", "stop"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    eventually("it is gone", || {
        (!processes::lives(pid) && !installation.socket().exists()).then_some(())
    });
    assert_eq!(installation.run(&["daemon", "stop"]).code, Some(3));
}

#[test]
fn a_daemon_started_by_a_client_keeps_nothing_of_it() {
    let installation = Installation::new();
    // The pipes of this command are read to their end: if the daemon kept them open, the test would hang.
    let ran = Ran::of(
        installation
            .ccctl(&["daemon", "start"])
            .env("CCD_SECRET", "x")
            .output()
            .unwrap(),
    );
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let status = Connection::open(&installation.socket())
        .call_value("daemon.status", &json!({}))
        .unwrap();
    let pid = i32::try_from(status["holder_pid"].as_i64().unwrap()).unwrap();
    assert_eq!(
        fs::read_link(format!("/proc/{pid}/cwd")).unwrap(),
        PathBuf::from("/")
    );
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let session: i32 = stat
        .rsplit_once(')')
        .unwrap()
        .1
        .split_whitespace()
        .nth(3)
        .unwrap()
        .parse()
        .unwrap();
    assert_eq!(session, pid, "it leads a session of its own");
    assert_eq!(installation.run(&["daemon", "stop"]).code, Some(0));
    eventually("it is gone", || (!processes::lives(pid)).then_some(()));
}

#[test]
fn a_client_that_must_not_start_one_says_so_and_exits_3() {
    let installation = Installation::new();
    for command in [
        &mut installation.ccctl(&["session", "list", "--no-start"]),
        installation
            .ccctl(&["session", "list"])
            .env("CCD_NO_START", "1"),
        &mut installation.ccctl(&["daemon", "stop"]),
        &mut installation.ccctl(&["daemon", "status"]),
    ] {
        let ran = Ran::of(command.output().unwrap());
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(
            ran.stdout.is_empty() && ran.stderr.lines().count() == 1,
            "{ran:?}"
        );
    }
    assert!(!installation.socket().exists());
}

#[test]
fn the_reason_of_a_failed_start_reaches_the_user() {
    let installation = Installation::new();
    fs::create_dir(installation.home()).unwrap();
    fs::write(
        installation.home().join("config.json"),
        "{\n  max_sessions: 'many'\n}",
    )
    .unwrap();
    let ran = installation.run(&["session", "list"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.contains("2:17: max_sessions must be"), "{ran:?}");
}

#[test]
fn a_daemon_that_fails_after_it_listens_says_why() {
    let installation = Installation::new();
    // The database is opened after the socket was created.
    fs::create_dir_all(installation.home().join("ccd.sqlite/in the way")).unwrap();
    for words in [&["daemon", "start"][..], &["session", "list"]] {
        let ran = installation.run(words);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(
            ran.stderr.contains("the daemon exited while starting")
                && ran.stderr.contains("ccd.sqlite"),
            "{ran:?}"
        );
    }
}

#[test]
fn a_start_in_a_place_that_others_can_change_or_beside_a_link_is_refused() {
    let installation = Installation::new();
    let place = tempfile::tempdir().unwrap();
    let open = place.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    let socket = open.join("run/s");
    let told = format!(
        "the directory {} above it is writable by others",
        open.display()
    );
    let ran = installation.run(&["daemon", "start", "--socket", socket.to_str().unwrap()]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.contains(&told), "{ran:?}");

    // The daemon looks for itself.
    let daemon = Command::new(env!("CARGO_BIN_EXE_ccd_under_test"))
        .arg("--socket")
        .arg(&socket)
        .env("HOME", installation.home())
        .env("CCD_HOME", installation.home())
        .env("CCD_TEST_ENDS_WITH_STDIN", "1")
        .stdin(Stdio::null())
        .output();
    let ran = Ran::of(daemon.unwrap());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains(&told), "{ran:?}");
    assert_eq!(fs::read_dir(&open).unwrap().count(), 0);

    let document = place.path().join("document");
    fs::write(&document, "precious").unwrap();
    let own = place.path().join("own");
    fs::create_dir(&own).unwrap();
    let link = own.join("s.start.log");
    symlink(&document, &link).unwrap();
    let socket = own.join("s");
    let ran = installation.run(&["daemon", "start", "--socket", socket.to_str().unwrap()]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    for word in [link.to_str().unwrap(), "symbolic link"] {
        assert!(ran.stderr.contains(word), "{ran:?}");
    }
    assert_eq!(fs::read_to_string(&document).unwrap(), "precious");
}
