//! How often programs have read from a terminal, as inotify reports it.

use parking_lot::Mutex;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::fs::stat;
use rustix::io::{Errno, ioctl_fionread};
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, ptsname};
use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

/// The name under which every program can open its own terminal. A read there may be of any terminal.
const ANY_TERMINAL: &str = "/dev/tty";

const BUFFER_BYTES: usize = 4096;

/// Size of an inotify event about a file.
const NOTICE_BYTES: usize = 16;

#[derive(Debug)]
pub struct Reads {
    /// `None` if inotify is exhausted: nothing is known then.
    notices: Option<OwnedFd>,
    seen: Mutex<Notices>,
}

#[derive(Debug, Default)]
struct Notices {
    reads: HashMap<i32, u64>,
    /// Reads that may have been of any terminal.
    of_any: u64,
}

#[derive(Debug)]
pub struct ReadWatch(i32);

impl Reads {
    pub fn new() -> Self {
        let notices = open().inspect_err(|error| {
            tracing::warn!(%error, "cannot detect when a program discards typed input");
        });
        Self {
            notices: notices.ok(),
            seen: Mutex::default(),
        }
    }

    /// Watches the terminal until it is closed; `None` if that is not possible.
    pub fn watch(&self, master: &OwnedFd) -> Option<ReadWatch> {
        let name = ptsname(master, Vec::new()).ok()?;
        let far_side = far_side(master)?;
        // In another mount namespace this name may belong to a different terminal.
        let (named, meant) = (stat(&name).ok()?, rustix::fs::fstat(far_side).ok()?);
        if (named.st_dev, named.st_ino) != (meant.st_dev, meant.st_ino) {
            return None;
        }
        let notices = self.notices.as_ref()?;
        let watch = inotify::add_watch(notices, &name, WatchFlags::ACCESS).ok()?;
        self.seen.lock().reads.insert(watch, 0);
        Some(ReadWatch(watch))
    }

    /// Returns a number that grows with every read.
    pub fn count(&self, watch: &ReadWatch) -> u64 {
        let mut seen = self.seen.lock();
        if let Some(notices) = &self.notices {
            seen.take(notices);
        }
        seen.of_any + seen.reads.get(&watch.0).copied().unwrap_or(0)
    }
}

impl Notices {
    fn take(&mut self, notices: &OwnedFd) {
        let mut buffer = [const { MaybeUninit::uninit() }; BUFFER_BYTES];
        let mut reader = Reader::new(notices, &mut buffer);
        for taken in 1_usize.. {
            match reader.next() {
                // The terminal is closed.
                Ok(notice) if notice.events().contains(ReadFlags::IGNORED) => {
                    self.reads.remove(&notice.wd());
                }
                Ok(notice) => match self.reads.get_mut(&notice.wd()) {
                    Some(reads) => *reads += 1,
                    // A read of any terminal, or events were lost.
                    None => self.of_any += 1,
                },
                Err(Errno::INTR) => continue,
                Err(_) => return, // there are no more
            }
            // The buffer was not filled: another read would find nothing.
            if reader.is_buffer_empty() && taken < BUFFER_BYTES / NOTICE_BYTES {
                return;
            }
        }
    }
}

fn open() -> Result<OwnedFd, Errno> {
    let notices = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
    inotify::add_watch(&notices, Path::new(ANY_TERMINAL), WatchFlags::ACCESS)?;
    Ok(notices)
}

/// Returns the number of typed bytes that are unread; in canonical mode, only those of complete lines.
pub(super) fn unread_bytes(master: &OwnedFd) -> Option<u64> {
    ioctl_fionread(far_side(master)?).ok()
}

fn far_side(master: &OwnedFd) -> Option<OwnedFd> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    ioctl_tiocgptpeer(master, flags).ok()
}
