//! Paths of the daemon's socket and base directory: one rule for daemon and client.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Longest path of a socket, in bytes: the smallest size of `sun_path` on any system.
pub const MAX_SOCKET_PATH_LEN: usize = 104;

const SOCKET_NAME: &str = "ccd.sock";
const BASE_NAME: &str = ".claude-control";

/// Why there is no usable socket or base directory.
#[derive(Debug, thiserror::Error)]
pub enum SocketPathError {
    #[error(
        "the socket path {path:?} has {} bytes: at most {MAX_SOCKET_PATH_LEN} are allowed; \
         choose a shorter one with --socket, $CCD_SOCKET or $CCD_HOME",
        .path.as_os_str().len()
    )]
    TooLong { path: PathBuf },
    #[error("the home directory is unknown: set $HOME or $CCD_HOME")]
    NoHome,
    #[error("the path {path:?} is relative, and the current directory is unknown")]
    NoWorkingFolder {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

/// Returns the absolute path of the daemon's socket.
///
/// The first that is set and not empty: `explicit` (`--socket`), `$CCD_SOCKET`, `$CCD_HOME/run/ccd.sock`,
/// `$XDG_RUNTIME_DIR/ccd/ccd.sock`, `~/.claude-control/run/ccd.sock`. `env` looks a variable up.
/// [`SocketPathError::NoWorkingFolder`] for a relative path in a folder that is gone.
pub fn socket_path(
    explicit: Option<&str>,
    env: impl Fn(&str) -> Option<OsString>,
) -> Result<PathBuf, SocketPathError> {
    let named = explicit
        .map(PathBuf::from)
        .or_else(|| set(&env, "CCD_SOCKET"));
    let path = match named {
        Some(path) => absolute(&path)?,
        None => default_path(&env)?,
    };
    if path.as_os_str().len() > MAX_SOCKET_PATH_LEN {
        return Err(SocketPathError::TooLong { path });
    }
    Ok(path)
}

/// Returns the absolute path of the base folder: `$CCD_HOME`, else `~/.claude-control`.
/// The length is not limited.
pub fn base_path(env: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, SocketPathError> {
    if let Some(base) = set(&env, "CCD_HOME") {
        return absolute(&base);
    }
    let home = set(&env, "HOME").ok_or(SocketPathError::NoHome)?;
    absolute(&home.join(BASE_NAME))
}

fn default_path(env: &impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, SocketPathError> {
    // The specification of $XDG_RUNTIME_DIR says that a relative value is to be ignored.
    let runtime = set(env, "XDG_RUNTIME_DIR").filter(|path| path.is_absolute());
    match runtime {
        Some(runtime) if set(env, "CCD_HOME").is_none() => {
            Ok(runtime.join("ccd").join(SOCKET_NAME))
        }
        _ => Ok(base_path(env)?.join("run").join(SOCKET_NAME)),
    }
}

/// An empty variable counts as not set, as in a shell's `${NAME:-default}`.
fn set(env: &impl Fn(&str) -> Option<OsString>, name: &str) -> Option<PathBuf> {
    env(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

fn absolute(path: &Path) -> Result<PathBuf, SocketPathError> {
    std::path::absolute(path).map_err(|source| SocketPathError::NoWorkingFolder {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env<'a>(pairs: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<OsString> + 'a {
        |name| {
            let pair = pairs.iter().find(|(key, _)| *key == name)?;
            Some(pair.1.into())
        }
    }

    #[test]
    fn the_first_that_is_set_names_the_socket() {
        let all = [
            ("CCD_SOCKET", "/s/named.sock"),
            ("CCD_HOME", "/base"),
            ("XDG_RUNTIME_DIR", "/run/user/1"),
            ("HOME", "/home/me"),
        ];
        let path = |explicit, from: usize| socket_path(explicit, env(&all[from..])).unwrap();
        assert_eq!(path(Some("/x.sock"), 0), Path::new("/x.sock"));
        assert_eq!(path(None, 0), Path::new("/s/named.sock"));
        assert_eq!(path(None, 1), Path::new("/base/run/ccd.sock"));
        assert_eq!(path(None, 2), Path::new("/run/user/1/ccd/ccd.sock"));
        let home = Path::new("/home/me/.claude-control/run/ccd.sock");
        assert_eq!(path(None, 3), home);
    }

    #[test]
    fn empty_variables_and_a_relative_runtime_folder_are_passed_over() {
        let odd = [
            ("CCD_SOCKET", ""),
            ("CCD_HOME", ""),
            ("XDG_RUNTIME_DIR", "run"),
            ("HOME", "/h"),
        ];
        let path = socket_path(None, env(&odd)).unwrap();
        assert_eq!(path, Path::new("/h/.claude-control/run/ccd.sock"));
    }

    #[test]
    fn relative_paths_start_at_the_working_folder() {
        let here = std::env::current_dir().unwrap();
        let path = socket_path(Some("a.sock"), env(&[])).unwrap();
        assert_eq!(path, here.join("a.sock"));
        assert_eq!(
            base_path(env(&[("CCD_HOME", "b")])).unwrap(),
            here.join("b")
        );
    }

    #[test]
    fn a_path_that_no_socket_takes_is_an_error_that_says_so() {
        let longest = format!("/{}", "a".repeat(MAX_SOCKET_PATH_LEN - 1));
        assert!(socket_path(Some(&longest), env(&[])).is_ok());
        let longer = format!("{longest}a");
        let error = socket_path(Some(&longer), env(&[])).unwrap_err();
        assert!(error.to_string().contains("has 105 bytes"), "{error}");
    }

    #[test]
    fn without_a_home_the_error_names_what_to_set() {
        let error = socket_path(None, env(&[])).unwrap_err();
        assert!(matches!(error, SocketPathError::NoHome));
    }
}
