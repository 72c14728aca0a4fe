//! A settings file of Claude Code, and its backup.

use crate::{Failure, named_file, whole_file};
use ccd_protocol::{ErrorCode, ErrorObject};
use rustix::fs::{Access, access};
use std::fmt::Display;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Whose settings a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    User,
    Project,
    /// The user's own settings for a project. Nothing is installed there.
    Local,
}

impl Scope {
    pub(super) const ALL: [Scope; 3] = [Scope::User, Scope::Project, Scope::Local];

    pub(super) fn name(self) -> &'static str {
        match self {
            Scope::User => "user",
            Scope::Project => "project",
            Scope::Local => "local",
        }
    }

    /// The path of the file; `None` without a home directory.
    pub(super) fn path(self) -> Option<PathBuf> {
        let folder = match self {
            Scope::User => user_folder()?,
            Scope::Project | Scope::Local => std::path::absolute(".claude").ok()?,
        };
        Some(folder.join(match self {
            Scope::User | Scope::Project => "settings.json",
            Scope::Local => "settings.local.json",
        }))
    }
}

pub(crate) fn user_folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    match set("CLAUDE_CONFIG_DIR") {
        Some(folder) => std::path::absolute(folder).ok(),
        None => Some(PathBuf::from(set("HOME")?).join(".claude")),
    }
}

/// A settings file as it was read.
#[derive(Debug)]
pub(super) struct SettingsFile {
    pub(super) path: PathBuf,
    pub(super) text: Option<String>,
}

impl SettingsFile {
    pub(super) fn read(scope: Scope) -> Result<Self, Failure> {
        let path = scope.path().ok_or_else(|| {
            Failure::Usage("the home directory is unknown: set $HOME or $CLAUDE_CONFIG_DIR".into())
        })?;
        Self::at(path)
    }

    pub(super) fn at(path: PathBuf) -> Result<Self, Failure> {
        let text = match named_file::read(&path) {
            Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| invalid(&path, "not UTF-8"))?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(Failure::io(path.display())(error)),
        };
        Ok(Self { path, text })
    }

    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    pub(super) fn backup_path(&self) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(".ccd-backup");
        path.into()
    }

    /// Copies the file, with its mode, unless that was done before; returns the path of a copy that was made.
    pub(super) fn back_up(&self) -> Result<Option<PathBuf>, Failure> {
        let backup = self.backup_path();
        if self.text.is_none() || backup.symlink_metadata().is_ok() {
            return Ok(None);
        }
        fs::copy(&self.path, &backup).map_err(|error| not_writable(&backup, &error))?;
        Ok(Some(backup))
    }

    /// Replaces the file; if it is a link, its target. `None` removes it.
    /// On an error, the file is unchanged; it may have changed since it was read.
    pub(super) fn replace(&self, new: Option<&str>) -> Result<(), Failure> {
        self.try_replace(new)
            .map_err(|error| not_writable(&self.path, &error))
    }

    fn try_replace(&self, new: Option<&str>) -> io::Result<()> {
        let is_unchanged = match named_file::read(&self.path) {
            Ok(bytes) => self
                .text
                .as_deref()
                .is_some_and(|text| text.as_bytes() == bytes),
            Err(_) => self.text.is_none(),
        };
        if !is_unchanged {
            return Err(io::Error::other(
                "another program has just changed it; try again",
            ));
        }
        // To replace a file, only its directory must be writable; but a read-only file is meant to stay.
        if self.text.is_some() {
            access(&self.path, Access::WRITE_OK)?;
        }
        let Some(new) = new else {
            return fs::remove_file(&self.path);
        };
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        whole_file::write(&self.path, new.as_bytes())
    }
}

/// The error for a file that is not what Claude Code reads.
pub(super) fn invalid(path: &Path, mistake: impl Display) -> Failure {
    let hint = "nothing was changed; correct the file first";
    refused(ErrorCode::SettingsInvalid, path, mistake, hint)
}

fn not_writable(path: &Path, error: &io::Error) -> Failure {
    let hint = "the settings are unchanged";
    refused(ErrorCode::SettingsNotWritable, path, error, hint)
}

/// An error with a number, found without a daemon.
fn refused(code: ErrorCode, path: &Path, what: impl Display, hint: &str) -> Failure {
    let data = [("kind", code.kind()), ("hint", hint)];
    let data = data.map(|(key, value)| (key.to_owned(), value.into()));
    Failure::Refused {
        method: "hooks".to_owned(),
        error: Box::new(ErrorObject {
            code: code as i64,
            message: format!("{}: {what}", path.display()),
            data: Some(data.into_iter().collect()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Exit;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn a_file_is_backed_up_once_and_replaced_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (real, link) = (path("real"), path("settings.json"));
        fs::write(&real, "one").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        let file = SettingsFile::at(link.clone()).unwrap();
        let backup = file.back_up().unwrap().unwrap();
        file.replace(Some("two")).unwrap();
        let file = SettingsFile::at(link.clone()).unwrap();
        assert_eq!((file.text(), file.back_up().unwrap()), ("two", None));
        assert_eq!(fs::read(&backup).unwrap(), b"one");
        for path in [&real, &backup] {
            let mode = fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o640);
        }
        assert!(link.symlink_metadata().unwrap().is_symlink());
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/settings.json");
        let file = SettingsFile::at(path.clone()).unwrap();
        file.replace(Some("one")).unwrap();
        let error = file.replace(Some("two")).unwrap_err();
        assert_eq!(error.exit(), Exit::Failed);
        assert!(error.json().contains("settings_not_writable"));
        assert_eq!(fs::read(&path).unwrap(), b"one");
        let file = SettingsFile::at(path.clone()).unwrap();
        file.replace(None).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        fs::write(&path, b"\xff").unwrap();
        let error = SettingsFile::at(path).unwrap_err();
        assert_eq!(error.exit(), Exit::Usage);
        let end = "not UTF-8; nothing was changed; correct the file first";
        assert!(error.line().ends_with(end));
    }
}
