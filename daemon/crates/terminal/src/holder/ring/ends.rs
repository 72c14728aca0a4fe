//! The ring of a session: the output of its terminal, in a file that outlives the process.
//! The [`RingWriter`] belongs to whoever reads the terminal (the holder, or the worker while it is [lent](crate::holder::lent)) and
//! moves `head`; the [`Ring`] belongs to the worker and moves `tail`. Positions count bytes from the session's start and
//! never wrap. Bytes from `tail` to `head` never change, because the writer only touches the rest.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

use super::file::{Mapping, RingError};
use super::layout::{Gap, MAX_GAPS, MAX_POSITION, NOTE_BYTES, RING_BYTES};

/// Set in `status` once the program has exited, which distinguishes "exited with 0" from "alive".
const ENDED: u32 = 0x1_0000;

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
    pub(in crate::holder) mapping: Arc<Mapping>,
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
        self.mapping.is_lost()
    }

    /// Returns the position after the last byte read from the terminal.
    pub fn head(&self) -> u64 {
        let head = self.mapping.head.load(SeqCst);
        if head > MAX_POSITION { 0 } else { head }
    }

    /// Returns the position up to which all output is in the log.
    pub fn tail(&self) -> u64 {
        self.mapping.tail.load(Relaxed)
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
        self.mapping.tail.store(tail, SeqCst);
        self.mapping.holder_waits.swap(0, SeqCst) == 1
    }

    /// Returns true while no process has the terminal open. The program may open its terminal again.
    pub fn eof(&self) -> bool {
        self.mapping.eof.load(SeqCst) == 1
    }

    /// Returns how often unread input was discarded, as far as the system reports it.
    pub fn input_flushes(&self) -> u32 {
        self.mapping.input_flushes.load(SeqCst)
    }

    /// Returns how the program exited; `None` while it is alive (or if the daemon was killed before it exited).
    pub fn status(&self) -> Option<Exit> {
        let stored = self.mapping.status.load(SeqCst);
        (stored & !0xffff == ENDED).then(|| exit_of((stored & 0xffff) as i32))
    }

    /// Returns the position at which an expect without `from` starts.
    pub fn cursor(&self) -> u64 {
        self.mapping.cursor.load(Relaxed)
    }

    pub fn set_cursor(&self, cursor: u64) {
        self.mapping.cursor.store(cursor, Relaxed);
    }

    /// Returns the position of the first byte of the current log file.
    pub fn log_base(&self) -> u64 {
        self.mapping.log_base.load(Relaxed)
    }

    /// Sets the position of the first byte of the current log file; to be called before that file is created.
    pub fn set_log_base(&self, position: u64) {
        self.mapping.log_base.store(position, Release);
    }

    /// Returns how many lines the program has printed, as stored last.
    pub fn output_lines(&self) -> u64 {
        self.mapping.output_lines.load(Relaxed)
    }

    pub fn set_output_lines(&self, lines: u64) {
        self.mapping.output_lines.store(lines, Relaxed);
    }

    /// Returns the position after the last terminal query that was answered.
    pub fn answered(&self) -> u64 {
        self.mapping.answered.load(Relaxed)
    }

    /// Stores that the terminal query before `position` was answered.
    pub fn set_answered(&self, position: u64) {
        self.mapping.answered.store(position, Relaxed);
    }

    /// Stores [`NOTE_BYTES`] for the next worker in place of the last note. One thread at a time. If the worker is killed in
    /// between, the previous note is kept.
    pub fn set_note(&self, note: &[u8]) {
        let index = self.mapping.note_index.load(Relaxed) % 2;
        let place = &self.mapping.notes[index as usize];
        let len = note.len().min(NOTE_BYTES);
        place.len.store(len as u8, Relaxed);
        for (cell, byte) in place.bytes.iter().zip(&note[..len]) {
            cell.store(*byte, Relaxed);
        }
        self.mapping.note_index.store(index + 1, Release);
    }

    /// Returns the last note, empty if there is none.
    pub fn note(&self) -> Vec<u8> {
        let Some(index) = self.mapping.note_index.load(Acquire).checked_sub(1) else {
            return Vec::new();
        };
        let place = &self.mapping.notes[index as usize % 2];
        let len = usize::from(place.len.load(Relaxed)).min(NOTE_BYTES);
        let bytes = place.bytes[..len].iter();
        bytes.map(|cell| cell.load(Relaxed)).collect()
    }

    /// Stores that bytes are missing in the log.
    /// A gap that continues the last one extends it. When all [`MAX_GAPS`] entries are used, the last one is extended to
    /// cover the new one and the bytes in between. The count is stored last, so if the worker is killed in between, at most
    /// this gap is lost.
    pub fn add_gap(&mut self, gap: Gap) {
        let count = self.gap_count();
        if let Some(last) = count.checked_sub(1).map(|index| &self.mapping.gaps[index]) {
            let offset = last.offset.load(Relaxed);
            let end = offset.wrapping_add(last.len.load(Relaxed));
            if end == gap.offset || count == MAX_GAPS {
                let len = (gap.offset + gap.len).saturating_sub(offset);
                last.len.store(len, Relaxed);
                return;
            }
        }
        self.mapping.gaps[count].offset.store(gap.offset, Relaxed);
        self.mapping.gaps[count].len.store(gap.len, Relaxed);
        self.mapping.gap_count.store(count as u64 + 1, Release);
    }

    /// Replaces all gaps by `gaps`, sorted by position; needed when a gap is found before the last one. If the worker is
    /// killed in between, the gaps that are not written yet are lost.
    pub fn set_gaps(&mut self, gaps: &[Gap]) {
        self.mapping.gap_count.store(0, Release);
        for gap in gaps {
            self.add_gap(*gap);
        }
    }

    /// Returns the gaps in the log, sorted by position.
    pub fn gaps(&self) -> Vec<Gap> {
        let cells = self.mapping.gaps[..self.gap_count()].iter();
        let gaps = cells.map(|cell| Gap {
            offset: cell.offset.load(Relaxed),
            len: cell.len.load(Relaxed),
        });
        gaps.collect()
    }

    fn gap_count(&self) -> usize {
        let count = self.mapping.gap_count.load(Acquire);
        usize::try_from(count).map_or(MAX_GAPS, |count| count.min(MAX_GAPS))
    }

    /// Returns the writing end, for a terminal that was lent.
    pub(in crate::holder) fn writer(&self) -> RingWriter {
        RingWriter {
            mapping: Arc::clone(&self.mapping),
        }
    }
}

