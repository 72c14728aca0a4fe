//! The ring of a session: the output of its terminal, in a file that outlives the process.
//! The [`RingWriter`] belongs to whoever reads the terminal (the holder, or the worker by a [loan](super::loan)) and
//! moves `head`; the [`Ring`] belongs to the worker and moves `tail`. Positions count bytes from the session's start and never wrap. Bytes from `tail` to `head`
//! never change, because the writer only touches the rest.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, Release, SeqCst};

use super::ring_file::Mapping;
use super::ring_layout::{Gap, MAX_POSITION, OTHER_VERSION, RING_BYTES, RingLayout};
use rustix::io::Errno;

#[derive(Debug, thiserror::Error)]
pub enum RingError {
    #[error("could not use the ring file {path:?}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error("{path:?} is not a ring of this version: {reason}")]
    Refused { path: PathBuf, reason: &'static str },
}

impl RingError {
    /// Returns true if another program has truncated, overwritten or replaced the file.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::File { source, .. } => matches!(
                Errno::from_io_error(source),
                Some(Errno::LOOP | Errno::ISDIR | Errno::ACCESS)
            ),
            Self::Refused { reason, .. } => *reason != OTHER_VERSION,
        }
    }
}

/// How a program exited: exactly one of the two is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// The exit code, 0 to 255.
    pub code: Option<i32>,
    /// The number of the signal that killed it.
    pub signal: Option<i32>,
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "status {code}"),
            (None, signal) => write!(f, "signal {}", signal.unwrap_or_default()),
        }
    }
}

/// The worker's end of a ring: the bytes, the position of the log, and notes that must survive if the worker is killed.
/// There is only one per ring, so the borrow checker prevents [`Ring::set_tail`] from freeing bytes that are still
/// borrowed.
#[derive(Debug)]
pub struct Ring {
    mapping: Arc<Mapping>,
}

impl Ring {
    /// Opens the ring of a session, or a ring that an earlier daemon has left, to recover its contents.
    pub fn open(path: &Path) -> Result<Self, RingError> {
        Ok(Self {
            mapping: Arc::new(Mapping::open(path)?),
        })
    }

    /// Deletes the file; existing mappings stay valid. A missing file is not an error.
    pub fn remove(path: &Path) -> Result<(), RingError> {
        match std::fs::remove_file(path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(RingError::File {
                path: path.to_owned(),
                source,
            }),
            _ => Ok(()),
        }
    }

    /// Returns true once another program has truncated or overwritten the file: nothing in it counts any more.
    pub fn is_lost(&self) -> bool {
        self.layout().is_lost()
    }

    /// Returns the position after the last byte read from the terminal.
    pub fn head(&self) -> u64 {
        let head = self.layout().head.load(SeqCst);
        if head > MAX_POSITION { 0 } else { head }
    }

    /// Returns the position up to which all output is in the log.
    pub fn tail(&self) -> u64 {
        self.layout().tail.load(Relaxed)
    }

    /// Returns the bytes from position `from` (clamped to `tail..=head`) to `head`, as one slice.
    pub fn bytes(&self, from: u64) -> &[u8] {
        let head = self.head();
        // In a ring that was overwritten, the positions contradict each other.
        let len = head.saturating_sub(from.max(self.tail()));
        let len = if len > RING_BYTES as u64 { 0 } else { len };
        // SAFETY: this is within `tail..head`. The writer never touches that part before `tail` moves, which takes
        // `&mut self` and so cannot happen during this borrow.
        unsafe { self.mapping.slice(head - len, len as usize) }
    }

    /// Frees the bytes before `tail` (clamped to `tail..=head`) for the holder.
    ///
    /// Returns true if the holder waits for room; then `Holder::space_freed` must be called.
    #[must_use = "the holder sleeps until it is told"]
    pub fn set_tail(&mut self, tail: u64) -> bool {
        let tail = tail.max(self.tail()).min(self.head());
        self.layout().tail.store(tail, SeqCst);
        self.layout().holder_waits.swap(0, SeqCst) == 1
    }

