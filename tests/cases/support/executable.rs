//! Executable files, and what running one gave.
//!
//! Another process writes the files. If this process did, another test could fork it while the file is open for writing, and
//! then the file could not be executed ("text file busy").

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Copies a program.
pub(crate) fn copy_program(from: &str, to: &Path) {
    let copied = Command::new("cp").arg(from).arg(to).status().unwrap();
    assert!(copied.success());
}

/// Writes an executable file.
pub(crate) fn write(path: &Path, content: &[u8]) {
    let mut writer = Command::new("sh")
        .args(["-c", "cat >\"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = writer.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, content).unwrap();
    drop(input);
    assert!(writer.wait().unwrap().success());
}

/// Writes an executable script.
pub(crate) fn write_script(path: &Path, content: &str) {
    write(path, content.as_bytes());
}

/// Runs a command with this input, which is then closed.
pub(crate) fn with_input(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // A program that has exited does not read it.
            let _ = std::io::Write::write_all(&mut stdin, input);
        });
        child.wait_with_output().unwrap()
    })
}

/// The result of running `ccctl`.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs a command with this input, which is then closed.
    pub(crate) fn with_input(command: &mut Command, input: &str) -> Self {
        Self::of(with_input(command, input.as_bytes()))
    }

    /// Returns the JSON in each line of the standard output.
    pub(crate) fn json_lines(&self) -> Vec<serde_json::Value> {
        let lines = self.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Returns what was printed on both streams.
    pub(crate) fn printed(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}
