//! The file a shell reads its command from.
//! Keep it until the run is over: dash reads it in pieces. If a run timed out, keep it until the shell is at its prompt
//! again or the session has ended.

use super::wrap::Nonce;
use crate::live::temporary_file::TemporaryFile;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes `command` and a final newline to a new file in `dir`, mode 0600, named by `nonce`.
/// A NUL byte in the command is an error: shells drop it or take the file for a binary. On an error, nothing is left on
/// disk.
pub(crate) fn command_file(dir: &Path, nonce: &Nonce, command: &[u8]) -> io::Result<TemporaryFile> {
    write(dir.join(format!("command-{}", nonce.as_str())), "", command)
}

/// Does the same for the line editor of an integrated shell, which knows the directory. The first line, a comment, is the
/// nonce.
pub(crate) fn editor_file(dir: &Path, nonce: &Nonce, command: &[u8]) -> io::Result<TemporaryFile> {
    let path = dir.join("command");
    // A worker that was killed may have left one.
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => write(path, &format!("# {}\n", nonce.as_str()), command),
    }
}

fn write(path: PathBuf, head: &str, command: &[u8]) -> io::Result<TemporaryFile> {
    if command.contains(&0) {
        let message = "a command cannot contain a NUL byte";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    // A here-document at the very end needs a newline after its last line; a backslash would continue it.
    let end = if command.ends_with(b"\\") { "" } else { "\n" };
    TemporaryFile::create(path, &[head.as_bytes(), command, end.as_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_command_file_is_private_and_goes_with_its_owner() {
        let dir = tempfile::tempdir().unwrap();
        let file = command_file(dir.path(), &Nonce::fixed("1"), b"echo hi").unwrap();
        let path = file.0.clone();
        assert_eq!(fs::read(&path).unwrap(), b"echo hi\n");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        drop(file);
        assert!(!path.exists());
        let error = command_file(dir.path(), &Nonce::fixed("1"), b"a\0").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}
