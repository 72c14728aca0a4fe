//! Who may connect. Only root can test this with other users.

use crate::support::executable::copy_program;
use crate::support::{Connection, Daemon, assert_fields, eventually, processes};
use serde_json::json;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// The user `nobody` on most systems; any user other than the own one would do.
pub(super) const OTHER_UID: u32 = 65_534;

/// Connects as another user, sends a ping and prints the reply.
const CLIENT: &str = r#"
import socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
try:
    s.sendall(b'{"jsonrpc":"2.0","id":1,"method":"daemon.ping"}\n')
    print("got", s.recv(1000).decode())
except OSError as error:
    print("got", error.strerror)
"#;

/// Returns whether these tests cannot run here, and prints the reason.
pub(super) fn cannot_run() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    let tools =
        ["setpriv", "python3"].map(|tool| Command::new(tool).arg("--version").output().is_ok());
    if !is_root || tools.contains(&false) {
        eprintln!("skipped: needs root, setpriv and python3");
    }
    !is_root || tools.contains(&false)
}

pub(super) fn as_other_user(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command
        .arg(format!("--reuid={OTHER_UID}"))
        .arg(format!("--regid={OTHER_UID}"))
        .arg("--clear-groups")
        .arg(program);
    command
}

#[test]
fn another_user_is_refused_without_a_word() {
    if cannot_run() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let socket = folder.path().join("s");
    let daemon = Daemon::builder().socket(&socket).start();
    assert_eq!(fs::metadata(&socket).unwrap().mode() & 0o777, 0o600);
    // Normally, the mode of the file keeps others out; here it does not, so the kernel's peer credentials must.
    fs::set_permissions(&socket, Permissions::from_mode(0o666)).unwrap();
    let python = Path::new("/usr/bin/env");
    let output = as_other_user(python)
        .args(["python3", "-c", CLIENT])
        .arg(&socket)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let refusals = ["got", "got Connection reset by peer", "got Broken pipe"];
    assert!(refusals.contains(&said.trim()), "{said}{output:?}");
    daemon.ping();
}

/// A daemon of another user; ends with the test.
struct ForeignDaemon {
    child: Child,
    home: TempDir,
}

impl ForeignDaemon {
    /// Starts one that serves root, too; `None` if that user cannot execute the binary.
    fn start() -> Option<Self> {
        let home = tempfile::Builder::new().prefix("ccd-").tempdir().unwrap();
        let binary = home.path().join("ccd");
        copy_program(env!("CARGO_BIN_EXE_ccd_under_test"), &binary);
        let config = home.path().join("config.json");
        fs::write(&config, "{allow_root_peer: true}").unwrap();
        for path in [home.path(), &binary, &config] {
            chown(path, Some(OTHER_UID), Some(OTHER_UID)).unwrap();
        }
        let mut child = as_other_user(&binary)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home.path())
            .env("CCD_HOME", home.path())
            .env("CCD_CONFIG", config)
            .env("CCD_TEST_ENDS_WITH_STDIN", "1")
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let socket = home.path().join("run/ccd.sock");
        let runs = eventually("it listens or ends", || match child.try_wait().unwrap() {
            Some(_) => Some(false),
            None => socket.exists().then_some(true),
        });
        if !runs {
            eprintln!(
                "skipped: user {OTHER_UID} cannot run programs in {:?}",
                home.path()
            );
        }
        runs.then_some(Self { child, home })
    }

    fn socket(&self) -> PathBuf {
        self.home.path().join("run/ccd.sock")
    }
}

impl Drop for ForeignDaemon {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

#[test]
fn root_is_served_with_allow_root_peer_and_a_program_that_may_not_be_killed_is_in_left() {
    if cannot_run() {
        return;
    }
    let Some(daemon) = ForeignDaemon::start() else {
        return;
    };
    // Becomes root's, as `sudo` does.
    let setpriv = daemon.home.path().join("setpriv");
    copy_program("/usr/bin/setpriv", &setpriv);
    fs::set_permissions(&setpriv, Permissions::from_mode(0o4755)).unwrap();
    eventually("it answers", || {
        Connection::answers(&daemon.socket()).then_some(())
    });
    let mut connection = Connection::open(&daemon.socket());
    let create = json!({
        "program": setpriv,
        "cwd": "/",
        "args": ["--reuid=0", "sh", "-c", "echo as $(id -ru); exec sleep 600"],
    });
    let started = connection.ok("session.create", &create);
    let session = started["session_id"].as_str().unwrap();
    connection.expect_text(session, "as ");
    let read = json!({"session": session, "lines": 1});
    let read = connection.ok("session.read", &read);
    if read["text"] != "as 0\n" {
        eprintln!("skipped: programs cannot become root's here: {read}");
        return;
    }
    let close = json!({"session": session, "grace_ms": 0});
    let closed = connection.ok("session.close", &close);
    assert_fields(&closed, json!({"left": [started["pid"]], "killed": []}));
    // The kernel hangs its terminal up.
    let pid = i32::try_from(started["pid"].as_i64().unwrap()).unwrap();
    eventually("it ends with its terminal", || {
        (!processes::lives(pid)).then_some(())
    });
}
