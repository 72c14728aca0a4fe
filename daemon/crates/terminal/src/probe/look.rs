//! A probe of a terminal: its modes, its foreground process group, and what that group waits for.

use std::borrow::Cow;
use std::os::fd::BorrowedFd;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionread;
use rustix::process::Pid;
use rustix::termios::tcgetpgrp;

use super::line_modes::LineModes;
use super::report::Probe;

/// Probes the terminal of `master` once, and returns what its foreground waits for.
/// `leader` is the session's first process; `tty_device` the device number (`st_rdev`) of the terminal's slave side.
/// Never blocks. Costs about 40 us for a program with one waiting task, and about 10 us for each further task that is
/// checked (at most 256). For programs that have ended, or are hidden or denied, it returns a verdict, not an error.
pub fn probe(master: BorrowedFd<'_>, leader: i32, tty_device: u64) -> Probe {
    let at = Instant::now();
    let line = LineModes::read(master);
    let foreground = tcgetpgrp(master).map_or(0, Pid::as_raw_pid);
    let finding = platform::find(leader, foreground, tty_device, line);
    Probe {
        at,
        foreground,
        line,
        verdict: finding.verdict,
        how: Cow::Borrowed(finding.how),
        reader: finding.reader,
        foreground_state: finding.foreground_state,
        unread_output_bytes: unread_output(master),
        hidden_prompt_likely: (finding.sleeps_unseen && line.hides_input()) || finding.asks_secret,
    }
}

/// Returns how many bytes of output nobody has read from `master`.
pub fn unread_output(master: BorrowedFd<'_>) -> u64 {
    // What was printed last may still be on its way to this end of the terminal, in a worker thread of the kernel. Linux
    // waits for it in a poll that finds nothing.
    let mut events = [PollFd::from_borrowed_fd(master, PollFlags::IN)];
    let _ = poll(&mut events, Some(&Timespec::default()));
    // If this cannot be read, the terminal has hung up and no more output will come.
    ioctl_fionread(master).unwrap_or(0)
}

#[cfg(not(portable))]
mod platform {
    pub(super) use super::super::search::find;
}

#[cfg(portable)]
mod platform {
    use super::super::report::{BLIND, Finding, InputWait};
    use super::LineModes;

    pub(super) fn find(
        _leader: i32,
        _foreground: i32,
        _tty_device: u64,
        _line: LineModes,
    ) -> Finding {
        Finding {
            verdict: InputWait::Unknown,
            how: BLIND,
            reader: None,
            foreground_state: None,
            sleeps_unseen: true,
            asks_secret: false,
        }
    }
}
