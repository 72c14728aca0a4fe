//! The client starts the daemon if none is running.

use crate::support::client::{Installation, Ran};
use crate::support::session::lacks;
use crate::support::{Connection, eventually, processes};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn clients_that_come_together_start_one_daemon() {
    let installation = Installation::new();
    let mut list = installation.ccctl(&["session", "list", "--json"]);
    let starts = [(); 6].map(|()| list.spawn().unwrap());
    for start in starts {
        let ran = Ran::of(start.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.contains("\"sessions\""), "{ran:?}");
    }
    let daemons = [(); 2].map(|()| {
        let ran = installation.run(&["daemon", "status", "--json"]);
        let status: Value = serde_json::from_str(&ran.stdout).unwrap();
        let pid = |name: &str| i32::try_from(status[name].as_i64().unwrap()).unwrap();
        // If holder and worker are one process, both ids are the same.
        BTreeSet::from([pid("holder_pid"), pid("pid")])
    });
    assert_eq!(daemons[0], daemons[1]);
    let home = format!("CCD_HOME={}", installation.home().display());
    let left = BTreeSet::from_iter(processes::with_variable(&home));
    assert_eq!(left, daemons[0], "only one daemon is left, and no client");
    let pid = *left.first().unwrap();
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
    let mut start = installation.ccctl(&["daemon", "start"]);
    let ran = Ran::of(start.env("CCD_SECRET", "x").output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let status = Connection::open(&installation.socket())
        .call_value("daemon.status", &json!({}))
        .unwrap();
    let pid = i32::try_from(status["holder_pid"].as_i64().unwrap()).unwrap();
    let cwd = fs::read_link(format!("/proc/{pid}/cwd")).unwrap();
    assert_eq!(cwd, Path::new("/"));
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, after_name) = stat.rsplit_once(')').unwrap();
    let session = after_name.split_whitespace().nth(3).unwrap();
    assert_eq!(session, pid.to_string(), "it leads a session of its own");
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
        assert!(ran.stdout.is_empty(), "{ran:?}");
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    }
    assert!(!installation.socket().exists());
}

#[test]
fn the_reason_of_a_failed_start_reaches_the_user() {
    let installation = Installation::new();
    let fails = |words: &[&str], parts: &[&str]| {
        let ran = installation.run(words);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        let all_told = parts.iter().all(|part| ran.stderr.contains(part));
        assert!(all_told, "{ran:?}");
    };
    let list = ["session", "list"];
    fs::create_dir(installation.home()).unwrap();
    let config = installation.home().join("config.json");
    fs::write(&config, "{\n  max_sessions: 'many'\n}").unwrap();
    fails(&list, &["2:17: max_sessions must be"]);
    fs::remove_file(config).unwrap();
    // The database is opened after the socket was created.
    fs::create_dir_all(installation.home().join("ccd.sqlite/in the way")).unwrap();
    let told = ["the daemon exited while starting", "ccd.sqlite"];
    fails(&["daemon", "start"], &told);
    fails(&list, &told);
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

/// Starts the demo in a shell on a terminal, and closes the terminal at its first question.
const CLOSED_DEMO: &str = r#"
import os, pty
pid, terminal = pty.fork()
if pid == 0:
    os.execvp("bash", ["bash", "-c", "ccctl demo; true"])
seen = b""
while b"Enter continues" not in seen:
    seen += os.read(terminal, 4096)
print(*os.listdir(os.environ["TMPDIR"]), flush=True)
os.close(terminal)
os.waitpid(pid, 0)
"#;

#[test]
fn a_demo_whose_terminal_is_closed_leaves_nothing() {
    if lacks(&["python3", "bash"]) {
        return;
    }
    let installation = Installation::new();
    let temporary = tempfile::Builder::new().prefix("ccd-").tempdir().unwrap();
    let path = format!("{}:/usr/bin:/bin", installation.bin().display());
    // The terminal's signals come at any moment of the end.
    for _ in 0..3 {
        let ran = Command::new("python3")
            .args(["-c", CLOSED_DEMO])
            .env("PATH", &path)
            .env("TMPDIR", temporary.path())
            .output()
            .unwrap();
        let ran = Ran::of(ran);
        assert!(ran.stdout.starts_with("ccd-demo-"), "{ran:?}");
        let home = temporary.path().join(ran.stdout.trim());
        let variable = format!("CCD_HOME={}", home.display());
        eventually("daemon and directory are gone", || {
            (processes::with_variable(&variable).is_empty() && !home.exists()).then_some(())
        });
    }
}
