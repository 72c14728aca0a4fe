//! Starts the `ccd` program, detached from the caller's terminal, directory and files.

use super::local_socket::LocalSocket;
use crate::program::{NO_CCD, find_ccd};
use rustix::io::{FdFlags, fcntl_setfd};
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::fd::BorrowedFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Environment variables with paths, which are made absolute because the daemon runs in `/`.
const PATH_VARIABLES: [&str; 4] = ["CCD_HOME", "CCD_SOCKET", "CCD_CONFIG", "CCD_COACH_HOME"];

/// Maximum length of the daemon's last output in an error, in bytes.
const MAX_LAST_WORDS_LEN: usize = 500;

#[derive(Debug)]
pub(crate) struct StartOutput {
    pub(crate) file: File,
    pub(crate) path: PathBuf,
}

/// Starts `ccd` for `socket` with its output in `log`, which is emptied first.
pub(crate) fn launch(socket: &LocalSocket, log: &StartOutput) -> Result<Child, String> {
    let program = find_ccd().ok_or(NO_CCD)?;
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source: io::Error| format!("{}: {source}", path.display())
    };
    log.file.set_len(0).map_err(failed(&log.path))?;
    let output = || log.file.try_clone().map_err(failed(&log.path));
    let mut command = Command::new(&program);
    command.arg("--if-not-running");
    if socket.is_explicit {
        command.arg("--socket").arg(&socket.path);
    }
    for variable in PATH_VARIABLES {
        if let Some(path) = std::env::var_os(variable).filter(|path| !path.is_empty())
            && let Ok(path) = std::path::absolute(path)
        {
            command.env(variable, path);
        }
    }
    command
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(output()?)
        .stderr(output()?);
    keep_descriptors_from_children();
    // SAFETY: between fork and exec only setsid is called, which is async-signal-safe and allocates nothing.
    unsafe {
        command.pre_exec(|| {
            rustix::process::setsid()?;
            Ok(())
        });
    }
    command.spawn().map_err(failed(&program))
}

impl StartOutput {
    /// Returns the last output of a daemon that failed, in one line.
    pub(crate) fn last_words(&self) -> String {
        let mut text = Vec::new();
        let mut file = &self.file;
        let _ = file.rewind().and_then(|()| file.read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text);
        let line = text
            .lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty());
        match line {
            Some(line) => line.chars().take(MAX_LAST_WORDS_LEN).collect(),
            None => format!("it printed nothing to {}", self.path.display()),
        }
    }
}

/// Marks all descriptors except the standard streams as close-on-exec.
/// If the daemon kept a caller's pipe or lock open, that caller would wait for ever.
fn keep_descriptors_from_children() {
    let Ok(open) = std::fs::read_dir("/dev/fd") else {
        return;
    };
    let numbers: Vec<i32> = open
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|&number| number > 2)
        .collect();
    for number in numbers {
        // SAFETY: the number was open a moment ago and is not negative; the borrow ends with this statement.
        // If it is closed by now, like that of the directory listing, the call fails and changes nothing.
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
        let _ = fcntl_setfd(descriptor, FdFlags::CLOEXEC);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt as _;

    #[test]
    fn the_last_words_are_the_last_line_with_text() {
        let log = StartOutput {
            file: tempfile::tempfile().unwrap(),
            path: "s.start.log".into(),
        };
        let said = |text: &str| {
            log.file.set_len(0).unwrap();
            log.file.write_all_at(text.as_bytes(), 0).unwrap();
            log.last_words()
        };
        assert!(said("").ends_with("printed nothing to s.start.log"));
        assert_eq!(
            said("one\nthe config is wrong\n\n  \n"),
            "the config is wrong"
        );
        assert_eq!(said(&"é".repeat(2000)).chars().count(), MAX_LAST_WORDS_LEN);
    }
}
