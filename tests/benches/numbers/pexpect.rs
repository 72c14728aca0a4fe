//! pexpect, if Python has it.

use crate::Result;
use crate::daemon::end_with_us;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A Python process that measures on demand; ends when dropped.
#[derive(Debug)]
pub(crate) struct Pexpect {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Pexpect {
    /// Starts Python; `None` if Python or pexpect is not installed.
    pub(crate) fn start() -> Result<Option<Self>> {
        let mut command = Command::new("python3");
        command
            .args(["-c", include_str!("pexpect.py")])
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
        let mut pexpect = Self {
            child,
            input,
            output: BufReader::new(output),
        };
        Ok(pexpect.answer()?.map(|_| pexpect))
    }

    /// Runs one command of the script and returns its figures in microseconds.
    pub(crate) fn measure(&mut self, command: &str) -> Result<Vec<f64>> {
        writeln!(self.input, "{command}")?;
        let seconds = self.answer()?.ok_or("pexpect is gone")?;
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

impl Drop for Pexpect {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