    /// Returns true while no process has the terminal open. The program may open its terminal again.
    pub fn eof(&self) -> bool {
        self.layout().eof.load(SeqCst) == 1
    }

    /// Returns how often unread input was discarded, as far as the system reports it.
    pub fn input_flushes(&self) -> u32 {
        self.layout().input_flushes.load(SeqCst)
    }

    /// Returns how the program exited; `None` while it is alive (or if the daemon was killed before it exited).
    pub fn status(&self) -> Option<Exit> {
        self.layout().wait_status().map(exit_of)
    }

    /// Returns the program's process id, or 0 before it was started.
    #[cfg(test)]
    pub fn pid(&self) -> i32 {
        self.layout().pid.load(SeqCst)
    }

    /// Returns when the ring was created, in milliseconds since 1970.
    #[cfg(test)]
    pub(crate) fn created_at_ms(&self) -> u64 {
        self.layout().created_at_ms.load(Relaxed)
    }

    /// Returns the position at which an expect without `from` starts.
    pub fn cursor(&self) -> u64 {
        self.layout().cursor.load(Relaxed)
    }

    pub fn set_cursor(&self, cursor: u64) {
        self.layout().cursor.store(cursor, Relaxed);
    }

    /// Returns the position of the first byte of the current log file.
    pub fn log_base(&self) -> u64 {
        self.layout().log_base.load(Relaxed)
    }

    /// Sets the position of the first byte of the current log file; to be called before that file is created.
    pub fn set_log_base(&self, position: u64) {
        self.layout().log_base.store(position, Release);
    }

    /// Returns how many lines the program has printed, as stored last.
    pub fn output_lines(&self) -> u64 {
        self.layout().output_lines.load(Relaxed)
    }

    pub fn set_output_lines(&self, lines: u64) {
        self.layout().output_lines.store(lines, Relaxed);
    }

    /// Returns the position after the last terminal query that was answered.
    pub fn answered(&self) -> u64 {
        self.layout().answered.load(Relaxed)
    }

    /// Stores that the terminal query before `position` was answered.
    pub fn set_answered(&self, position: u64) {
        self.layout().answered.store(position, Relaxed);
    }

    /// Stores `NOTE_BYTES` for the next worker in place of the last note. One thread at a time.
    pub fn set_note(&self, note: &[u8]) {
        self.layout().set_note(note);
    }

    /// Returns the last note, empty if there is none.
    pub fn note(&self) -> Vec<u8> {
        self.layout().note()
    }

    /// Stores that `len` bytes from `offset` are missing in the log.
    /// A gap that continues the last one extends it. When all `MAX_GAPS` entries are used, the last one is extended to
    /// cover the new one and the bytes in between.
    pub fn add_gap(&mut self, gap: Gap) {
        self.layout().add_gap(gap);
    }

    /// Replaces all gaps by `gaps`, sorted by position; needed when a gap is found before the last one.
    pub fn set_gaps(&mut self, gaps: &[Gap]) {
        self.layout().set_gaps(gaps);
    }

    /// Returns the gaps in the log, sorted by position.
    pub fn gaps(&self) -> Vec<Gap> {
        self.layout().gaps()
    }

    /// Returns the writing end, for a terminal that was lent.
    pub(super) fn writer(&self) -> RingWriter {
        RingWriter::of(Arc::clone(&self.mapping))
    }

    pub(super) fn layout(&self) -> &RingLayout {
        self.mapping.layout()
    }
}

/// The end of the terminal's reader: the holder's, or the worker's while the terminal is lent to it.
#[derive(Debug)]
pub(super) struct RingWriter {
    mapping: Arc<Mapping>,
}

impl RingWriter {
    /// Creates the file, with an empty ring (mode 0600; the file must not exist), and its directory if there is none.
    /// An error if the file exists or cannot be created or mapped; no file remains then.
    pub(super) fn create(path: &Path) -> Result<Self, RingError> {
        Ok(Self::of(Arc::new(Mapping::create(path)?)))
    }