/// The end of the terminal's reader: the holder's, or the worker's while the terminal is lent to it.
#[derive(Debug)]
pub(in crate::holder) struct RingWriter {
    pub(in crate::holder) mapping: Arc<Mapping>,
}

impl RingWriter {
    /// Creates the file, with an empty ring (mode 0600; the file must not exist), and its directory if there is none.
    /// An error if the file exists or cannot be created or mapped; no file remains then.
    pub(in crate::holder) fn create(path: &Path) -> Result<Self, RingError> {
        Ok(Self {
            mapping: Arc::new(Mapping::create(path)?),
        })
    }

    /// Puts the ring into a new file if somebody has removed its own, so that a worker can open it; not a lost ring. There
    /// must be no worker meanwhile.
    ///
    /// # Errors
    ///
    /// [`RingError::File`] if the file or its directory cannot be created.
    #[cfg(not(portable))]
    pub(in crate::holder) fn put_back(&mut self, path: &Path) -> Result<(), RingError> {
        let is_here = std::fs::symlink_metadata(path).is_ok();
        if !is_here && self.mapping.check().is_ok() {
            self.mapping = Arc::new(self.mapping.copied_to(path)?);
        }
        Ok(())
    }

    /// See [`Ring::is_lost`]. Also touches the page that the next byte goes to: a read into a missing page returns no error,
    /// but loses its output.
    pub(in crate::holder) fn is_lost(&self) -> bool {
        self.mapping.touch(self.head());
        self.mapping.is_lost()
    }

    /// Notes that a system call could not access the ring: its file was truncated.
    pub(in crate::holder) fn set_lost(&self) {
        self.mapping.set_lost();
    }

    /// Returns the free part after `head`, empty if the ring is full. Bytes put there only count after
    /// [`RingWriter::publish`].
    pub(in crate::holder) fn spare(&mut self) -> &mut [u8] {
        let len = RING_BYTES - self.held();
        // SAFETY: `head..head + len` is outside `tail..head`, so no reader looks at it, and `&mut self` is the only
        // writer. The other mapping of the same bytes is only accessed through readers' positions.
        unsafe { self.mapping.slice_mut(self.head(), len) }
    }

    /// Makes `len` bytes that were put into [`RingWriter::spare`] visible to the reader.
    pub(in crate::holder) fn publish(&mut self, len: usize) {
        self.mapping.head.fetch_add(len as u64, SeqCst);
    }

    /// Returns how many bytes are in the ring.
    pub(in crate::holder) fn held(&self) -> usize {
        let held = self.head().saturating_sub(self.mapping.tail.load(SeqCst));
        // More only in a ring that was overwritten.
        held.min(RING_BYTES as u64) as usize
    }

    /// Returns true if there is no room.
    pub(in crate::holder) fn is_full(&self) -> bool {
        self.held() == RING_BYTES
    }

    /// Asks the worker to report when it frees space. Returns false if there is room already.
    pub(in crate::holder) fn wait_for_space(&mut self) -> bool {
        self.mapping.holder_waits.store(1, SeqCst);
        if self.is_full() {
            return true;
        }
        self.mapping.holder_waits.store(0, SeqCst);
        false
    }

    /// Returns the position after the last byte read.
    pub(in crate::holder) fn head(&self) -> u64 {
        self.mapping.head.load(SeqCst)
    }

    /// Stores whether any process has the terminal open.
    pub(in crate::holder) fn set_eof(&mut self, eof: bool) {
        self.mapping.eof.store(u32::from(eof), SeqCst);
    }

    /// Counts that unread input was discarded once more.
    pub(in crate::holder) fn count_input_flush(&mut self) {
        self.mapping.input_flushes.fetch_add(1, SeqCst);
    }

    pub(in crate::holder) fn set_status(&mut self, wait_status: i32) {
        let stored = ENDED | (wait_status as u32 & 0xffff);
        self.mapping.status.store(stored, SeqCst);
    }
}

pub(in crate::holder) fn exit_of(wait_status: i32) -> Exit {
    let (code, signal) = ((wait_status >> 8) & 0xff, wait_status & 0x7f);
    Exit {
        code: (signal == 0).then_some(code),
        signal: (signal != 0).then_some(signal),
    }
}

#[cfg(test)]
#[path = "ends_tests.rs"]
mod tests;
