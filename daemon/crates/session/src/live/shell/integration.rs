//! Integrated shells: the user's own start files, then those of ccd, which print prompt marks (OSC 133).

use ccd_base::whole_file::{self, Durability};
use ccd_store::own_file;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::kind::ShellKind;

const BASH_RC: &str = include_str!("rc/ccd.bash");
const ZSH_ENV: &str = include_str!("rc/ccd.zshenv");
const FISH_RC: &str = include_str!("rc/ccd.fish");
const POSIX_ENV: &str = include_str!("rc/ccd.env.sh");

/// The variable with the directory where the line editor finds commands. The start files remove it.
const COMMAND_DIR: &str = "CCD_SHELL_DIR";

/// The variable with the kind of shell that the directory is for.
const COMMAND_SHELL: &str = "CCD_SHELL_KIND";

/// Options with which a shell still reads its start files.
const PLAIN_OPTIONS: [&str; 4] = ["-i", "-l", "-il", "-li"];

/// How to start a shell so that it reads ccd's file after the user's own.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Integration {
    pub args: Vec<OsString>,
    /// Variables to set in addition to the caller's.
    pub env: Vec<(OsString, OsString)>,
}

/// Returns how to start `shell` with `args` and the environment `env`. Writes its start files to `rc_dir`, which is
/// created with mode 0700. The files are the same for all sessions. The line editors of bash, zsh and fish take commands
/// from `command_dir`.
/// An unknown shell, and arguments that change what a shell reads at its start, are passed on unchanged. The files
/// print nothing themselves and remove their own variables.
pub(crate) fn integrated(
    shell: &Path,
    args: &[OsString],
    env: impl Fn(&str) -> Option<OsString>,
    rc_dir: &Path,
    command_dir: &Path,
) -> io::Result<Integration> {
    let kind = ShellKind::from_program(shell, args).filter(|_| reads_start_files(shell, args));
    let mut integration = match kind {
        Some(ShellKind::Bash) => bash(args, rc_dir)?,
        Some(ShellKind::Zsh) => zsh(args, env("ZDOTDIR"), rc_dir)?,
        Some(ShellKind::Fish) => fish(args, rc_dir)?,
        Some(ShellKind::Posix | ShellKind::Ksh | ShellKind::Mksh) => {
            return posix(args, env("ENV"), rc_dir);
        }
        Some(ShellKind::Yash) | None => return Ok(started_plain(args)),
    };
    let dir = (COMMAND_DIR.into(), command_dir.into());
    let kind = kind.map(|kind| (COMMAND_SHELL.into(), format!("{kind:?}").into()));
    integration.env.extend([dir].into_iter().chain(kind));
    Ok(integration)
}

/// Returns whether `shell`, started with `args`, reads start files that ccd can add its own to.
pub(crate) fn reads_start_files(shell: &Path, args: &[OsString]) -> bool {
    match ShellKind::from_program(shell, args) {
        Some(ShellKind::Bash) => args.iter().all(|arg| is_login(arg) || arg == "-i"),
        Some(ShellKind::Zsh | ShellKind::Fish) => are_plain(args),
        Some(ShellKind::Posix | ShellKind::Ksh | ShellKind::Mksh) => may_read_env(shell, args),
        Some(ShellKind::Yash) | None => false,
    }
}

/// Returns whether the process `pid` is a shell that reads commands from a directory of ccd, and not one that has replaced
/// it: the shell that ccd started has the variable in its first environment, and passes it on to none.
#[cfg(target_os = "linux")]
pub(crate) fn is_integrated(pid: i32) -> bool {
    let Ok(env) = fs::read(format!("/proc/{pid}/environ")) else {
        return false;
    };
    let value = |name: &str| {
        let mut variables = env.split(|&byte| byte == 0);
        let start = [name.as_bytes(), b"="].concat();
        variables.find_map(|variable| variable.strip_prefix(&start[..]))
    };
    // A file of fish's may start another shell before it comes to ccd's. Older builds did not name the shell.
    let is_other = value(COMMAND_SHELL).is_some_and(|name| {
        let kind = ShellKind::from_process(pid, None);
        kind.is_some_and(|kind| format!("{kind:?}").as_bytes() != name)
    });
    value(COMMAND_DIR).is_some() && !is_other
}

