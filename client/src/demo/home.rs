//! A base directory with a daemon of its own, for the demo and for `ccctl doctor`.

use crate::Failure;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Longest path of the directory for temporary files; a longer one would make the socket's path too long.
const MAX_TEMPORARY_LEN: usize = 64;

/// A base directory that is removed when dropped, and the commands that use it.
#[derive(Debug)]
pub(crate) struct Home {
    folder: PathBuf,
    /// In a directory of its own, which is removed too.
    socket: PathBuf,
    ccctl: PathBuf,
}

impl Home {
    pub(super) fn create() -> Result<Self, Failure> {
        let temporary = std::env::temp_dir();
        let temporary = if temporary.as_os_str().len() <= MAX_TEMPORARY_LEN {
            temporary
        } else {
            "/tmp".into()
        };
        let folder = temporary.join(format!("ccd-demo-{}", std::process::id()));
        let socket = folder.join("run/ccd.sock");
        Self::at(folder, socket)
    }

    pub(crate) fn at(folder: PathBuf, socket: PathBuf) -> Result<Self, Failure> {
        let ccctl = std::env::current_exe().map_err(Failure::io("ccctl"))?;
        // Fails if it exists: a directory of another program is not used.
        DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .map_err(Failure::io(folder.display()))?;
        let home = Self {
            folder,
            socket,
            ccctl,
        };
        // The user's own configuration could change what the demo shows.
        let config = home.config();
        std::fs::write(&config, "{}\n").map_err(Failure::io(config.display()))?;
        Ok(home)
    }

    pub(crate) fn ccctl(&self, words: &[impl AsRef<std::ffi::OsStr>]) -> Result<Output, Failure> {
        Command::new(&self.ccctl)
            .args(words)
            // Keys such as ^C are for the demo, which then stops the daemon.
            .process_group(0)
            .env("CCD_HOME", &self.folder)
            .env("CCD_COACH_HOME", self.folder.join("coach"))
            .env("CCD_CONFIG", self.config())
            .env_remove("CCD_HOST")
            .env("CCD_SOCKET", &self.socket)
            .env_remove("CCD_NO_START")
            .stdin(Stdio::null())
            .output()
            .map_err(Failure::io(self.ccctl.display()))
    }

    pub(crate) fn stop(&self) -> Result<(), Failure> {
        if !self.socket.exists() {
            return Ok(());
        }
        let output = self.ccctl(&["daemon", "stop", "--force"])?;
        if output.status.success() {
            return Ok(());
        }
        let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Failure::failed(told)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn config(&self) -> PathBuf {
        self.folder.join("config.json")
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // Anything that cannot be removed is left in the directory for temporary files.
        let _ = self.socket.parent().map(std::fs::remove_dir_all);
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
