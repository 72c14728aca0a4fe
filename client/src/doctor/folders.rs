//! Directories and the socket: whose they are, and who else may use them.

use super::places::Places;
use crate::call::{foreign_folder_above, where_else};
use crate::check::{Check, checks as found, shown};
use rustix::fs::{Access, access};
use serde_json::json;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

/// Bits of a mode that let others in, and those that let them change something.
pub(super) const OTHERS: u32 = 0o077;
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Where named pipes are, unless the configuration says something else. If it is not safe, the daemon uses another one.
const PIPES: &str = "/tmp/claudecontrol";

const OTHER_BASE: &str = "set CCD_HOME to a directory of yours";
const OTHER_COACH: &str = "set CCD_COACH_HOME to a directory of yours";

pub(super) fn checks(places: &Places) -> Vec<Check> {
    let of_socket = where_else(places.socket_is_named);
    // Others may look into a directory that the user named.
    let of_runtime = if places.socket_is_named {
        WRITABLE_BY_OTHERS
    } else {
        OTHERS
    };
    let folders = [
        ("base", places.base.as_deref(), OTHERS, OTHER_BASE),
        ("runtime", places.runtime(), of_runtime, of_socket),
        ("coach", places.coach.as_deref(), OTHERS, OTHER_COACH),
    ];
    // Without a usable path, the check of the daemon says why.
    let socket = places.socket.as_ref().ok();
    let socket = socket.map(|path| judged("socket", path, socket_at(path, of_socket)));
    let folders = folders
        .into_iter()
        .map(|(name, path, closed, advice)| match path {
            Some(path) => judged(name, path, directory(path, closed, advice)),
            None if name == "base" => found(name, json!({})),
            None => Vec::new(),
        });
    let mut checks: Vec<Check> = socket.into_iter().chain(folders).flatten().collect();
    checks.extend(pipes(Path::new(PIPES)));
    checks
}

fn judged(name: &str, path: &Path, state: Result<bool, String>) -> Vec<Check> {
    let facts = json!({"path": shown(path), "exists": state == Ok(true), "problem": state.err()});
    let found = found("place", facts).into_iter();
    found.map(|check| check.named(name)).collect()
}

/// The directory of pipes, if others could use it.
fn pipes(path: &Path) -> Vec<Check> {
    let problem = directory(path, OTHERS, "choose another directory").err();
    found("pipes", json!({"path": shown(path), "problem": problem}))
}

/// Whether there is a socket that is this user's alone, or what is wrong with it; `advice` says what to do about a directory of
/// another user.
fn socket_at(path: &Path, advice: &str) -> Result<bool, String> {
    match looked_at(path, fs::symlink_metadata(path), advice)? {
        None => Ok(false),
        Some(there) if !there.file_type().is_socket() => {
            Err("not a socket; move it away".to_owned())
        }
        Some(there) => mode_problem(&there, OTHERS).map_or(Ok(true), Err),
    }
}

/// Whether there is a directory that is this user's, and whose mode has none of the bits `closed`, or what is wrong with it.
fn directory(path: &Path, closed: u32, advice: &str) -> Result<bool, String> {
    let Some(there) = looked_at(path, fs::metadata(path), advice)? else {
        return Ok(false);
    };
    if !there.is_dir() {
        return Err("not a directory; move it away".to_owned());
    }
    if path.is_symlink() {
        let why = "a symbolic link, which the daemon refuses; name the directory itself";
        return Err(why.to_owned());
    }
    let is_ours = there.uid() == rustix::process::geteuid().as_raw();
    match (
        access(path, Access::WRITE_OK | Access::EXEC_OK),
        mode_problem(&there, closed),
    ) {
        (_, Some(problem)) if !is_ours => Err(format!("{problem}; {advice}")),
        (Err(error), _) => Err(format!("{error}; run chmod u+rwx on it")),
        (_, problem) => problem.map_or(Ok(true), Err),
    }
}

fn looked_at(
    path: &Path,
    found: io::Result<Metadata>,
    advice: &str,
) -> Result<Option<Metadata>, String> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(match foreign_folder_above(path) {
            Some(folder) => format!("{folder}; {advice}"),
            None => error.to_string(),
        }),
        Ok(there) => Ok(Some(there)),
    }
}

/// What is wrong with something, unless it is this user's and its mode has none of the bits `closed`.
pub(super) fn mode_problem(there: &Metadata, closed: u32) -> Option<String> {
    let (owner, us) = (there.uid(), rustix::process::geteuid().as_raw());
    let mode = there.mode() & 0o7777;
    if owner != us {
        return Some(format!("belongs to user {owner}, not to user {us}"));
    }
    let text = format!("others may use it (mode {mode:04o}); run chmod go-rwx on it");
    (mode & closed != 0).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::CheckState;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_socket_is_one_or_not_there_yet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let state = || socket_at(&path, "");
        assert_eq!(state(), Ok(false));
        fs::write(&path, "").unwrap();
        assert!(state().unwrap_err().starts_with("not a socket"));
        fs::remove_file(&path).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        for (mode, is_good) in [(0o600, true), (0o666, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(state().is_ok(), is_good, "{mode:o}");
        }
    }

    #[test]
    fn a_directory_must_be_the_users_alone_but_others_may_look_into_one_that_was_named() {
        let folder = tempfile::tempdir().unwrap();
        for (mode, is_named, expected) in [
            (0o700, false, CheckState::Ok),
            (0o755, true, CheckState::Ok),
            (0o755, false, CheckState::Wrong),
            (0o777, true, CheckState::Wrong),
            (0o1777, true, CheckState::Wrong),
        ] {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
            let checks = checks(&Places {
                socket: Ok(folder.path().join("s")),
                base: None,
                coach: None,
                tapes: None,
                socket_is_named: is_named,
            });
            let runtime = checks.iter().find(|check| check.name == "runtime").unwrap();
            assert_eq!(runtime.state, expected, "{mode:o}");
        }
        assert_eq!(pipes(folder.path())[0].state, CheckState::Warning);
        assert!(directory(Path::new("/dev/null"), OTHERS, "").is_err());
    }
}
