//! Whether repositories and files of projects may be read: who made them, and `safe.directory`.

use git2::{Config, Repository};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Says whether git itself would work in a repository: it belongs to the user, or `safe.directory` names it.
pub(crate) fn is_trusted(repository: &Repository) -> bool {
    let link = repository.workdir().map(|root| root.join(".git"));
    let all = [
        Some(repository.path()),
        repository.workdir(),
        link.as_deref(),
    ];
    all.into_iter().flatten().all(is_own) || is_safe(top(repository))
}

/// Returns the top directory; of a bare repository, the git folder.
pub(crate) fn top(repository: &Repository) -> &Path {
    repository.workdir().unwrap_or_else(|| repository.path())
}

/// Returns why the file `path` of a project is not to be read, if it could be somebody else's: see
/// [`ccd_protocol::trust::distrust`]. A project that `safe.directory` names is trusted.
#[must_use]
pub fn distrust(project: &Path, path: &Path) -> Option<String> {
    let user = rustix::process::geteuid().as_raw();
    let why = ccd_protocol::trust::distrust(project, path, user);
    why.filter(|_| !is_safe(project))
}

fn is_own(path: &Path) -> bool {
    let user = rustix::process::geteuid().as_raw();
    let Ok(about) = path.symlink_metadata() else {
        return true; // a configured work tree has no `.git`
    };
    let caller = || std::env::var("SUDO_UID").ok()?.parse().ok();
    about.uid() == user || (user == 0 && caller() == Some(about.uid()))
}

/// Says whether `safe.directory` in the user's or the system's configuration names a directory, in one of the forms that git knows:
/// a path, `DIR/*` for all below it, `*` for all, and an empty value, which takes back those before it.
fn is_safe(directory: &Path) -> bool {
    let named = || {
        let config = Config::open_default()?;
        let mut is_safe = false;
        config.multivar("safe.directory", None)?.for_each(|entry| {
            let value = entry.has_value().then(|| entry.value_bytes());
            is_safe = match value.unwrap_or_default() {
                b"" => false,
                value => is_safe || names(&String::from_utf8_lossy(value), directory),
            };
        })?;
        Ok::<_, git2::Error>(is_safe)
    };
    named().unwrap_or(false)
}

fn names(value: &str, directory: &Path) -> bool {
    if value == "*" {
        return true;
    }
    let value = match value.strip_prefix("~/") {
        Some(rest) => PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(rest),
        None => PathBuf::from(value),
    };
    let is_below = value.ends_with("*");
    let named = if is_below {
        value.parent()
    } else {
        Some(&*value)
    };
    let named = named.filter(|named| named.is_absolute());
    let resolved = named.and_then(|named| named.canonicalize().ok());
    let directory = directory.canonicalize().ok();
    resolved.zip(directory).is_some_and(|(named, directory)| {
        directory == named && !is_below
            || is_below && directory != named && directory.starts_with(named)
    })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_directory_is_named_in_each_form_that_git_knows() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        let inner = top.join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        std::os::unix::fs::symlink(top, top.join("link")).unwrap();
        for (value, expected) in [
            ("*", true),
            ("a/b", true),
            ("a/b/", true),
            ("link/a/b", true),
            ("a/*", true),
            ("./*", true),
            ("a/b/*", false),
            ("a", false),
            ("none", false),
            ("none/*", false),
        ] {
            let value = match value {
                "*" => value.to_owned(),
                value => format!("{}/{value}", top.display()),
            };
            assert_eq!(names(&value, &inner), expected, "{value}");
        }
        assert!(!names("a/b", &inner), "only an absolute path names one");
        assert!(!names("/*", std::path::Path::new("/")));
    }
}
