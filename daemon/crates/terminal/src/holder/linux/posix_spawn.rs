//! `posix_spawn` of the C library, for a program that leads a session on its own terminal.
//! Its cost does not depend on the memory of the daemon, and it reports at once if the program cannot be run. The child
//! becomes a session leader and then opens the terminal by its path, which makes it its controlling terminal.

use std::ffi::{CStr, CString, c_char, c_int};
use std::io;
use std::mem::MaybeUninit;
use std::ptr;

use rustix::process::Pid;

use super::signals::{check, set_of};
use crate::holder::fork_exec;
use crate::holder::launch::Start;
use crate::holder::umask::masked;
use ccd_protocol::Resource;

/// Starts a program as the leader of a new session, with its terminal as its controlling terminal, standard input, output and
/// error. It inherits only descriptors that are not closed on exec, its settings, no blocked signals, and every signal at its
/// default.
pub(in crate::holder) fn on_terminal(start: &Start<'_>) -> io::Result<Pid> {
    let nofile = |resource| (resource == Resource::Nofile).then_some(start.limits.original());
    if start.settings.changes_limits(nofile) {
        // posix_spawn cannot set limits, and afterwards the program runs already.
        return fork_exec::on_terminal(start);
    }
    let attributes = Attributes::session_leader()?;
    let actions = FileActions::new(start.cwd, start.tty)?;
    let spawned = masked(start.settings.umask, || {
        spawn(start.program, start.argv, start.env, &attributes, &actions)
    });
    let pid = spawned?;
    start.limits.restore_in(pid);
    Ok(pid)
}

pub(super) fn spawn(
    program: &CStr,
    argv: &[CString],
    env: &[CString],
    attributes: &Attributes,
    actions: &FileActions,
) -> io::Result<Pid> {
    let (argv, env) = (null_terminated(argv), null_terminated(env));
    let mut pid = 0;
    // SAFETY: all pointers are valid for the call, and both arrays end with a null pointer.
    check(unsafe {
        libc::posix_spawn(
            &raw mut pid,
            program.as_ptr(),
            &raw const actions.0,
            &raw const attributes.0,
            argv.as_ptr(),
            env.as_ptr(),
        )
    })?;
    Pid::from_raw(pid).ok_or_else(|| io::Error::other("posix_spawn returned no process"))
}

pub(super) struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    fn session_leader() -> io::Result<Self> {
        Self::new(libc::POSIX_SPAWN_SETSID as c_int, &set_of(&[]))
    }

    /// Returns attributes with these signals blocked and all signals at their defaults.
    pub(super) fn blocking(signals: &libc::sigset_t) -> io::Result<Self> {
        Self::new(0, signals)
    }

    fn new(more: c_int, blocked: &libc::sigset_t) -> io::Result<Self> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: init initialises the attributes, or fails and they are not used.
        let mut attributes = unsafe {
            check(libc::posix_spawnattr_init(attributes.as_mut_ptr()))?;
            Self(attributes.assume_init())
        };
        let flags =
            more | libc::POSIX_SPAWN_SETSIGMASK as c_int | libc::POSIX_SPAWN_SETSIGDEF as c_int;
        // sigfillset leaves out two signals of the C library, which it would then have the child ignore.
        let mut all = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: a set is bits alone; the attributes are initialised.
        unsafe {
            all.as_mut_ptr().write_bytes(0xff, 1);
            check(libc::posix_spawnattr_setsigdefault(
                &raw mut attributes.0,
                all.as_ptr(),
            ))?;
            check(libc::posix_spawnattr_setsigmask(
                &raw mut attributes.0,
                blocked,
            ))?;
            check(libc::posix_spawnattr_setflags(
                &raw mut attributes.0,
                flags as _,
            ))?;
        }
        Ok(attributes)
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised, and destroyed once.
        unsafe { libc::posix_spawnattr_destroy(&raw mut self.0) };
    }
}

pub(super) struct FileActions(libc::posix_spawn_file_actions_t);

impl FileActions {
    /// Passes our descriptor `from` to the child as `to`.
    pub(super) fn passing(from: c_int, to: c_int) -> io::Result<Self> {
        let mut actions = Self::none()?;
        // SAFETY: the actions are initialised. If both numbers are equal, the C library clears the close-on-exec flag.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(&raw mut actions.0, from, to) })?;
        Ok(actions)
    }

    fn none() -> io::Result<Self> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: init initialises the actions, or fails and they are not used.
        unsafe {
            check(libc::posix_spawn_file_actions_init(actions.as_mut_ptr()))?;
            Ok(Self(actions.assume_init()))
        }
    }

    fn new(cwd: &CStr, tty: &CStr) -> io::Result<Self> {
        let mut actions = Self::none()?;
        let actions_pointer = &raw mut actions.0;
        // SAFETY: the actions are initialised; the C library copies the paths.
        unsafe {
            check(libc::posix_spawn_file_actions_addopen(
                actions_pointer,
                0,
                tty.as_ptr(),
                libc::O_RDWR,
                0,
            ))?;
            check(libc::posix_spawn_file_actions_adddup2(
                actions_pointer,
                0,
                1,
            ))?;
            check(libc::posix_spawn_file_actions_adddup2(
                actions_pointer,
                0,
                2,
            ))?;
            check(libc::posix_spawn_file_actions_addchdir_np(
                actions_pointer,
                cwd.as_ptr(),
            ))?;
        }
        Ok(actions)
    }
}

impl Drop for FileActions {
    fn drop(&mut self) {
        // SAFETY: initialised, and destroyed once.
        unsafe { libc::posix_spawn_file_actions_destroy(&raw mut self.0) };
    }
}

fn null_terminated(strings: &[CString]) -> Vec<*mut c_char> {
    strings
        .iter()
        .map(|string| string.as_ptr().cast_mut())
        .chain([ptr::null_mut()])
        .collect()
}
