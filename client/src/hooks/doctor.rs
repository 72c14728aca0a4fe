//! `ccctl doctor`: the daemon, its directories, Claude Code and the hooks.

use super::check::{self, Check, all_good};
use super::claude::Claude;
use super::file::user_folder;
use super::status::checks as hook_checks;
use super::survey::Survey;
use crate::{Context, Exit, Failure};
use ccd_protocol::socket::socket_path;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

/// Bits of a mode that let others in.
const OTHERS: u32 = 0o077;

/// Prints one line for each check; the exit status is 1 if something is wrong.
///
/// # Errors
///
/// [`Failure::Output`].
pub(crate) fn doctor(context: &mut Context) -> Result<Exit, Failure> {
    let survey = Survey::take(context);
    let mut checks = vec![
        survey.daemon.check(),
        socket(context.global.socket.as_deref()),
    ];
    checks.push(match &survey.base {
        Some(base) => directory("base", base),
        None => Check::wrong(
            "base",
            "the home directory is unknown: set $HOME or $CCD_HOME",
        ),
    });
    checks.push(claude());
    checks.extend(hook_checks(&survey));
    let is_good = all_good(&checks);
    if context.global.json {
        context.write_json(&serde_json::json!({"ok": is_good, "checks": checks}))?;
    } else {
        let style = context.style;
        context.render(|out| check::write(&checks, out, style))?;
    }
    Ok(Exit::of_success(is_good))
}

/// The socket, if there is one: it must be one, and the user's alone.
fn socket(given: Option<&str>) -> Check {
    let name = "socket";
    let path = match socket_path(given, |name| std::env::var_os(name)) {
        Ok(path) => path,
        Err(error) => return Check::wrong(name, error.to_string()),
    };
    let shown = path.display();
    match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Check::good(name, format!("{shown}: none yet"))
        }
        Err(error) => Check::wrong(name, format!("{shown}: {error}")),
        Ok(there) if !there.file_type().is_socket() => {
            Check::wrong(name, format!("{shown}: not a socket; move it away"))
        }
        Ok(there) => of_mode(name, &path, &there),
    }
}

fn directory(name: &str, path: &Path) -> Check {
    let shown = path.display();
    match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Check::good(name, format!("{shown}: none yet"))
        }
        Err(error) => Check::wrong(name, format!("{shown}: {error}")),
        Ok(there) if !there.is_dir() => {
            Check::wrong(name, format!("{shown}: not a directory; move it away"))
        }
        Ok(there) => {
            use rustix::fs::{Access, access};
            match access(path, Access::WRITE_OK | Access::EXEC_OK) {
                Err(error) => {
                    Check::wrong(name, format!("{shown}: {error}; run chmod u+rwx on it"))
                }
                Ok(()) => of_mode(name, path, &there),
            }
        }
    }
}

fn of_mode(name: &str, path: &Path, there: &fs::Metadata) -> Check {
    let shown = path.display();
    let (owner, us) = (there.uid(), rustix::process::geteuid().as_raw());
    let mode = there.mode() & 0o7777;
    if owner != us {
        return Check::wrong(
            name,
            format!("{shown}: belongs to user {owner}, not to user {us}"),
        );
    }
    if mode & OTHERS != 0 {
        let text = format!("{shown}: others may use it (mode {mode:04o}); run chmod go-rwx on it");
        return Check::wrong(name, text);
    }
    Check::good(name, shown.to_string())
}

fn claude() -> Check {
    let name = "claude";
    let Some(claude) = Claude::find() else {
        return Check::note(name, "not on PATH; hooks are of use with Claude Code only");
    };
    let path = claude.path.display();
    let version = match &claude.version {
        Some(version) => format!("version {version}"),
        None => "version unknown; claude --version prints it".to_owned(),
    };
    let settings = user_folder().map(|folder| folder.display().to_string());
    let settings = settings.unwrap_or_else(|| "unknown".to_owned());
    Check::good(name, format!("{path}, {version}, settings in {settings}"))
}

#[cfg(test)]
mod tests {
    use super::super::check::State;
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_directory_must_be_the_users_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("base");
        assert_eq!(directory("base", &path).state, State::Good);
        for (mode, state) in [
            (0o700, State::Good),
            (0o750, State::Wrong),
            (0o1777, State::Wrong),
        ] {
            fs::create_dir_all(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(directory("base", &path).state, state, "{mode:o}");
        }
        assert_eq!(
            directory("base", Path::new("/dev/null")).state,
            State::Wrong
        );
    }

    #[test]
    fn a_socket_is_one_or_not_there_yet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let state = || socket(path.to_str()).state;
        assert_eq!(state(), State::Good);
        fs::write(&path, "").unwrap();
        assert_eq!(state(), State::Wrong);
        assert_eq!(socket(Some(&"/x".repeat(99))).state, State::Wrong);
    }
}
