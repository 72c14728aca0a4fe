//! The real `ccctl`.

use super::daemon::Daemon;
use std::process::{Command, Output, Stdio};

/// Runs `ccctl` against a daemon.
pub(crate) struct Ccctl<'a> {
    daemon: &'a Daemon,
}

/// The result of running `ccctl`.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
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
            .env("CCD_NO_START", "1")
            .stdin(Stdio::null());
        command
    }

    /// Runs `ccctl` until it exits.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.command(args).output().unwrap())
    }

    /// Runs `ccctl`, asserts that it succeeds, and returns its standard output.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "ccctl {args:?}: {}", ran.stderr);
        ran.stdout
    }
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
