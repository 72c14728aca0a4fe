//! ht, which runs one program and speaks JSON on standard input and output.

use crate::Result;
use crate::daemon::end_with_us;
use crate::programs::environment;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running ht; ended when dropped.
#[derive(Debug)]
pub(crate) struct Ht {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
}

impl Ht {
    /// Starts `argv` through ht; `None` if ht is not installed.
    pub(crate) fn start(argv: &[&str]) -> Result<Option<Self>> {
        let mut command = Command::new("ht");
        command
            .args(["--size", "80x24", "--subscribe", "output", "--"])
            .args(argv)
            .env_clear()
            .envs(environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        end_with_us(&mut command);
        let Ok(mut child) = command.spawn() else {
            return Ok(None);
        };
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("ht has no pipes".into());
        };
        Ok(Some(Self {
            child,
            input,
            output: BufReader::new(output),
            line: String::new(),
        }))
    }

    /// Types a text.
    pub(crate) fn send(&mut self, text: &str) -> Result<()> {
        let request = json!({"type": "input", "payload": text});
        self.input.write_all(format!("{request}\n").as_bytes())?;
        Ok(())
    }

    /// Reads until the program has printed `text`.
    pub(crate) fn wait_for(&mut self, text: &[u8]) -> Result<()> {
        let mut printed = Vec::new();
        loop {
            self.line.clear();
            if self.output.read_line(&mut self.line)? == 0 {
                return Err("ht ended".into());
            }
            let event: Value = serde_json::from_str(&self.line)?;
            if event["type"] == "output" {
                let part = event["data"]["seq"].as_str().unwrap_or_default();
                printed.extend_from_slice(part.as_bytes());
                if printed.windows(text.len()).any(|part| part == text) {
                    return Ok(());
                }
            }
        }
    }
}

impl Drop for Ht {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
