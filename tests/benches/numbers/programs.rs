//! The programs that every contender runs, and their environment: the same work for all.

use crate::Result;
use std::process::Child;
use std::time::{Duration, Instant};

/// How long a program may take to be ready, or to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// A program that is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until `probe` has something; fails with `error` if that takes too long.
pub(crate) fn until<T>(error: &str, mut probe: impl FnMut() -> Option<T>) -> Result<T> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if let Some(found) = probe() {
            return Ok(found);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err(error.into())
}

/// The prompt of every shell that is measured.
pub(crate) const PROMPT: &str = "ready> ";

/// How to start bash so that it does nothing but show [`PROMPT`].
pub(crate) const BASH: [&str; 4] = ["bash", "--norc", "--noprofile", "-i"];

/// All variables of every program that is measured. The locale matters: one makes a shell take half as long again to
/// start.
pub(crate) fn environment() -> [(&'static str, String); 6] {
    let own = |name: &str| std::env::var(name).unwrap_or_default();
    [
        ("HOME", own("HOME")),
        ("LANG", "C.UTF-8".to_owned()),
        ("PATH", own("PATH")),
        ("PS1", PROMPT.to_owned()),
        ("SHELL", "/bin/sh".to_owned()),
        ("TERM", "xterm-256color".to_owned()),
    ]
}

/// Returns whether a comparable tool is installed.
pub(crate) fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
