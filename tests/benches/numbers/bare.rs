//! The baseline of the machine: a loop around a terminal, as a C program would do it.

use crate::{Result, spawn};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

/// Buffer size for one read; the kernel returns at most about 4 KiB.
const READ_BYTES: usize = 64 << 10;

/// Maximum length of an awaited text, which may be split between two reads.
const KEPT_BYTES: usize = 256;

/// A program on a terminal; killed when dropped.
#[derive(Debug)]
pub(crate) struct Bare {
    master: OwnedFd,
    leader: Option<Pid>,
    buffer: Vec<u8>,
}

impl Bare {
    /// Starts `argv` on a new terminal of 24 × 80.
    pub(crate) fn start(argv: &[&str]) -> Result<Self> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = rustix::pty::openpt(flags)?;
        rustix::pty::unlockpt(&master)?;
        let size = Winsize {
            ws_row: 24,
            ws_col: 80,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        rustix::termios::tcsetwinsize(&master, size)?;
        let status = rustix::fs::fcntl_getfl(&master)?;
        rustix::fs::fcntl_setfl(&master, status | OFlags::NONBLOCK)?;
        let name = rustix::pty::ptsname(&master, Vec::new())?;
        let pid = spawn::on_terminal(argv, OsStr::from_bytes(name.to_bytes()))?;
        Ok(Self {
            master,
            leader: Pid::from_raw(pid),
            buffer: Vec::new(),
        })
    }

    /// Writes `bytes`, which must be few enough for one write.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<()> {
        let written = rustix::io::write(&self.master, bytes)?;
        if written != bytes.len() {
            return Err("the terminal did not take a few bytes".into());
        }
        Ok(())
    }

    /// Reads until `text` appears; returns how many bytes were read.
    pub(crate) fn wait_for(&mut self, text: &[u8]) -> Result<u64> {
        let mut total = 0;
        let mut kept = 0;
        loop {
            let Some(len) = self.read_after(kept)? else {
                return Err("the program ended before it printed what was awaited".into());
            };
            total += len as u64;
            let filled = kept + len;
            if memchr_text(&self.buffer[..filled], text) {
                return Ok(total);
            }
            let keep_from = filled.saturating_sub(KEPT_BYTES);
            self.buffer.copy_within(keep_from..filled, 0);
            kept = filled - keep_from;
        }
    }

    /// Reads until every process has closed the terminal; returns how many bytes were read.
    pub(crate) fn drain(&mut self) -> Result<u64> {
        let mut total = 0;
        while let Some(len) = self.read_after(0)? {
            total += len as u64;
        }
        Ok(total)
    }

    /// The reading side, to be polled together with others.
    pub(crate) fn master(&self) -> &OwnedFd {
        &self.master
    }

    /// Returns the first `len` bytes of the last read.
    pub(crate) fn read_bytes(&self, len: usize) -> &[u8] {
        &self.buffer[..len]
    }

    /// Waits for output and reads once, after the first `kept` bytes of the buffer. `None` at the end.
    pub(crate) fn read_after(&mut self, kept: usize) -> Result<Option<usize>> {
        // Allocated by the first read: a process that only holds terminals needs no buffer.
        self.buffer.resize(READ_BYTES, 0);
        loop {
            match rustix::io::read(&self.master, &mut self.buffer[kept..]) {
                Ok(len) if len > 0 => return Ok(Some(len)),
                Ok(_) | Err(Errno::IO) => return Ok(None),
                Err(Errno::AGAIN) => {
                    let mut wait = [PollFd::new(&self.master, PollFlags::IN)];
                    poll(&mut wait, None)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        if let Some(leader) = self.leader.take() {
            // It may have ended by itself.
            let _ = kill_process_group(leader, Signal::KILL);
            let _ = waitpid(Some(leader), WaitOptions::empty());
        }
    }
}

/// Returns whether `text` occurs; compares only where its first byte occurs.
fn memchr_text(bytes: &[u8], text: &[u8]) -> bool {
    let Some(&first) = text.first() else {
        return true;
    };
    bytes
        .iter()
        .enumerate()
        .filter(|&(_, &byte)| byte == first)
        .any(|(at, _)| bytes[at..].starts_with(text))
}
