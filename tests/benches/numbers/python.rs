//! Python programs that measure: pexpect, and clients of the daemon and of tmux.

use crate::Result;
use crate::daemon::end_with_us;
use crate::programs::{Running, until};
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

/// A Python process that measures on demand; ends when dropped.
#[derive(Debug)]
pub(crate) struct Python {
    running: Running,
    /// `None` once the script is told to end.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Python {
    /// Starts pexpect; `None` if Python or pexpect is not installed.
    pub(crate) fn pexpect() -> Result<Option<Self>> {
        Self::start(include_str!("pexpect.py"))
    }

    /// Starts the clients of the daemon and of tmux; `None` if Python is not installed.
    pub(crate) fn clients() -> Result<Option<Self>> {
        Self::start(include_str!("clients.py"))
    }

    fn start(script: &str) -> Result<Option<Self>> {
        let mut command = Command::new("python3");
        command
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        end_with_us(&mut command);
        let Ok(mut child) = command.spawn() else {
            return Ok(None);
        };
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("python has no pipes".into());
        };
        let mut python = Self {
            running: Running(child),
            input: Some(input),
            output: BufReader::new(output),
        };
        Ok(python.answer()?.map(|_| python))
    }

    /// Runs one command of the script and returns its figures in microseconds.
    pub(crate) fn measure(&mut self, command: &str) -> Result<Vec<f64>> {
        let input = self.input.as_mut().ok_or("Python has ended")?;
        writeln!(input, "{command}")?;
        let seconds = self.answer()?.ok_or("Python has ended")?;
        Ok(seconds.iter().map(|seconds| seconds * 1e6).collect())
    }

    fn answer(&mut self) -> Result<Option<Vec<f64>>> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // The script ends what it has started.
        self.input.take();
        let _ = until("it goes on", || self.running.0.try_wait().ok()?);
    }
}
