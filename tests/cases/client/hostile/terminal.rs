//! A program on a terminal of its own.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{ioctl_tiocsctty, setsid};
use rustix::pty::{OpenptFlags, openpt, ptsname, unlockpt};
use rustix::stdio::stdin;
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// What a user types, one after the other, into a program that prints nothing more: the key that leaves a screen, the answer
/// to a question, the end of the input, interrupts.
const LEAVING: [&[u8]; 5] = [b"q", b"n\n", b"\x04", b"\x03", b"\x03"];

/// How long a program prints nothing before the user types.
const QUIET: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 400_000_000,
};

/// What a program may write. One that writes more does not end.
const MAX_BYTES: usize = 4 << 20;

/// Runs a program on a terminal until it exits, or until it has ignored every key, and returns what it wrote there.
pub(super) fn on_terminal(mut command: Command) -> Vec<u8> {
    let (master, terminal) = pair();
    command
        .stdin(terminal.try_clone().unwrap())
        .stdout(terminal.try_clone().unwrap())
        .stderr(terminal);
    let lead = || {
        setsid()?;
        Ok(ioctl_tiocsctty(stdin())?)
    };
    // SAFETY: both are plain system calls that allocate nothing.
    unsafe { command.pre_exec(lead) };
    let mut child = command.spawn().unwrap();
    // With it goes the terminal, of which only the program keeps a descriptor.
    drop(command);
    let mut written = Vec::new();
    let mut keys = LEAVING.iter();
    loop {
        let mut sources = [PollFd::new(&master, PollFlags::IN)];
        if poll(&mut sources, Some(&QUIET)).unwrap() == 0 {
            let Some(keys) = keys.next() else { break };
            let _ = rustix::io::write(&master, keys);
            continue;
        }
        let mut buffer = [0; 4096];
        match rustix::io::read(&master, &mut buffer) {
            // The program has closed the terminal.
            Ok(0) | Err(_) => break,
            Ok(_) if written.len() > MAX_BYTES => break,
            Ok(len) => written.extend_from_slice(&buffer[..len]),
        }
    }
    let _ = child.kill();
    child.wait().unwrap();
    written
}

fn pair() -> (OwnedFd, File) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags).unwrap();
    unlockpt(&master).unwrap();
    let size = Winsize {
        ws_row: 40,
        ws_col: 120,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&master, size).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let mut options = File::options();
    options.read(true).write(true).custom_flags(libc::O_NOCTTY);
    let terminal = options.open(std::ffi::OsStr::from_bytes(name.to_bytes()));
    (master, terminal.unwrap())
}
