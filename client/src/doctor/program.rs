//! Other programs that are asked.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(2);

/// Returns what a program prints; `None` if it cannot be started or does not end in time.
pub(super) fn output(program: impl AsRef<Path>, words: &[&str]) -> Option<String> {
    let mut command = Command::new(program.as_ref());
    command.args(words).stdin(Stdio::null());
    let started = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = started.ok()?;
    let out = child.stdout.take()?;
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || sender.send(std::io::read_to_string(out)));
    let text = receiver.recv_timeout(PATIENCE);
    if text.is_err() {
        let _ = child.kill();
    }
    let _ = child.wait();
    text.ok()?.ok()
}

pub(super) fn version(ccd: &Path) -> Option<String> {
    let text = output(ccd, &["--version"])?;
    text.trim().strip_prefix("ccd ").map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_prints_and_one_that_is_missing_does_not() {
        assert_eq!(output("echo", &["a b"]).as_deref(), Some("a b\n"));
        assert_eq!(output("/no/such/program", &[]), None);
    }
}
