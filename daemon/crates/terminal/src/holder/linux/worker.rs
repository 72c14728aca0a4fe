//! Starts the worker's process.

use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStringExt;

use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::Pid;

use super::posix_spawn::Spawn;
use super::signals::asking_set;

/// The descriptor of a worker's port.
pub(crate) const PORT: i32 = 3;

/// Variables from the service manager that only concern the process that it started.
const OF_HOLDER_ALONE: [&str; 4] = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_PID"];

/// Starts the program in the file `build` as a worker with the port `port` and the arguments of this process. Signals that
/// are requests are blocked in it until [`hear_signals`](super::hear_signals).
pub(crate) fn start_worker(port: BorrowedFd<'_>, build: BorrowedFd<'_>) -> io::Result<Pid> {
    let c_string = |text: OsString| CString::new(text.into_vec()).map_err(io::Error::from);
    let argv: Vec<CString> = std::env::args_os()
        .map(c_string)
        .chain([Ok(c"--worker".into())])
        .collect::<io::Result<_>>()?;
    let env: Vec<CString> = std::env::vars_os()
        .filter(|(name, _)| !OF_HOLDER_ALONE.iter().any(|own| name == own))
        .map(|(mut name, value)| {
            name.push("=");
            name.push(value);
            c_string(name)
        })
        .collect::<io::Result<_>>()?;
    let mut spawn = Spawn::new(0, &asking_set())?;
    spawn.pass(port.as_raw_fd(), PORT)?;
    // With another number than the port has in the worker, which takes its place before the program is executed.
    let build = fcntl_dupfd_cloexec(build, PORT + 1)?;
    let program = c_string(format!("/proc/self/fd/{}", build.as_raw_fd()).into())?;
    spawn.start(&program, &argv, &env)
}
