//! Where Claude Code is.

use crate::error::ExecError;
use rustix::fs::{Access, access};
use std::path::{Path, PathBuf};

/// Returns the program `name`: a path, or a name that is looked up in the directories of `search`.
pub(crate) fn find(name: &str, search: &str) -> Result<PathBuf, ExecError> {
    let name = name.trim();
    if name.contains('/') {
        return check(Path::new(name)).unwrap_or_else(|| Err(not_found(name)));
    }
    let folders = search.split(':').filter(|folder| folder.starts_with('/'));
    let mut unusable = None;
    for folder in folders {
        match check(&Path::new(folder).join(name)) {
            Some(Ok(path)) => return Ok(path),
            Some(Err(error)) => unusable = unusable.or(Some(error)),
            None => {}
        }
    }
    Err(unusable.unwrap_or_else(|| not_found(&format!("{name:?} is in no directory of PATH"))))
}

fn check(path: &Path) -> Option<Result<PathBuf, ExecError>> {
    if !path.is_file() {
        return None;
    }
    Some(match access(path, Access::EXEC_OK) {
        Ok(()) if path.is_absolute() => Ok(path.to_owned()),
        Ok(()) => Err(not_found(&format!(
            "{} is not an absolute path",
            path.display()
        ))),
        Err(_) => Err(ExecError::ClaudeUnusable {
            message: format!("{}: not executable; run chmod +x on it", path.display()),
            cause: "not_executable",
        }),
    })
}

fn not_found(why: &str) -> ExecError {
    ExecError::ClaudeNotFound(why.to_owned())
}

/// Returns `ccctl`, which is installed beside this program, else where PATH has it.
pub(crate) fn client() -> Result<PathBuf, ExecError> {
    let own = std::env::current_exe().ok();
    let beside = own.as_deref().and_then(Path::parent);
    let beside = beside.map(|folder| folder.join("ccctl"));
    if let Some(path) = beside.filter(|path| access(path, Access::EXEC_OK).is_ok()) {
        return Ok(path);
    }
    let search = std::env::var("PATH").unwrap_or_default();
    find("ccctl", &search).map_err(|_| ExecError::NoClient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_first_executable_file_on_the_path_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        for name in ["none", "plain", "good"] {
            std::fs::create_dir(place(name)).unwrap();
        }
        for (name, mode) in [("plain", 0o644), ("good", 0o755)] {
            let file = place(name).join("claude");
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
        }
        let search = |names: &[&str]| {
            let folders: Vec<String> = names
                .iter()
                .map(|name| place(name).display().to_string())
                .collect();
            find("claude", &folders.join(":"))
        };
        let good = place("good").join("claude");
        assert_eq!(search(&["none", "plain", "good"]).unwrap(), good);
        assert_eq!(find(good.to_str().unwrap(), "").unwrap(), good);
        let plain = search(&["plain", "none"]).unwrap_err();
        assert!(matches!(plain, ExecError::ClaudeUnusable { .. }), "{plain}");
        for error in [search(&["none"]), find("/no/such", ""), find("x", "rel")] {
            let error = error.unwrap_err();
            assert!(matches!(error, ExecError::ClaudeNotFound(_)), "{error}");
        }
    }
}
