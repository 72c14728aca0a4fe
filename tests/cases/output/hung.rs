//! A write to a session's log that does not return: the session continues, and the loss is reported.

use super::disk::{is_logged, run, shell};
use crate::support::{Daemon, eventually};
use serde_json::json;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Writes to an `output.log` that has a named pipe called `hangs` beside it wait until somebody reads that, like writes to
/// a file on a dead server.
const HANGING_WRITE: &str = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t write(int fd, const void *bytes, size_t len) {
    static const char log[] = "/output.log";
    const ssize_t log_len = sizeof log - 1;
    char name[64], path[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t end = readlink(name, path, sizeof path - 1);
    if (end > log_len && memcmp(path + end - log_len, log, log_len) == 0) {
        strcpy(path + end - log_len, "/hangs");
        int pipe = open(path, O_WRONLY | O_CLOEXEC);
        if (pipe >= 0)
            close(pipe);
    }
    return syscall(SYS_write, fd, bytes, len);
}
"#;

/// Starts a daemon whose logs can hang; `None` without a C compiler.
fn start(folder: &TempDir) -> Option<Daemon> {
    let (source, library) = (folder.path().join("hang.c"), folder.path().join("hang.so"));
    fs::write(&source, HANGING_WRITE).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]);
    match compiler.arg(&library).arg(&source).status() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: cc is not installed");
            return None;
        }
        status => assert!(status.unwrap().success()),
    }
    let library = library.to_str().unwrap();
    Some(Daemon::builder().env("LD_PRELOAD", library).start())
}

fn session_folder(daemon: &Daemon, session: &str) -> PathBuf {
    daemon.home().join("sessions").join(session)
}

/// Lets writes to a session's log hang until somebody reads the pipe that is returned.
fn hang_log(daemon: &Daemon, session: &str) -> PathBuf {
    let pipe = session_folder(daemon, session).join("hangs");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    pipe
}

/// The server is back.
fn end_hang(pipe: &Path) {
    let reader = File::open(pipe).unwrap();
    fs::remove_file(pipe).unwrap();
    drop(reader);
}

/// Like [`shell`], but prints nothing before its first command.
fn silent_shell(daemon: &Daemon) -> String {
    let script = "stty -echo -onlcr; while read -r line; do eval \"$line\"; done";
    daemon.connect().start_session(&["sh", "-c", script])
}

#[test]
fn a_log_that_hangs_holds_up_its_session_alone() {
    let folder = tempfile::tempdir().unwrap();
    let Some(daemon) = start(&folder) else {
        return;
    };
    let mut connection = daemon.connect();
    let hung = silent_shell(&daemon);
    let pipe = hang_log(&daemon, &hung);
    let other = shell(&daemon);
    // Eight times what the ring and memory hold together.
    run(&daemon, &hung, "yes 7654321 | head -c 36000000", "flooded");
    let record = connection.record(&hung);
    assert!(record["output"]["gaps"][0].is_object(), "{record}");
    run(&daemon, &other, "echo meanwhile", "logged");
    is_logged(&daemon, &other, "logged\n");

    // New output is logged after the gap.
    end_hang(&pipe);
    let log = session_folder(&daemon, &hung).join("output.log");
    eventually("the log is written again", || {
        run(&daemon, &hung, "echo back", "again");
        let text = fs::read(&log).ok()?;
        text.ends_with(b"again\n").then_some(())
    });
    for session in [hung, other] {
        connection.ok("session.close", &json!({"session": session}));
    }
}

#[test]
fn a_log_that_hangs_for_ever_does_not_keep_the_daemon() {
    let folder = tempfile::tempdir().unwrap();
    let Some(daemon) = start(&folder) else {
        return;
    };
    let mut connection = daemon.connect();
    let sessions: Vec<String> = (0..3).map(|_| silent_shell(&daemon)).collect();
    for session in &sessions {
        hang_log(&daemon, session);
        run(&daemon, session, "echo into nothing", "said");
    }
    let closed = connection.ok("session.close", &json!({"session": sessions[0]}));
    assert_eq!(closed["signal"], 1, "{closed}");
    let record = connection.record(&sessions[0]);
    assert_eq!(record["state"], "dead");
    assert_eq!(record["output"]["gaps"][0]["offset"], 0, "{record}");
}
