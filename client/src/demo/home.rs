//! The demo's own base directory, with its own daemon.

use crate::Failure;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Longest path of the directory for temporary files; a longer one would make the socket's path too long.
const MAX_TEMPORARY_LEN: usize = 64;

/// A base directory that is removed when dropped, and the commands that use it.
#[derive(Debug)]
pub(super) struct Home {
    folder: PathBuf,
    ccctl: PathBuf,
}

impl Home {
    /// Creates the directory.
    ///
    /// # Errors
    ///
    /// [`Failure::Io`].
    pub(super) fn create() -> Result<Self, Failure> {
        let temporary = std::env::temp_dir();
        let temporary = if temporary.as_os_str().len() <= MAX_TEMPORARY_LEN {
            temporary
        } else {
            "/tmp".into()
        };
        let folder = temporary.join(format!("ccd-demo-{}", std::process::id()));
        // Fails if it exists: a directory of another program is not used.
        DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .map_err(Failure::io(folder.display()))?;
        let home = Self {
            ccctl: std::env::current_exe().map_err(Failure::io("ccctl"))?,
            folder,
        };
        // The user's own configuration could change what the demo shows.
        let config = home.config();
        std::fs::write(&config, "{}\n").map_err(Failure::io(config.display()))?;
        Ok(home)
    }

    /// Runs `ccctl` with the demo's daemon and waits until it exits.
    ///
    /// # Errors
    ///
    /// [`Failure::Io`] if it cannot be started.
    pub(super) fn ccctl(&self, words: &[impl AsRef<std::ffi::OsStr>]) -> Result<Output, Failure> {
        Command::new(&self.ccctl)
            .args(words)
            .env("CCD_HOME", &self.folder)
            .env("CCD_COACH_HOME", self.folder.join("coach"))
            .env("CCD_CONFIG", self.config())
            .env_remove("CCD_HOST")
            .env_remove("CCD_SOCKET")
            .env_remove("CCD_NO_START")
            .stdin(Stdio::null())
            .output()
            .map_err(Failure::io(self.ccctl.display()))
    }

    /// Stops the daemon, if it was started.
    ///
    /// # Errors
    ///
    /// [`Failure::Failed`] with the output of `ccctl daemon stop`.
    pub(super) fn stop(&self) -> Result<(), Failure> {
        if !self.folder.join("run/ccd.sock").exists() {
            return Ok(());
        }
        let output = self.ccctl(&["daemon", "stop", "--force"])?;
        if output.status.success() {
            return Ok(());
        }
        let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(Failure::Failed(format!("demo: {told}")))
    }

    fn config(&self) -> PathBuf {
        self.folder.join("config.json")
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // Anything that cannot be removed is left in the directory for temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
