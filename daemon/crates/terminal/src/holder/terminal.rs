//! One terminal in the holder, and one read of it.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;

use rustix::io::Errno;
use rustix::process::Pid;

use super::launch::Launched;
use super::link::wire::SpawnSpec;
use super::packet::Received;
use super::platform::receive;
use super::ring::RingWriter;
use super::source::TerminalWatch;

/// A read longer than this suggests that there is more output.
pub(super) const FULL_READ_BYTES: usize = 1024;

/// A terminal counts as flooding after more full reads in a row than this.
pub(super) const FLOOD_AFTER_READS: u32 = 8;

/// A terminal is lent to the worker after this many short reads in a row.
const LEND_AFTER_READS: u32 = 16;

/// How many bytes of a flood are read before the worker is notified.
const ANNOUNCE_BYTES: usize = 64 << 10;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct ReadOutcome {
    /// How to watch the terminal from now on.
    pub(super) watch: TerminalWatch,
    pub(super) len: usize,
    /// Whether the worker must be notified now.
    pub(super) changed: bool,
    /// Whether there are bytes of which the worker was not notified yet and need not be notified now.
    pub(super) is_untold: bool,
}

#[derive(Debug)]
pub(super) struct SessionTerminal {
    pub(super) master: Arc<OwnedFd>,
    pub(super) ring: RingWriter,
    pub(super) ring_path: PathBuf,
    pub(super) leader: Pid,
    #[cfg(not(portable))]
    pub(super) tty_device: u64,
    /// What the next worker must know of the session; this process never reads it.
    #[cfg(not(portable))]
    pub(super) kept_state: Option<Arc<OwnedFd>>,
    /// The leader was reaped.
    pub(super) is_reaped: bool,
    pub(super) watch: TerminalWatch,
    eof: bool,
    full_reads: u32,
    /// Short reads in a row.
    short_reads: u32,
    /// Bytes read of which the worker was not notified.
    unannounced_bytes: usize,
}

impl SessionTerminal {
    pub(super) fn new(
        launched: Launched,
        ring: RingWriter,
        spec: SpawnSpec,
        #[cfg_attr(portable, expect(unused_variables, reason = "there is no next worker"))]
        kept_state: Option<OwnedFd>,
    ) -> Self {
        Self {
            master: Arc::new(launched.master),
            ring,
            ring_path: spec.ring_path,
            leader: launched.pid,
            #[cfg(not(portable))]
            tty_device: launched.tty_device,
            #[cfg(not(portable))]
            kept_state: kept_state.map(Arc::new),
            is_reaped: false,
            watch: TerminalWatch::Quiet,
            eof: false,
            full_reads: 0,
            short_reads: 0,
            unannounced_bytes: 0,
        }
    }

    /// Reads once into the ring. The caller must then change how the terminal is watched. With `in_flood`, it is the thread
    /// that reads floods: it calls this again, even if the ring is full, and [notifies](Self::tell) the worker in time.
    pub(super) fn read_once(&mut self, in_flood: bool) -> ReadOutcome {
        if self.ring.is_lost() {
            return self.outcome(TerminalWatch::Lost, 0, false);
        }
        if self.ring.is_full() && (in_flood || self.ring.wait_for_space()) {
            return self.outcome(TerminalWatch::Full, 0, in_flood);
        }
        let (watch, len) = self.read();
        // While more is certain to be read soon, the worker is not notified of every small part.
        let comes_again =
            watch == TerminalWatch::Flooding || in_flood && watch == TerminalWatch::Quiet;
        self.outcome(watch, len, comes_again)
    }

    /// Records that the worker was notified of everything.
    pub(super) fn tell(&mut self) {
        self.unannounced_bytes = 0;
    }

    /// Returns true if the worker should read it from now on.
    pub(super) fn is_to_be_lent(&self) -> bool {
        self.watch == TerminalWatch::Quiet && self.short_reads >= LEND_AFTER_READS
    }

    /// Lends it to the worker. It must not be watched any more.
    pub(super) fn lend(&mut self) {
        self.watch = TerminalWatch::Lent;
        self.ring.lend();
    }

    /// Takes it back if the worker has returned it. Must be read then.
    pub(super) fn resume(&mut self) {
        self.short_reads = 0;
        self.full_reads = 0;
    }

    fn outcome(&mut self, watch: TerminalWatch, len: usize, may_wait: bool) -> ReadOutcome {
        let eof = match watch {
            TerminalWatch::Closed => true,
            TerminalWatch::Quiet | TerminalWatch::Flooding => false,
            TerminalWatch::Full | TerminalWatch::Lost | TerminalWatch::Lent => self.eof, // it was not read
        };
        let eof_changed = eof != self.eof;
        if eof_changed {
            self.eof = eof;
            self.ring.set_eof(eof);
        }
        self.unannounced_bytes += len;
        let waits = may_wait && self.unannounced_bytes < ANNOUNCE_BYTES;
        let is_lost = watch == TerminalWatch::Lost;
        let changed = eof_changed || is_lost || (self.unannounced_bytes > 0 && !waits);
        if changed {
            self.unannounced_bytes = 0;
        }
        ReadOutcome {
            watch,
            len,
            changed,
            is_untold: self.unannounced_bytes > 0,
        }
    }

    /// Reads once. Returns how to continue, and how many bytes were read.
    fn read(&mut self) -> (TerminalWatch, usize) {
        let spare = self.ring.spare();
        let asked = spare.len();
        let mut kind = 0;
        let first = receive(&self.master, &mut kind, spare);
        // Linux checks for output before it checks whether all processes have closed the terminal, so it misses output
        // that is written in between. A second read finds it: by then no process is left that could write.
        let second = match first {
            Err(Errno::IO) => receive(&self.master, &mut kind, spare),
            other => other,
        };
        match second {
            Ok(Received::Change { input_flushed }) => {
                if input_flushed {
                    self.ring.count_input_flush();
                }
                (TerminalWatch::Quiet, 0)
            }
            Ok(Received::Output(len)) => {
                self.ring.publish(len);
                let full = len > FULL_READ_BYTES || len == asked;
                (self.full_reads, self.short_reads) = if full {
                    (self.full_reads.saturating_add(1), 0)
                } else {
                    (0, self.short_reads.saturating_add(1))
                };
                let floods = self.full_reads > FLOOD_AFTER_READS;
                let watch = if floods {
                    TerminalWatch::Flooding
                } else {
                    TerminalWatch::Quiet
                };
                (watch, len)
            }
            Err(Errno::AGAIN | Errno::INTR) => {
                self.full_reads = 0;
                (TerminalWatch::Quiet, 0)
            }
            Err(Errno::FAULT) => {
                self.ring.set_lost();
                (TerminalWatch::Lost, 0)
            }
            // EIO, or on other systems 0 bytes: no process has the terminal open.
            Ok(Received::Closed) | Err(_) => {
                self.full_reads = 0;
                (TerminalWatch::Closed, 0)
            }
        }
    }
}
