//! Opens a terminal and starts a program on it.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use pty_process::blocking::Pts;
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use rustix::termios::{InputModes, LocalModes, OptionalActions, OutputModes, tcgetattr, tcsetattr};

use super::descriptors::DescriptorLimits;
use super::error::SpawnError;
use super::fork_exec::ExecStart;
use super::link::wire::SpawnSpec;
use super::platform::{on_terminal, report_flushes};

/// A program that runs on a new terminal.
#[derive(Debug)]
pub(super) struct Launched {
    /// The terminal, non-blocking and closed on exec.
    pub(super) master: OwnedFd,
    pub(super) pid: Pid,
    pub(super) tty_device: u64,
}

/// Starts a program on a new terminal. On an error, nothing remains.
pub(super) fn launch(spec: &SpawnSpec, limits: &DescriptorLimits) -> Result<Launched, SpawnError> {
    check_directory(&spec.cwd)?;
    // The slave is held open until the child has opened it, so that the master never sees a terminal that every process has
    // closed.
    let (master, slave) = open_terminal(spec).map_err(terminal_error)?;
    let stat = rustix::fs::fstat(&slave).map_err(|error| terminal_error(error.into()))?;
    let pid = start(spec, &master, limits).map_err(|error| start_error(spec, error))?;
    Ok(Launched {
        master,
        pid,
        #[allow(clippy::unnecessary_cast, reason = "it is an i32 on macOS")]
        tty_device: stat.st_rdev as u64,
    })
}

/// Kills a program that nobody watches. It cannot ignore KILL, so the wait is short.
pub(super) fn abandon(pid: Pid) {
    let _ = kill_process(pid, Signal::KILL);
    let _ = waitpid(Some(pid), WaitOptions::empty());
}

fn open_terminal(spec: &SpawnSpec) -> io::Result<(OwnedFd, Pts)> {
    let (pty, pts) = pty_process::blocking::open().map_err(into_io)?;
    pty.resize(pty_process::Size::new(spec.rows, spec.cols))
        .map_err(into_io)?;
    if spec.plain || !spec.echo {
        let mut modes = tcgetattr(&pts)?;
        modes.local_modes.set(LocalModes::ECHO, spec.echo);
        if spec.plain {
            // The kernel obeys a quoted ^S while the program does not read, and stops the output.
            modes.input_modes.remove(InputModes::IXON);
            modes.output_modes.remove(OutputModes::OPOST);
        }
        tcsetattr(&pts, OptionalActions::Now, &modes)?;
    }
    let master = OwnedFd::from(pty);
    let flags = rustix::fs::fcntl_getfl(&master)?;
    rustix::fs::fcntl_setfl(&master, flags | OFlags::NONBLOCK)?;
    report_flushes(&master)?;
    Ok((master, pts))
}

fn start(spec: &SpawnSpec, master: &OwnedFd, limits: &DescriptorLimits) -> io::Result<Pid> {
    let program = path_string(&spec.program)?;
    let cwd = path_string(&spec.cwd)?;
    let start = ExecStart {
        program: &program,
        argv: &spec.argv,
        env: &spec.env,
        cwd: &cwd,
        tty: &rustix::pty::ptsname(master, Vec::new())?,
        settings: &spec.settings,
        limits,
    };
    on_terminal(&start)
}

fn path_string(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| Errno::INVAL.into())
}

fn check_directory(cwd: &Path) -> Result<(), SpawnError> {
    let failed = |source: io::Error| SpawnError::Directory {
        cwd: cwd.to_owned(),
        source: source.into(),
    };
    let metadata = std::fs::metadata(cwd).map_err(failed)?;
    if !metadata.is_dir() {
        return Err(failed(Errno::NOTDIR.into()));
    }
    rustix::fs::access(cwd, rustix::fs::Access::EXEC_OK).map_err(|error| failed(error.into()))
}

fn into_io(error: pty_process::Error) -> io::Error {
    // Not a match, because the other variants depend on the crate's features.
    if let pty_process::Error::Rustix(error) = error {
        return error.into();
    }
    if let pty_process::Error::Io(error) = error {
        return error;
    }
    io::Error::other(error)
}

fn terminal_error(error: io::Error) -> SpawnError {
    if Errno::from_io_error(&error) == Some(Errno::NOSPC) {
        return SpawnError::NoTerminal {
            limit: terminal_limit(),
        };
    }
    SpawnError::from_exhaustion(&error).unwrap_or_else(|| SpawnError::Terminal(error.into()))
}

fn terminal_limit() -> String {
    let limit = std::fs::read_to_string("/proc/sys/kernel/pty/max");
    limit.map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned())
}

/// Distinguishes the errors of exec. The directory existed a moment ago, so an error is attributed to the program
/// unless the directory is missing now.
fn start_error(spec: &SpawnSpec, source: io::Error) -> SpawnError {
    if let Err(error) = check_directory(&spec.cwd) {
        return error;
    }
    if let Some(error) = SpawnError::from_exhaustion(&source) {
        return error;
    }
    let path = spec.program.clone();
    match Errno::from_io_error(&source) {
        Some(Errno::NOENT) if has_interpreter_line(&path) => SpawnError::NoInterpreter { path },
        Some(Errno::NOENT | Errno::NOTDIR) => SpawnError::NoSuchFile { path },
        Some(Errno::ACCESS) if path.is_dir() => SpawnError::IsDirectory { path },
        Some(Errno::ACCESS) => SpawnError::NotExecutable { path },
        Some(Errno::NOEXEC) => SpawnError::Format { path },
        Some(Errno::TOOBIG) => SpawnError::TooLong,
        _ => SpawnError::Start {
            path,
            source: source.into(),
        },
    }
}

fn has_interpreter_line(path: &Path) -> bool {
    let mut start = [0; 2];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut start))
        .is_ok()
        && start == *b"#!"
}
