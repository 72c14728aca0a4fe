//! The git program, as ccd runs it: a repository says neither which programs it starts nor what it fetches.

use crate::WorkTree;
use crate::error::{RepositoryError, Result};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::process::Command;
use tempfile::TempDir;

/// Of the repository's attributes.
const MAX_ATTRIBUTES_BYTES: u64 = 1 << 20;

/// Variables of every git: nobody can answer a question, and nothing is fetched unasked.
const GUARDS: [(&str, &str); 3] = [
    ("GIT_ASKPASS", ""),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
];

/// Variables of a git without a configuration: it starts no program at all.
const BARE: [(&str, &str); 4] = [
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_ALLOW_PROTOCOL", ""),
];

/// Keys of the configuration that decide what files look like in a work tree. None names a program.
const FORM: [&str; 4] = [
    "core.autocrlf",
    "core.eol",
    "core.symlinks",
    "core.ignorecase",
];

impl WorkTree {
    /// Returns git, which will work in this work tree, without its command, and its git folder, which is an empty one that is
    /// removed afterwards: so it knows the objects and the attributes of the repository, but not its configuration, which could
    /// name programs in more ways than can be listed.
    pub(crate) fn program(&self) -> Result<(Command, TempDir)> {
        let config = self.with(|repository| repository.config()?.snapshot())?;
        let folder = self.folder().map_err(RepositoryError::GitMissing)?;
        let mut env: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        guard(&mut env);
        env.extend(BARE.map(|(name, value)| (name.into(), value.into())));
        let objects = self.common_dir.join("objects");
        env.insert("GIT_OBJECT_DIRECTORY".into(), objects.into());
        let mut command = Command::new("git");
        command.current_dir(&self.root).env_clear().envs(env);
        for (option, path) in [("--git-dir=", folder.path()), ("--work-tree=", &self.root)] {
            let mut option = OsString::from(option);
            option.push(path);
            command.arg(option);
        }
        for key in FORM {
            if let Ok(value) = config.get_str(key) {
                command.arg("-c").arg(format!("{key}={value}"));
            }
        }
        Ok((command, folder))
    }

    /// Makes a git folder that has nothing but the attributes of the repository.
    fn folder(&self) -> io::Result<TempDir> {
        let folder = tempfile::Builder::new().prefix("ccd-git-").tempdir()?;
        std::fs::write(folder.path().join("HEAD"), "ref: refs/heads/none\n")?;
        std::fs::create_dir(folder.path().join("refs"))?;
        let attributes = self.common_dir.join("info/attributes");
        let is_file = attributes
            .metadata()
            .is_ok_and(|about| about.is_file() && about.len() <= MAX_ATTRIBUTES_BYTES);
        if is_file {
            let info = folder.path().join("info");
            std::fs::create_dir(&info)?;
            std::fs::copy(&attributes, info.join("attributes"))?;
        }
        Ok(folder)
    }
}

/// Makes `env` the environment of a git of ours. A daemon or a client that a hook of git started has variables that name another
/// repository; only those that name the user's own configuration are left.
pub(crate) fn guard<T: AsRef<OsStr> + From<&'static str> + Ord>(env: &mut BTreeMap<T, T>) {
    const LEFT: [&str; 4] = [
        "GIT_EXEC_PATH",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
    ];
    env.retain(|name, _| {
        let name = name.as_ref().to_string_lossy();
        !name.starts_with("GIT_") || LEFT.contains(&&*name)
    });
    env.extend(GUARDS.map(|(name, value)| (name.into(), value.into())));
}
