//! The files that Claude Code reads: one directory for each run, in the runtime directory.

use crate::command::settings;
use crate::error::{self, ExecError, system};
use crate::run::program;
use ccd_policy::{Policy, ToolMode};
use ccd_store::folder::prepare_private;
use ccd_store::own_file;
use std::fs::{File, Permissions, set_permissions};
use std::io::{Seek as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Removed when it is dropped.
#[derive(Debug)]
pub(crate) struct RunFiles {
    folder: PathBuf,
}

impl RunFiles {
    /// Creates the directory of a run. Blocks.
    pub(crate) fn create(runtime: &Path, request_id: &str) -> Result<Self, ExecError> {
        let files = Self {
            folder: runtime.join(request_id),
        };
        for folder in [runtime, &files.folder, &files.policy_folder()] {
            let prepared = prepare_private(folder);
            prepared.map_err(error::folder("the directory of the run cannot be created"))?;
        }
        Ok(files)
    }

    fn policy_folder(&self) -> PathBuf {
        self.folder.join("policy")
    }

    /// Returns a file with the instruction, which has no name: it is on no disk once the run has ended. Blocks.
    pub(crate) fn instruction(&self, bytes: &[u8]) -> Result<File, ExecError> {
        let path = self.folder.join("instruction");
        let write = || {
            let mut file = own_file::create(&path)?;
            std::fs::remove_file(&path)?;
            file.write_all(bytes)?;
            file.rewind()?;
            Ok(file)
        };
        write().map_err(system("the instruction cannot be written"))
    }

    /// Writes the policy and the settings that enforce it. Returns the path of the settings; without a policy, there are
    /// none. Blocks.
    /// A run that may write files could otherwise replace its own policy, so nobody but root may change them, and nobody
    /// may put others in their place without changing the mode of the directory first.
    pub(crate) fn settings(
        &self,
        tools: &Policy,
        project: &Path,
        home: Option<&str>,
    ) -> Result<Option<String>, ExecError> {
        if tools.mode == ToolMode::All {
            return Ok(None);
        }
        let client = program::client()?;
        let policy = tools.at(&project.to_string_lossy(), home);
        let folder = self.policy_folder();
        let policy_file = folder.join("policy.json");
        let settings_file = folder.join("settings.json");
        let settings = settings(&client.to_string_lossy(), &policy_file.to_string_lossy());
        let write = || {
            own_file::create(&policy_file)?.write_all(&serde_json::to_vec(&policy)?)?;
            own_file::create(&settings_file)?.write_all(settings.to_string().as_bytes())?;
            set_permissions(&policy_file, Permissions::from_mode(0o400))?;
            set_permissions(&settings_file, Permissions::from_mode(0o400))?;
            set_permissions(&folder, Permissions::from_mode(0o500))
        };
        write().map_err(system("the tool policy cannot be written"))?;
        Ok(Some(settings_file.to_string_lossy().into_owned()))
    }

    pub(crate) fn debug(&self) -> PathBuf {
        self.folder.join("debug.log")
    }
}

impl Drop for RunFiles {
    fn drop(&mut self) {
        let _ = set_permissions(self.policy_folder(), Permissions::from_mode(0o700));
        // What is left is removed when the next run of this id would be, and by the system at its next start.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
