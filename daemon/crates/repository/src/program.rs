//! The git program.

use crate::WorkTree;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

impl WorkTree {
    /// Returns the git program, which will work in this work tree, without its command.
    pub(crate) fn program(&self) -> Command {
        let mut command = Command::new("git");
        let option = |name: &str, path: &Path| {
            let mut option = OsString::from(name);
            option.push(path);
            option
        };
        command
            .current_dir(&self.root)
            .arg(option("--git-dir=", &self.git_dir))
            .arg(option("--work-tree=", &self.root));
        // A daemon that a hook of git started has variables that name another repository.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("GIT_")
                && !text.starts_with("GIT_CONFIG_")
                && text != "GIT_EXEC_PATH"
            {
                command.env_remove(&name);
            }
        }
        command
    }
}
