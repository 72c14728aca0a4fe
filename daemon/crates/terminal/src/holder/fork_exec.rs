//! fork and exec, for a program that leads a session on its own terminal.
//! `posix_spawn` is cheaper, but sets no limits, and not every system is known to make the terminal the controlling one then.

use std::ffi::{CStr, CString, OsStr, c_char};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::{BorrowedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr;

use rustix::fs::OFlags;
use rustix::process::{Pid, ioctl_tiocsctty, setsid};

use super::descriptors::DescriptorLimits;
use crate::process_settings::ProcessSettings;

/// A program to be started on a terminal.
pub(super) struct ExecStart<'a> {
    pub(super) program: &'a CStr,
    pub(super) argv: &'a [CString],
    pub(super) env: &'a [CString],
    pub(super) cwd: &'a CStr,
    /// The path of the terminal.
    pub(super) tty: &'a CStr,
    pub(super) settings: &'a ProcessSettings,
    /// What the daemon has changed for itself.
    pub(super) limits: &'a DescriptorLimits,
}

/// How many descriptors the other threads may open between the count and the fork.
const SPARE_DESCRIPTORS: RawFd = 256;

/// Starts a program as the leader of a new session, with its terminal as its controlling terminal, standard input, output and
/// error. It inherits no other descriptor, its settings, no blocked signals, and every signal at its default.
pub(super) fn on_terminal(start: &ExecStart<'_>) -> io::Result<Pid> {
    let path = |string: &CStr| OsStr::from_bytes(string.to_bytes()).to_owned();
    let tty = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(OFlags::NOCTTY.bits() as i32)
        .open(path(start.tty))?;
    let image = ExecImage {
        program: start.program.to_owned(),
        argv: Strings::new(start.argv),
        env: Strings::new(start.env),
        limits: start.limits.clone(),
        settings: start.settings.clone(),
        last_descriptor: highest_descriptor()? + SPARE_DESCRIPTORS,
    };
    let mut command = Command::new(path(start.program));
    command
        .current_dir(path(start.cwd))
        .stdin(tty.try_clone()?)
        .stdout(tty.try_clone()?)
        .stderr(tty);
    // SAFETY: `become_program` does not allocate, takes no lock, and only calls what POSIX allows after a fork, and
    // setrlimit and ioctl, which are plain system calls.
    unsafe { command.pre_exec(move || Err(image.become_program())) };
    let child = command.spawn()?;
    Pid::from_raw(child.id().cast_signed())
        .ok_or_else(|| io::Error::other("fork returned no process"))
}

fn highest_descriptor() -> io::Result<RawFd> {
    let numbers = std::fs::read_dir("/dev/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    Ok(numbers.max().unwrap_or(0))
}

/// Everything that the child needs, prepared before the fork.
struct ExecImage {
    program: CString,
    argv: Strings,
    env: Strings,
    limits: DescriptorLimits,
    settings: ProcessSettings,
    last_descriptor: RawFd,
}

impl ExecImage {
    /// Turns the child, whose standard descriptors are the terminal, into the program. Returns only if that fails, with
    /// the reason.
    /// It does not return to [`Command`], whose exec would run a file without `#!` in a shell.
    fn become_program(&self) -> io::Error {
        if let Err(error) = lead_session() {
            return error;
        }
        self.limits.restore_here();
        self.settings.apply();
        close_on_exec(self.last_descriptor);
        // SAFETY: the path and the strings of both arrays are owned by `self`, and both arrays end with a null pointer.
        unsafe {
            libc::execve(
                self.program.as_ptr(),
                self.argv.pointers.as_ptr(),
                self.env.pointers.as_ptr(),
            )
        };
        io::Error::last_os_error()
    }
}

fn lead_session() -> io::Result<()> {
    setsid()?;
    // SAFETY: `Command` has put the terminal there.
    let terminal = unsafe { BorrowedFd::borrow_raw(libc::STDIN_FILENO) };
    Ok(ioctl_tiocsctty(terminal)?)
}

/// Closes all descriptors on exec: other threads may have opened some that are not set to be closed yet.
fn close_on_exec(last: RawFd) {
    for descriptor in libc::STDERR_FILENO + 1..=last {
        // SAFETY: this changes a flag of a descriptor; it fails for one that is not open.
        unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}

/// An array of strings in the form that exec needs.
struct Strings {
    /// Pointers into `_owned`; the last is null.
    pointers: Vec<*const c_char>,
    _owned: Vec<CString>,
}

// SAFETY: the pointers are into strings that move with them and are never changed.
unsafe impl Send for Strings {}
// SAFETY: as for `Send`.
unsafe impl Sync for Strings {}

impl Strings {
    fn new(strings: &[CString]) -> Self {
        let owned = strings.to_vec();
        let pointers = owned.iter().map(|string| string.as_ptr());
        Self {
            pointers: pointers.chain([ptr::null()]).collect(),
            _owned: owned,
        }
    }
}
