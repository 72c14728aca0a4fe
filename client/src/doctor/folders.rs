//! Directories and the socket: whose they are, and who else may use them.

use super::places::Places;
use crate::call::{ForeignFolder, where_else};
use crate::check::{Check, CheckState};
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

/// Bits of a mode that let others in, and those that let them change something.
const OTHERS: u32 = 0o077;
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Where named pipes are, unless the configuration says something else. If it is not safe, the daemon uses another one.
const PIPES: &str = "/tmp/claudecontrol";

const NO_PIPES: &str = "pipes are made in another directory";

const OTHER_BASE: &str = "set CCD_HOME to a directory of yours";
const OTHER_COACH: &str = "set CCD_COACH_HOME to a directory of yours";

pub(super) fn checks(places: &Places) -> Vec<Check> {
    let mut checks = Vec::from_iter(socket(places).map(|check| check.of("socket")));
    checks.push(match &places.base {
        Some(base) => directory(base, OTHER_BASE).of("base"),
        None => Check::wrong("the home directory is unknown: set $HOME or $CCD_HOME").of("base"),
    });
    if let Some(runtime) = places.runtime() {
        let advice = where_else(places.socket_is_named);
        let check = if places.socket_is_named {
            named_directory(runtime, advice)
        } else {
            directory(runtime, advice)
        };
        checks.push(check.of("runtime"));
    }
    let coach = places.coach.as_deref();
    checks.extend(coach.map(|coach| directory(coach, OTHER_COACH).of("coach")));
    checks.extend(pipes(Path::new(PIPES)));
    checks
}

/// The directory of pipes, if others could use it.
fn pipes(path: &Path) -> Option<Check> {
    let found = fs::symlink_metadata(path)
        .is_ok()
        .then(|| directory(path, NO_PIPES))?;
    let text = if found.text.ends_with(NO_PIPES) {
        found.text
    } else {
        format!("{}; until then, {NO_PIPES}", found.text)
    };
    (found.state != CheckState::Ok).then(|| Check::warning(text).of("pipes"))
}

/// A directory that the user named: others may look into it.
fn named_directory(path: &Path, advice: &str) -> Check {
    let found = directory(path, advice);
    let mode = fs::metadata(path).map_or(0, |there| there.mode());
    match found.state {
        CheckState::Wrong if mode & OTHERS != 0 && mode & WRITABLE_BY_OTHERS == 0 => {
            Check::ok(path.display().to_string())
        }
        _ => found,
    }
}

/// The socket: it must be one, and the user's alone. Without a usable path, the check of the daemon says why.
fn socket(places: &Places) -> Option<Check> {
    let path = places.socket.as_ref().ok()?;
    let shown = path.display();
    Some(match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Check::ok(format!("{shown}: none yet"))
        }
        Err(error) => closed(path, &error, where_else(places.socket_is_named)),
        Ok(there) if !there.file_type().is_socket() => {
            Check::wrong(format!("{shown}: not a socket; move it away"))
        }
        Ok(there) => of_mode(path, &there),
    })
}

/// `advice` says what to do if it belongs to another user.
fn directory(path: &Path, advice: &str) -> Check {
    let shown = path.display();
    match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Check::ok(format!("{shown}: none yet"))
        }
        Err(error) => closed(path, &error, advice),
        Ok(there) if !there.is_dir() => {
            Check::wrong(format!("{shown}: not a directory; move it away"))
        }
        Ok(_) if path.is_symlink() => Check::wrong(format!(
            "{shown}: a symbolic link, which the daemon refuses; name the directory itself"
        )),
        Ok(there) => {
            use rustix::fs::{Access, access};
            let us = rustix::process::geteuid().as_raw();
            match access(path, Access::WRITE_OK | Access::EXEC_OK) {
                _ if there.uid() != us => {
                    let found = of_mode(path, &there);
                    Check::wrong(format!("{}; {advice}", found.text))
                }
                Err(error) => Check::wrong(format!("{shown}: {error}; run chmod u+rwx on it")),
                Ok(()) => of_mode(path, &there),
            }
        }
    }
}

fn closed(path: &Path, error: &std::io::Error, advice: &str) -> Check {
    let shown = path.display();
    let text = match ForeignFolder::above(path) {
        Some(folder) => format!("{shown}: {folder}; {advice}"),
        None => format!("{shown}: {error}"),
    };
    Check::wrong(text)
}

/// Checks that something is this user's, and nobody else may use it.
pub(super) fn of_mode(path: &Path, there: &fs::Metadata) -> Check {
    let shown = path.display();
    let (owner, us) = (there.uid(), rustix::process::geteuid().as_raw());
    let mode = there.mode() & 0o7777;
    if owner != us {
        return Check::wrong(format!(
            "{shown}: belongs to user {owner}, not to user {us}"
        ));
    }
    if mode & OTHERS != 0 {
        let text = format!("{shown}: others may use it (mode {mode:04o}); run chmod go-rwx on it");
        return Check::wrong(text);
    }
    Check::ok(shown.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_directory_must_be_the_users_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("base");
        assert_eq!(directory(&path, OTHER_BASE).state, CheckState::Ok);
        for (mode, state) in [
            (0o700, CheckState::Ok),
            (0o750, CheckState::Wrong),
            (0o1777, CheckState::Wrong),
        ] {
            fs::create_dir_all(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let found = directory(&path, OTHER_BASE);
            assert_eq!(found.state, state, "{mode:o}");
        }
        let no_directory = directory(Path::new("/dev/null"), OTHER_BASE);
        assert_eq!(no_directory.state, CheckState::Wrong);
    }

    fn at(socket: &Path, socket_is_named: bool) -> Places {
        Places {
            socket: Ok(socket.to_owned()),
            base: None,
            coach: None,
            tapes: None,
            socket_is_named,
        }
    }

    #[test]
    fn a_socket_is_one_or_not_there_yet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let state = || socket(&at(&path, true)).unwrap().state;
        assert_eq!(state(), CheckState::Ok);
        fs::write(&path, "").unwrap();
        assert_eq!(state(), CheckState::Wrong);
        fs::remove_file(&path).unwrap();
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        for (mode, expected) in [(0o600, CheckState::Ok), (0o666, CheckState::Wrong)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(state(), expected, "{mode:o}");
        }
    }

    #[test]
    fn others_may_look_into_a_directory_that_the_user_named() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("s");
        for (mode, is_named, expected) in [
            (0o755, true, CheckState::Ok),
            (0o755, false, CheckState::Wrong),
            (0o777, true, CheckState::Wrong),
        ] {
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
            let checks = checks(&at(&socket, is_named));
            let runtime = checks.iter().find(|check| check.name == "runtime").unwrap();
            assert_eq!(runtime.state, expected, "{mode:o}");
        }
        let pipes = pipes(folder.path()).unwrap();
        assert_eq!(pipes.state, CheckState::Warning);
    }
}
