//! Files that are run.
//!
//! Another process writes them: ours may be forked by another test while it has one open to write, and then nobody
//! can run it ("text file busy").

use std::path::Path;
use std::process::{Command, Stdio};

/// Copies a program.
pub(crate) fn copy_program(from: &str, to: &Path) {
    let copied = Command::new("cp").arg(from).arg(to).status().unwrap();
    assert!(copied.success());
}

/// Writes a file that may be run.
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

/// Likewise.
pub(crate) fn write_script(path: &Path, content: &str) {
    write(path, content.as_bytes());
}
