//! The file a shell reads its command from.

use ccd_store::own_file;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::wrap::Nonce;

/// A command in its own file, which is removed when this is dropped.
/// Keep it until the run is over: dash reads it in pieces. If a run timed out, keep it until the shell is at its prompt
/// again or the session has ended.
#[derive(Debug)]
pub(crate) struct CommandFile {
    pub(crate) path: PathBuf,
}

impl CommandFile {
    /// Writes `command` and a final newline to a new file in `dir`, mode 0600, named by `nonce`.
    /// A NUL byte in the command is an error: shells drop it or take the file for a binary. On an error, nothing is
    /// left on disk.
    pub(crate) fn create(dir: &Path, nonce: &Nonce, command: &[u8]) -> io::Result<Self> {
        let path = dir.join(format!("command-{}", nonce.as_str()));
        Self::write(path, b"", command)
    }

    /// Does the same for the line editor of an integrated shell, which knows the directory. The first line, a comment, is
    /// the nonce.
    pub(crate) fn for_editor(dir: &Path, nonce: &Nonce, command: &[u8]) -> io::Result<Self> {
        let path = dir.join("command");
        // A worker that was killed may have left one.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Self::write(path, format!("# {}\n", nonce.as_str()).as_bytes(), command),
        }
    }

    fn write(path: PathBuf, head: &[u8], command: &[u8]) -> io::Result<Self> {
        if command.contains(&0) {
            let message = "a command cannot contain a NUL byte";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let mut file = own_file::create(&path)?;
        let created = Self { path };
        file.write_all(head)?;
        file.write_all(command)?;
        // A here-document at the very end needs a newline after its last line; a backslash would continue it.
        if !command.ends_with(b"\\") {
            file.write_all(b"\n")?;
        }
        Ok(created)
    }
}

impl Drop for CommandFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(path = %self.path.display(), %error, "command file not removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_command_file_is_private_and_goes_with_its_owner() {
        let dir = tempfile::tempdir().unwrap();
        let file = CommandFile::create(dir.path(), &Nonce::fixed("1"), b"echo hi").unwrap();
        let path = file.path.clone();
        assert_eq!(fs::read(&path).unwrap(), b"echo hi\n");
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        drop(file);
        assert!(!path.exists());
    }

    #[test]
    fn a_command_with_a_nul_byte_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let error = CommandFile::create(dir.path(), &Nonce::fixed("1"), b"a\0").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}