/// Returns true, because the platform does not show it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_integrated(_pid: i32) -> bool {
    true
}

fn started_plain(args: &[OsString]) -> Integration {
    Integration {
        args: args.to_vec(),
        ..Integration::default()
    }
}

fn bash(args: &[OsString], rc_dir: &Path) -> io::Result<Integration> {
    let path = write_rc(rc_dir, "ccd.bash", BASH_RC)?;
    // A login shell does not read the --rcfile, so it is started as a normal one, and ccd's file reads the login files.
    let is_login = args.iter().any(is_login);
    let login = is_login.then(|| ("CCD_SHELL_LOGIN".into(), "1".into()));
    Ok(Integration {
        args: vec!["--rcfile".into(), path.into(), "-i".into()],
        env: login.into_iter().collect(),
    })
}

fn is_login(arg: &OsString) -> bool {
    ["-l", "-il", "-li", "--login"]
        .iter()
        .any(|login| arg == *login)
}

fn zsh(args: &[OsString], user_dir: Option<OsString>, rc_dir: &Path) -> io::Result<Integration> {
    let dir = rc_dir.join("zsh");
    write_rc(&dir, ".zshenv", ZSH_ENV)?;
    let user_dir = user_dir.map(|user_dir| ("CCD_ZDOTDIR".into(), user_dir));
    let env = [("ZDOTDIR".into(), dir.into())].into_iter().chain(user_dir);
    Ok(Integration {
        env: env.collect(),
        ..started_plain(args)
    })
}

fn fish(args: &[OsString], rc_dir: &Path) -> io::Result<Integration> {
    let path = write_rc(rc_dir, "ccd.fish", FISH_RC)?;
    let mut source = OsString::from("source ");
    source.push(ccd_base::shell::quoted(&path.to_string_lossy()));
    let args = [args, &["--init-command".into(), source]].concat();
    Ok(started_plain(&args))
}

fn posix(args: &[OsString], user_env: Option<OsString>, rc_dir: &Path) -> io::Result<Integration> {
    // Shells expand the value of ENV, so a path with these characters would be changed.
    if rc_dir
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .any(|byte| b"$`\\~".contains(byte))
    {
        return Ok(started_plain(args));
    }
    let path = write_rc(rc_dir, "ccd.env.sh", POSIX_ENV)?;
    let user_env = user_env.map(|user_env| ("CCD_ENV".into(), user_env));
    let env = [("ENV".into(), path.into())].into_iter().chain(user_env);
    Ok(Integration {
        env: env.collect(),
        ..started_plain(args)
    })
}

fn are_plain(args: &[OsString]) -> bool {
    args.iter()
        .all(|arg| PLAIN_OPTIONS.iter().any(|option| arg == *option))
}

fn may_read_env(shell: &Path, args: &[OsString]) -> bool {
    let is_busybox = shell.file_name() == Some(OsStr::new("busybox"));
    are_plain(if is_busybox {
        args.get(1..).unwrap_or_default()
    } else {
        args
    })
}

/// Writes `text` to `dir/name` unless the file has this content already. Replaces the file atomically, because another
/// session's shell may be reading it.
fn write_rc(dir: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    let path = dir.join(name);
    if own_file::content(&path, text.len() as u64).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(path);
    }
    match replace(dir, &path, text) {
        Ok(()) => Ok(path),
        Err(_) => Err(io::Error::other(format!(
            "could not write the shell start file {path:?}"
        ))),
    }
}

fn replace(dir: &Path, path: &Path, text: &str) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    whole_file::replace(path, text.as_bytes(), 0o600, Durability::Later)
}