    /// Puts the ring into a new file if somebody has removed its own, so that a worker can open it; not a lost ring. There
    /// must be no worker meanwhile.
    ///
    /// # Errors
    ///
    /// [`RingError::File`] if the file or its directory cannot be created.
    #[cfg(not(portable))]
    pub(super) fn put_back(&mut self, path: &Path) -> Result<(), RingError> {
        let is_here = std::fs::symlink_metadata(path).is_ok();
        if !is_here && self.layout().check().is_ok() {
            self.mapping = Arc::new(self.mapping.copied_to(path)?);
        }
        Ok(())
    }

    fn of(mapping: Arc<Mapping>) -> Self {
        Self { mapping }
    }

    /// See [`Ring::is_lost`]. Also touches the page that the next byte goes to: a read into a missing page returns no error,
    /// but loses its output.
    pub(super) fn is_lost(&self) -> bool {
        self.mapping.touch(self.head());
        self.layout().is_lost()
    }

    /// Notes that a system call could not access the ring: its file was truncated.
    pub(super) fn set_lost(&self) {
        self.layout().set_lost();
    }

    /// Returns the free part after `head`, empty if the ring is full. Bytes put there only count after
    /// [`RingWriter::publish`].
    pub(super) fn spare(&mut self) -> &mut [u8] {
        let len = RING_BYTES - self.held();
        // SAFETY: `head..head + len` is outside `tail..head`, so no reader looks at it, and `&mut self` is the only
        // writer. The other mapping of the same bytes is only accessed through readers' positions.
        unsafe { self.mapping.slice_mut(self.head(), len) }
    }

    /// Makes `len` bytes that were put into [`RingWriter::spare`] visible to the reader.
    pub(super) fn publish(&mut self, len: usize) {
        self.layout().head.fetch_add(len as u64, SeqCst);
    }

    /// Returns how many bytes are in the ring.
    pub(super) fn held(&self) -> usize {
        let held = self.head().saturating_sub(self.layout().tail.load(SeqCst));
        // More only in a ring that was overwritten.
        held.min(RING_BYTES as u64) as usize
    }

    /// Returns true if there is no room.
    pub(super) fn is_full(&self) -> bool {
        self.held() == RING_BYTES
    }

    /// Asks the worker to report when it frees space. Returns false if there is room already.
    pub(super) fn wait_for_space(&mut self) -> bool {
        self.layout().holder_waits.store(1, SeqCst);
        if self.is_full() {
            return true;
        }
        self.layout().holder_waits.store(0, SeqCst);
        false
    }

    /// Returns the position after the last byte read.
    pub(super) fn head(&self) -> u64 {
        self.layout().head.load(SeqCst)
    }

    /// Stores whether any process has the terminal open.
    pub(super) fn set_eof(&mut self, eof: bool) {
        self.layout().eof.store(u32::from(eof), SeqCst);
    }

    /// Counts that unread input was discarded once more.
    pub(super) fn count_input_flush(&mut self) {
        self.layout().input_flushes.fetch_add(1, SeqCst);
    }

    pub(super) fn set_status(&mut self, wait_status: i32) {
        self.layout().set_wait_status(wait_status);
    }

    pub(super) fn set_pid(&mut self, pid: i32) {
        self.layout().pid.store(pid, Release);
    }

    pub(super) fn layout(&self) -> &RingLayout {
        self.mapping.layout()
    }
}

pub(super) fn exit_of(wait_status: i32) -> Exit {
    let signal = wait_status & 0x7f;
    if signal == 0 {
        Exit {
            code: Some((wait_status >> 8) & 0xff),
            signal: None,
        }
    } else {
        Exit {
            code: None,
            signal: Some(signal),
        }
    }
}

#[cfg(test)]
#[path = "ring_tests.rs"]
mod tests;
