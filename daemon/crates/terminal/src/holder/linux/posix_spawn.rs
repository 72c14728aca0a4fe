//! `posix_spawn` of the C library, for a program that leads a session on its own terminal.
//! Its cost does not depend on the memory of the daemon, and it reports at once if the program cannot be run. The child
//! becomes a session leader and then opens the terminal by its path, which makes it its controlling terminal.

use std::ffi::{CStr, CString, c_char, c_int};
use std::io;
use std::mem::MaybeUninit;
use std::ptr;

use rustix::process::Pid;

use super::signals::{check, set_of};
use crate::holder::fork_exec::{self, ExecStart};
use crate::holder::umask::masked;
use ccd_protocol::Resource;

/// Starts a program as the leader of a new session, with its terminal as its controlling terminal, standard input, output and
/// error. It inherits only descriptors that are not closed on exec, its settings, no blocked signals, and every signal at its
/// default.
pub(crate) fn on_terminal(start: &ExecStart<'_>) -> io::Result<Pid> {
    let nofile = |resource| (resource == Resource::Nofile).then_some(start.limits.original());
    if start.settings.changes_limits(nofile) {
        // posix_spawn cannot set limits, and afterwards the program runs already.
        return fork_exec::on_terminal(start);
    }
    let leads_session = libc::POSIX_SPAWN_SETSID as c_int;
    let spawned = masked(start.settings.umask, || {
        let mut spawn = Spawn::new(leads_session, &set_of(&[]))?;
        // SAFETY: the actions are initialised; the C library copies the paths.
        unsafe {
            let actions = &raw mut spawn.actions;
            let tty = start.tty.as_ptr();
            check(libc::posix_spawn_file_actions_addopen(
                actions,
                0,
                tty,
                libc::O_RDWR,
                0,
            ))?;
            for to in [1, 2] {
                check(libc::posix_spawn_file_actions_adddup2(actions, 0, to))?;
            }
            let cwd = start.cwd.as_ptr();
            check(libc::posix_spawn_file_actions_addchdir_np(actions, cwd))?;
        }
        spawn.start(start.program, start.argv, start.env)
    });
    let pid = spawned?;
    start.limits.restore_in(pid);
    Ok(pid)
}

/// How a process is started.
pub(super) struct Spawn {
    attributes: libc::posix_spawnattr_t,
    actions: libc::posix_spawn_file_actions_t,
}

impl Spawn {
    /// Starts processes with these signals blocked and all signals at their defaults.
    pub(super) fn new(more_flags: c_int, blocked: &libc::sigset_t) -> io::Result<Self> {
        let mut attributes = MaybeUninit::uninit();
        let mut actions = MaybeUninit::uninit();
        // SAFETY: both are initialised, or it fails and they are not used.
        let mut spawn = unsafe {
            check(libc::posix_spawnattr_init(attributes.as_mut_ptr()))?;
            check(libc::posix_spawn_file_actions_init(actions.as_mut_ptr()))?;
            Self {
                attributes: attributes.assume_init(),
                actions: actions.assume_init(),
            }
        };
        let of_signals = libc::POSIX_SPAWN_SETSIGMASK | libc::POSIX_SPAWN_SETSIGDEF;
        let flags = more_flags | of_signals as c_int;
        // sigfillset leaves out two signals of the C library, which it would then have the child ignore.
        let mut all = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: a set is bits alone; the attributes are initialised.
        unsafe {
            all.as_mut_ptr().write_bytes(0xff, 1);
            let attributes = &raw mut spawn.attributes;
            check(libc::posix_spawnattr_setsigdefault(
                attributes,
                all.as_ptr(),
            ))?;
            check(libc::posix_spawnattr_setsigmask(attributes, blocked))?;
            check(libc::posix_spawnattr_setflags(attributes, flags as _))?;
        }
        Ok(spawn)
    }

    /// Passes our descriptor `from` to the child as `to`.
    pub(super) fn pass(&mut self, from: c_int, to: c_int) -> io::Result<()> {
        let actions = &raw mut self.actions;
        // SAFETY: the actions are initialised. If both numbers are equal, the C library clears the close-on-exec flag.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(actions, from, to) })
    }

    pub(super) fn start(
        &self,
        program: &CStr,
        argv: &[CString],
        env: &[CString],
    ) -> io::Result<Pid> {
        let (argv, env) = (null_terminated(argv), null_terminated(env));
        let mut pid = 0;
        // SAFETY: all pointers are valid for the call, and both arrays end with a null pointer.
        check(unsafe {
            libc::posix_spawn(
                &raw mut pid,
                program.as_ptr(),
                &raw const self.actions,
                &raw const self.attributes,
                argv.as_ptr(),
                env.as_ptr(),
            )
        })?;
        Pid::from_raw(pid).ok_or_else(|| io::Error::other("posix_spawn returned no process"))
    }
}

impl Drop for Spawn {
    fn drop(&mut self) {
        // SAFETY: initialised, and destroyed once.
        unsafe {
            libc::posix_spawn_file_actions_destroy(&raw mut self.actions);
            libc::posix_spawnattr_destroy(&raw mut self.attributes);
        }
    }
}

fn null_terminated(strings: &[CString]) -> Vec<*mut c_char> {
    let pointers = strings.iter().map(|string| string.as_ptr().cast_mut());
    pointers.chain([ptr::null_mut()]).collect()
}
