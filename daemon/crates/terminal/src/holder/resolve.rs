//! Finds the program that a session is to run, and prepares its arguments for the kernel.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::error::SpawnError;

/// The search path for programs if the session has no PATH (the output of `getconf PATH`).
const DEFAULT_SEARCH_PATH: &str = "/bin:/usr/bin";

/// Returns the file of `program`.
/// A name with a slash is relative to `cwd`. Any other is looked up on `search_path`, the session's own PATH, whose
/// relative and empty entries are relative to `cwd` too. The result is absolute if `cwd` is.
pub fn resolve(
    program: &OsStr,
    search_path: Option<&OsStr>,
    cwd: &Path,
) -> Result<PathBuf, SpawnError> {
    if program.is_empty() {
        return Err(SpawnError::EmptyProgram);
    }
    if program.as_bytes().contains(&0) {
        return Err(SpawnError::Nul {
            place: "the program's name".into(),
        });
    }
    if program.as_bytes().contains(&b'/') {
        return runnable(cwd.join(program));
    }
    let search_path = search_path.unwrap_or(OsStr::new(DEFAULT_SEARCH_PATH));
    let mut refused = None;
    for directory in search_path.as_bytes().split(|byte| *byte == b':') {
        let candidate = cwd.join(OsStr::from_bytes(directory)).join(program);
        match runnable(candidate) {
            Err(SpawnError::NoSuchFile { .. } | SpawnError::IsDirectory { .. }) => {}
            Err(error) => refused = refused.or(Some(error)),
            found => return found,
        }
    }
    Err(refused.unwrap_or_else(|| SpawnError::NotOnPath {
        program: program.to_string_lossy().into_owned(),
        search_path: search_path.to_string_lossy().into_owned(),
    }))
}

/// Returns `text` as a C string; `place` describes it in the error ("an argument").
pub fn c_string(text: impl Into<OsString>, place: &'static str) -> Result<CString, SpawnError> {
    CString::new(text.into().into_vec()).map_err(|_| SpawnError::Nul {
        place: place.into(),
    })
}

fn runnable(path: PathBuf) -> Result<PathBuf, SpawnError> {
    match std::fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            Err(SpawnError::NotExecutable { path })
        }
        Err(_) => Err(SpawnError::NoSuchFile { path }),
        Ok(metadata) if metadata.is_dir() => Err(SpawnError::IsDirectory { path }),
        Ok(metadata) if !metadata.is_file() || access(&path, Access::EXEC_OK).is_err() => {
            Err(SpawnError::NotExecutable { path })
        }
        Ok(_) => Ok(path),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn file(path: &Path, mode: u32) {
        std::fs::write(path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Asserts what is found: a path, or a part of the error. Files are relative to `cwd`.
    #[track_caller]
    fn assert_finds(program: &str, search_path: &str, cwd: &Path, expected: Result<&str, &str>) {
        let found = resolve(program.as_ref(), Some(search_path.as_ref()), cwd);
        match (found, expected) {
            (Ok(path), Ok(expected)) => assert_eq!(path, cwd.join(expected)),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, _) => panic!("{program}: {found:?}"),
        }
    }

    #[test]
    fn a_bare_name_is_looked_up_on_the_session_s_path() {
        let dir = tempfile::tempdir().unwrap();
        let cwd = dir.path();
        for folder in ["one", "two", "two/tool2"] {
            std::fs::create_dir(cwd.join(folder)).unwrap();
        }
        file(&cwd.join("one/tool"), 0o644);
        file(&cwd.join("two/tool"), 0o755);
        file(&cwd.join("here"), 0o755);
        let absolute = format!("{}/two", cwd.display());
        for (program, search_path, expected) in [
            ("tool", "none:one:two", Ok("two/tool")),
            ("here", "one:", Ok("here")),
            ("tool", &absolute, Ok("two/tool")),
            ("tool", "one", Err("not executable")),
            ("tool2", "two", Err("PATH (two)")),
            ("here", "one:two", Err("\"here\"")),
        ] {
            assert_finds(program, search_path, cwd, expected);
        }
    }

    #[test]
    fn a_name_with_a_slash_is_relative_to_the_working_directory() {
        let dir = tempfile::tempdir().unwrap();
        let cwd = dir.path();
        file(&cwd.join("tool"), 0o755);
        file(&cwd.join("data"), 0o600);
        for (program, expected) in [
            ("./tool", Ok("./tool")),
            ("/bin/sh", Ok("/bin/sh")),
            ("./data", Err("not executable")),
            ("./none", Err("no file")),
            ("./tool/x", Err("no file")),
            ("/", Err("directory")),
        ] {
            assert_finds(program, "", cwd, expected);
        }
    }

    #[test]
    fn names_that_no_file_can_have_are_refused() {
        assert_finds("", "", Path::new("/"), Err("name is empty"));
        assert_finds("a\0b", "", Path::new("/"), Err("contains a NUL byte"));
        let refused = c_string("a\0b", "an argument").unwrap_err();
        assert!(refused.to_string().contains("an argument"), "{refused}");
    }

    #[test]
    fn without_a_path_the_default_one_has_a_shell() {
        resolve("sh".as_ref(), None, Path::new("/")).unwrap();
    }
}
