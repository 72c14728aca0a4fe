//! A real program on a real terminal, for the tests of this module.

use std::fs::Permissions;
use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Child;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use pty_process::blocking::{Command, Pty};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::{Probe, probe};

/// Time limit; generous, for busy machines.
const PATIENCE: Duration = Duration::from_secs(10);

/// The variable that marks all descendants of a program, so that none is left running.
const MARK: &str = "CCD_PROBE_TEST";

/// A program and its terminal. When dropped, it kills the program and all processes that it has started.
pub(super) struct TestTerminal {
    pty: Pty,
    child: Child,
    device: u64,
    mark: String,
    output: Vec<u8>,
}

impl TestTerminal {
    /// Starts a program on a terminal of 24 rows and 80 columns. A shell reads the command and becomes the program.
    pub(super) fn start(command: &str) -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let mark = format!(
            "{}-{}",
            std::process::id(),
            STARTED.fetch_add(1, Ordering::Relaxed)
        );
        let (pty, pts) = pty_process::blocking::open().unwrap();
        pty.resize(pty_process::Size::new(24, 80)).unwrap();
        let flags = rustix::fs::fcntl_getfl(&pty).unwrap();
        rustix::fs::fcntl_setfl(&pty, flags | OFlags::NONBLOCK).unwrap();
        let slave = rustix::pty::ptsname(&pty, Vec::new()).unwrap();
        let device = rustix::fs::stat(slave).unwrap().st_rdev;
        let child = Command::new("sh")
            .args(["-c", &format!("exec {command}")])
            .env("TERM", "xterm-256color")
            .env(MARK, &mark)
            .env("EDITOR", "vi")
            .env_remove("TMUX")
            .spawn(pts)
            .unwrap();
        Self {
            pty,
            child,
            device,
            mark,
            output: Vec::new(),
        }
    }

    /// Returns the first process of the terminal's session.
    pub(super) fn leader(&self) -> i32 {
        self.child.id().try_into().unwrap()
    }

    /// Reads the output, then probes.
    pub(super) fn probe(&mut self) -> Probe {
        self.read();
        probe(self.pty.as_fd(), self.leader(), self.device)
    }

    /// Types a text that is short enough for the terminal to take at once.
    pub(super) fn send(&mut self, text: &str) {
        self.pty.write_all(text.as_bytes()).unwrap();
    }

    /// Reads the output; an error if `text` was not shown since the start.
    pub(super) fn must_have_shown(&mut self, text: &str) -> Result<(), String> {
        self.read();
        let output = self.output();
        let missing = || format!("never shown: {text:?}: {output}");
        output.contains(text).then_some(()).ok_or_else(missing)
    }

    /// Returns the output so far.
    pub(super) fn output(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }

    fn read(&mut self) {
        let mut piece = [0; 4096];
        while let Ok(len @ 1..) = self.pty.read(&mut piece) {
            self.output.extend(&piece[..len]);
        }
    }

    /// Returns the processes with this terminal's mark, including those in other process sessions.
    fn marked(&self) -> Vec<i32> {
        let mark = format!("{MARK}={}", self.mark).into_bytes();
        let is_marked = |pid: &i32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment
                .split(|&byte| byte == 0)
                .any(|variable| variable == mark)
        };
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        ids.filter(is_marked).collect()
    }
}

impl Drop for TestTerminal {
    fn drop(&mut self) {
        for pid in self.marked() {
            let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
        }
        // Programs of another user, or without a readable environment, end with their terminal instead.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Creates a directory in which every user may write: some programs of the tests run as another user.
pub(super) fn public_folder() -> TempDir {
    let mode = Permissions::from_mode(0o777);
    tempfile::Builder::new()
        .permissions(mode)
        .tempdir()
        .unwrap()
}

/// Waits until `condition` returns a value, and returns it; fails with its last reason otherwise.
pub(super) fn eventually<T>(mut condition: impl FnMut() -> Result<T, String>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let reason = match condition() {
            Ok(value) => return value,
            Err(reason) => reason,
        };
        assert!(Instant::now() < deadline, "never happened: {reason}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns whether a program of this name is on the PATH.
pub(super) fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
