//! What systemd expects of a service: readiness, reload, sockets that it passes.

use crate::support::eventually::PATIENCE;
use crate::support::session::lacks;
use crate::support::worker::{is_one_process, kill_worker};
use crate::support::{Connection, Daemon, eventually};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The socket to which a service reports.
struct Manager {
    socket: UnixDatagram,
    heard: Vec<String>,
}

impl Manager {
    fn listen(path: &Path) -> Self {
        let socket = UnixDatagram::bind(path).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        let heard = Vec::new();
        Self { socket, heard }
    }

    /// Waits for a report that contains this line.
    fn wait_for(&mut self, line: &str) {
        self.heard.clear();
        let mut buffer = [0; 4096];
        while !self.heard.iter().any(|heard| heard == line) {
            let len = self.socket.recv(&mut buffer).unwrap_or_else(|error| {
                panic!("{line} was never reported, only {:?}: {error}", self.heard)
            });
            let text = String::from_utf8(buffer[..len].to_vec()).unwrap();
            self.heard.extend(text.lines().map(str::to_owned));
        }
    }
}

#[test]
fn the_manager_hears_of_start_reload_and_end_and_again_and_again_for_its_watchdog() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let mut manager = Manager::listen(&path);
    let mut daemon = Daemon::builder()
        .env("NOTIFY_SOCKET", path.to_str().unwrap())
        .env("WATCHDOG_USEC", "300000")
        .start();
    manager.wait_for("READY=1");
    for _ in 0..3 {
        manager.wait_for("WATCHDOG=1");
    }
    daemon.signal(Signal::HUP);
    manager.wait_for("RELOADING=1");
    let mut heard = manager.heard.iter();
    assert!(heard.any(|line| line.starts_with("MONOTONIC_USEC=")));
    manager.wait_for("READY=1");
    if !is_one_process(&daemon) {
        // Another worker that goes on says so, and feeds the watchdog.
        kill_worker(&daemon);
        manager.wait_for("READY=1");
        manager.wait_for("WATCHDOG=1");
        daemon.ok("daemon.upgrade", &json!({}));
        manager.wait_for("READY=1");
        let told = &manager.heard;
        assert!(!told.iter().any(|line| line == "STOPPING=1"), "{told:?}");
    }
    daemon.signal(Signal::TERM);
    manager.wait_for("STOPPING=1");
    assert!(daemon.wait_for_end().success());
}

/// A program that ends with the test.
struct Activator(Child);

impl Drop for Activator {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_socket_that_was_passed_in_is_served_and_left_in_place() {
    let daemon = Daemon::builder().prepare();
    let socket = daemon.socket();
    std::fs::DirBuilder::new()
        .mode(0o700)
        .create(socket.parent().unwrap())
        .unwrap();
    let home = daemon.home().to_str().unwrap();
    if lacks(&["systemd-socket-activate"]) {
        return;
    }
    let mut activate = Command::new("systemd-socket-activate");
    activate.arg("--listen").arg(&socket);
    activate.arg(format!("--setenv=CCD_HOME={home}"));
    activate.arg("--setenv=CCD_TEST_ENDS_WITH_STDIN=1");
    activate.arg(format!("--setenv=XDG_CONFIG_HOME={home}"));
    activate.arg(env!("CARGO_BIN_EXE_ccd_under_test"));
    activate.stdin(Stdio::piped());
    activate.stdout(Stdio::null()).stderr(Stdio::null());
    let mut activator = Activator(activate.spawn().unwrap());
    // The first connection starts the daemon, which then serves it first.
    let mut connection = eventually("the activator listens", || {
        UnixStream::connect(&socket).ok().map(Connection::over)
    });
    let status = connection.status();
    assert_eq!(status["holder_pid"], activator.0.id());
    let session = connection.start_session(&["cat"]);
    let send = json!({"session": session, "text": "on\r", "expect": {"patterns": [{"exact": "on\non\n"}]}});
    connection.ok("session.send", &send);
    let worker = i32::try_from(status["pid"].as_i64().unwrap()).unwrap();
    if status["holder_pid"] != status["pid"] {
        kill_process(Pid::from_raw(worker).unwrap(), Signal::KILL).unwrap();
        // The next worker serves the same socket.
        let mut connection = Connection::open(&socket);
        connection.ok("session.send", &send);
    }
    drop(activator.0.stdin.take());
    let status = eventually("the daemon ends", || activator.0.try_wait().unwrap());
    assert!(status.success());
    // The manager's socket is not removed.
    let meta = std::fs::symlink_metadata(&socket).unwrap();
    assert!(meta.file_type().is_socket());
}
