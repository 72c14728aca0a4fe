//! The writing half of a session's terminal: one writer at a time, never more than the program takes.

use crate::probe::Line;
use rustix::io::Errno;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::Interest;

use super::error::SEND_QUEUE_LEN;

/// How long a program may take nothing before a send gives up.
pub(crate) const INPUT_GRACE: Duration = Duration::from_secs(5);

/// Longest line the kernel keeps for a program that reads lines.
pub(crate) const CANONICAL_LINE_LEN: usize = 4095;

/// Why input did not get to the terminal.
#[derive(Debug)]
pub(crate) enum InputError {
    Closed,
    Busy,
    /// The program took nothing for [`INPUT_GRACE`].
    Full {
        written_bytes: u64,
    },
    /// A line of so many bytes would be cut by the terminal.
    LineTooLong {
        len: usize,
    },
    Io(std::io::Error),
}

/// What a write did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written {
    /// The terminal did not echo right before or right after.
    pub(crate) hidden: bool,
    /// The terminal hands on lines, not keys.
    pub(crate) canonical: bool,
    /// Offset of the output at the moment of the write.
    pub(crate) offset: u64,
}

/// The terminal as the worker writes to it.
#[derive(Debug)]
pub(crate) struct Input {
    master: Mutex<Option<Arc<OwnedFd>>>,
    turn: tokio::sync::Mutex<()>,
    waiting: AtomicUsize,
}

/// Counts a send as waiting while it lives.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Input {
    pub(crate) fn new(master: Option<OwnedFd>) -> Self {
        Self {
            master: Mutex::new(master.map(Arc::new)),
            turn: tokio::sync::Mutex::new(()),
            waiting: AtomicUsize::new(0),
        }
    }

    /// The terminal, while the session holds it.
    pub(crate) fn master(&self) -> Option<Arc<OwnedFd>> {
        self.master
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Lets go of the terminal.
    pub(crate) fn close(&self) {
        self.master
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
    }

    /// Writes all of `bytes`; `end` tells the output's offset when the turn has come.
    ///
    /// # Errors
    ///
    /// [`InputError`]; nothing more is written then.
    pub(crate) async fn write(
        &self,
        bytes: &[u8],
        end: impl FnOnce() -> u64,
    ) -> Result<Written, InputError> {
        if self.waiting.fetch_add(1, Ordering::AcqRel) >= SEND_QUEUE_LEN {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            return Err(InputError::Busy);
        }
        let _waiting = Waiting(&self.waiting);
        let _turn = self.turn.lock().await;
        let master = self.master().ok_or(InputError::Closed)?;
        let before = Line::of(master.as_fd());
        if before.canonical {
            refuse_long_lines(bytes)?;
        }
        let offset = end();
        let mut written = 0;
        loop {
            written += write_some(&master, &bytes[written..])?;
            if written == bytes.len() {
                break;
            }
            self.wait_for_room(&master, written).await?;
        }
        let after = Line::of(master.as_fd());
        Ok(Written {
            hidden: before.hides_input() || after.hides_input(),
            canonical: before.canonical,
            offset,
        })
    }

    /// Waits until the terminal takes more. Registered only here, so that idle sessions cost nothing.
    async fn wait_for_room(&self, master: &Arc<OwnedFd>, written: usize) -> Result<(), InputError> {
        let descriptor = crate::readiness::watch(Arc::clone(master), Interest::WRITABLE)
            .map_err(InputError::Io)?;
        let room = async {
            loop {
                let mut ready = descriptor.writable().await?;
                if can_write(master) {
                    return Ok(());
                }
                ready.clear_ready();
            }
        };
        match tokio::time::timeout(INPUT_GRACE, room).await {
            Ok(result) => result.map_err(InputError::Io),
            Err(_) => Err(InputError::Full {
                written_bytes: written as u64,
            }),
        }
    }
}

fn can_write(master: &OwnedFd) -> bool {
    let mut poll = [rustix::event::PollFd::new(
        master,
        rustix::event::PollFlags::OUT,
    )];
    let now = rustix::event::Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    rustix::event::poll(&mut poll, Some(&now)).is_ok_and(|ready| ready > 0)
}

fn write_some(master: &OwnedFd, bytes: &[u8]) -> Result<usize, InputError> {
    let mut written = 0;
    while written < bytes.len() {
        match rustix::io::write(master, &bytes[written..]) {
            Ok(0) | Err(Errno::AGAIN) => break,
            Ok(len) => written += len,
            Err(Errno::INTR) => {}
            Err(Errno::IO) => return Err(InputError::Closed),
            Err(error) => return Err(InputError::Io(error.into())),
        }
    }
    Ok(written)
}

/// In canonical mode the kernel drops silently what is over its line buffer: say so instead.
fn refuse_long_lines(bytes: &[u8]) -> Result<(), InputError> {
    if bytes.len() <= CANONICAL_LINE_LEN {
        return Ok(());
    }
    let len = longest_line(bytes);
    if len > CANONICAL_LINE_LEN {
        return Err(InputError::LineTooLong { len });
    }
    Ok(())
}

/// Length of the longest line as the terminal keeps it: a `^V` is not kept, only the byte it quotes.
fn longest_line(bytes: &[u8]) -> usize {
    let (mut longest, mut len, mut is_quoted) = (0, 0, false);
    for &byte in bytes {
        match byte {
            _ if is_quoted => (len, is_quoted) = (len + 1, false),
            0x16 => is_quoted = true,
            b'\n' | b'\r' | 0x04 => len = 0,
            _ => len += 1,
        }
        longest = longest.max(len);
    }
    longest
}
