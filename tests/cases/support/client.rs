//! The real `ccctl`, as scripts and people use it.

pub(crate) mod sshd;

use super::daemon::Daemon;
use super::eventually::{PATIENCE, eventually_within};
use super::executable::copy_program;
use super::session::{OpenSession, program};
use ccd_protocol::session::SessionCreateParams;
use rustix::fs::{FlockOperation, flock};
use serde_json::json;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

pub(crate) use super::executable::Ran;

/// Runs `ccctl` against a daemon.
pub(crate) struct Ccctl<'a> {
    daemon: &'a Daemon,
}

impl<'a> Ccctl<'a> {
    pub(crate) fn new(daemon: &'a Daemon) -> Self {
        Self { daemon }
    }

    /// Returns a command to be started. It never starts a daemon itself.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ccctl_under_test"));
        command
            .args(args)
            .env_remove("CCD_SOCKET")
            .env("CCD_HOME", self.daemon.home())
            .env("GIT_CEILING_DIRECTORIES", std::env::temp_dir())
            .env("CCD_NO_START", "1")
            .stdin(Stdio::null());
        command
    }

    /// Runs `ccctl` until it exits.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.command(args).output().unwrap())
    }

    /// Runs `ccctl` in a directory until it exits.
    pub(crate) fn run_in(&self, folder: &Path, args: &[&str]) -> Ran {
        let output = self.command(args).current_dir(folder).output();
        Ran::of(output.unwrap())
    }

    /// Runs `ccctl` with this standard input until it exits.
    pub(crate) fn run_with(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        // A client that has heard enough need not read all of it.
        let _ = child.stdin.take().unwrap().write_all(input);
        Ran::of(child.wait_with_output().unwrap())
    }

    /// Runs `ccctl`, asserts that it succeeds, and returns its standard output.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "ccctl {args:?}: {}", ran.stderr);
        ran.stdout
    }
}

/// A directory with `ccctl` and `ccd`, like that of an installation, and an empty home.
pub(crate) struct Installation {
    folder: TempDir,
    /// The daemon's lock, taken at the end: dropped after the directory, in which no other daemon is to start.
    lock: Option<fs::File>,
}

impl Installation {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("ccd-").tempdir().unwrap();
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        // A link would be followed to the directory of the build, which may contain an older daemon.
        copy_program(env!("CARGO_BIN_EXE_ccctl_under_test"), &bin.join("ccctl"));
        symlink(env!("CARGO_BIN_EXE_ccd_under_test"), bin.join("ccd")).unwrap();
        Self { folder, lock: None }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.home().join("run/ccd.sock")
    }

    pub(crate) fn bin(&self) -> PathBuf {
        self.folder.path().join("bin")
    }

    pub(crate) fn ccctl(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.folder.path().join("bin/ccctl"));
        command
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("CCD_HOME", self.home())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs `ccctl`, asserts that it succeeds, and returns its standard output.
    #[track_caller]
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "ccctl {args:?}: {ran:?}");
        ran.stdout
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.ccctl(args).output().unwrap())
    }

    fn stop(&self) -> io::Result<usize> {
        let mut connection = UnixStream::connect(self.socket())?;
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "daemon.stop"});
        connection.write_all(format!("{request}\n").as_bytes())?;
        connection.read(&mut [0])
    }
}

impl Drop for Installation {
    /// Ends the daemon, which is not a child of this process, even if the test fails, and one that has waited for that.
    fn drop(&mut self) {
        self.lock = fs::File::open(self.home().join("ccd.lock")).ok();
        if let Some(lock) = &self.lock {
            eventually_within(PATIENCE, || {
                let _ = self.stop();
                flock(lock, FlockOperation::NonBlockingLockExclusive).ok()
            });
        }
    }
}

pub(crate) const CCCTL: &str = env!("CARGO_BIN_EXE_ccctl_under_test");

/// Returns a person at a terminal: a bash in which `ccctl` finds the daemon.
pub(crate) fn person(daemon: &Daemon, rows: i64, cols: i64) -> OpenSession<'_> {
    let mut params = program(daemon, "bash", &["--norc", "--noprofile"]);
    params
        .env
        .insert("CCD_HOME".into(), daemon.home().display().to_string());
    params.env.insert("CCD_NO_START".into(), "1".into());
    params.env.insert("PS1".into(), "person> ".into());
    let person = daemon.open_with(&SessionCreateParams {
        rows: Some(rows),
        cols: Some(cols),
        ..params
    });
    person.expect("person> ");
    person
}

/// The keys that detach from a session.
pub(crate) const DETACH: &[&str] = &["C-\\", "d"];
