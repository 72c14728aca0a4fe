//! Starts the worker's process.

use std::ffi::{CStr, CString, OsString};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStringExt;

use rustix::process::Pid;

use super::posix_spawn::{Attributes, FileActions, spawn};
use super::signals::asking_set;

/// The descriptor of a worker's port.
pub(in crate::holder) const PORT: i32 = 3;

/// Variables from the service manager that only concern the process that it started.
const OF_HOLDER_ALONE: [&str; 4] = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_PID"];

/// Starts `program` as a worker with the port `port` and the arguments of this process. Signals that are requests are
/// blocked in it until [`hear_signals`](super::hear_signals).
pub(in crate::holder) fn start_worker(port: BorrowedFd<'_>, program: &CStr) -> io::Result<Pid> {
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
    let attributes = Attributes::blocking(&asking_set())?;
    let actions = FileActions::passing(port.as_raw_fd(), PORT)?;
    spawn(program, &argv, &env, &attributes, &actions)
}
