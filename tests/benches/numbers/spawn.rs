//! Starts a program on a terminal in the cheapest way: `posix_spawn`.

use crate::programs::environment;
use std::ffi::{CString, OsStr, c_char, c_int};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::ptr;

/// Starts `argv` as the leader of a new session on the terminal at the path `tty`.
///
/// The program is looked up on the path of this process. Returns its process id, which the caller must reap.
pub(crate) fn on_terminal(argv: &[&str], tty: &OsStr) -> io::Result<i32> {
    let argv: Vec<CString> = argv.iter().map(|word| c_string(word)).collect();
    let env = environment().map(|(name, value)| c_string(&format!("{name}={value}")));
    let tty = CString::new(tty.as_bytes())?;
    let (argv, env) = (null_terminated(&argv), null_terminated(&env));
    let mut attributes = MaybeUninit::uninit();
    let mut actions = MaybeUninit::uninit();
    let mut pid = 0;
    // SAFETY: both objects are initialised before their first use and destroyed once after their last, every pointer
    // is valid for its call, and both arrays end with a null pointer.
    unsafe {
        check(libc::posix_spawnattr_init(attributes.as_mut_ptr()))?;
        check(libc::posix_spawn_file_actions_init(actions.as_mut_ptr()))?;
        let attributes = attributes.as_mut_ptr();
        let actions = actions.as_mut_ptr();
        let flags = libc::POSIX_SPAWN_SETSID as c_int;
        let spawned = check(libc::posix_spawnattr_setflags(attributes, flags as _))
            .and_then(|()| {
                check(libc::posix_spawn_file_actions_addopen(
                    actions,
                    0,
                    tty.as_ptr(),
                    libc::O_RDWR,
                    0,
                ))
            })
            .and_then(|()| check(libc::posix_spawn_file_actions_adddup2(actions, 0, 1)))
            .and_then(|()| check(libc::posix_spawn_file_actions_adddup2(actions, 0, 2)))
            .and_then(|()| {
                check(libc::posix_spawnp(
                    &raw mut pid,
                    argv[0],
                    actions,
                    attributes,
                    argv.as_ptr(),
                    env.as_ptr(),
                ))
            });
        libc::posix_spawn_file_actions_destroy(actions);
        libc::posix_spawnattr_destroy(attributes);
        spawned?;
    }
    Ok(pid)
}

/// The words come from this program and contain no NUL.
fn c_string(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

fn null_terminated(strings: &[CString]) -> Vec<*mut c_char> {
    strings
        .iter()
        .map(|string| string.as_ptr().cast_mut())
        .chain([ptr::null_mut()])
        .collect()
}

/// These functions return the error number instead of setting `errno`.
fn check(code: c_int) -> io::Result<()> {
    if code == 0 {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(code))
    }
}
