//! Ring, memory and log of one session, read by offset.

use super::history::OutputHistory;
use super::log::{self, Logged};
use ccd_store::blocking_io;
use ccd_terminal::holder::{Gap, LentTerminal, Ring};
use parking_lot::Mutex;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// Most bytes that are read at once.
pub const PIECE_BYTES: usize = 256 << 10;

#[derive(Debug)]
pub struct Output {
    dir: PathBuf,
    pub(super) inner: Mutex<OutputState>,
    pub(super) changed: Notify,
    /// Notified when a lent terminal was read by somebody other than its task.
    pub(super) read_early: Notify,
    /// The log was called and has not taken up the call.
    pub(super) log_is_called: AtomicBool,
}

#[derive(Debug)]
pub(super) struct OutputState {
    pub(super) ring: Option<Ring>,
    /// Set while this process reads the terminal.
    pub(super) lent: Option<LentTerminal>,
    pub(super) history: OutputHistory,
    /// Every byte before this offset is in the log or in a gap.
    pub(super) logged: u64,
    pub(super) gaps: Vec<Gap>,
    rotated_at: Option<String>,
    pub(super) lines: u64,
    ended: bool,
    /// The offset at which an expect without `from` starts; also stored in the ring, for the next process.
    pub(super) cursor: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Piece {
    Bytes(Vec<u8>),
    /// The requested bytes are in no log and no longer in memory; continue at `resume`.
    Missing {
        resume: u64,
    },
    Pending,
    End,
}

/// Output that was read piece by piece, without what is lost.
#[derive(Debug, Default)]
pub struct Stretch {
    pub bytes: Vec<u8>,
    /// The offset at which to continue reading.
    pub end: u64,
    /// What is lost: the first offset and the one after.
    pub gaps: Vec<(u64, u64)>,
}

impl Stretch {
    pub fn from(offset: u64) -> Self {
        Self {
            end: offset,
            ..Self::default()
        }
    }
}

#[derive(Debug, Clone)]
pub struct OutputFacts {
    pub lines: u64,
    pub bytes: u64,
    pub buffered_bytes: u64,
    pub rotated_at: Option<String>,
    pub gaps: Vec<Gap>,
}

impl Output {
    /// Makes the output of a program that was just started.
    pub fn live(dir: PathBuf, ring: Ring, max_lines: u64) -> Self {
        Self::new(dir, Some(ring), 0, max_lines)
    }

    /// Makes the output of an ended session, all of which is in the log unless it was lost.
    pub fn ended(dir: PathBuf, bytes: u64, lines: u64, gaps: Vec<Gap>) -> Self {
        let mut output = Self::new(dir, None, bytes, 1);
        let inner = output.inner.get_mut();
        inner.lines = lines;
        inner.gaps = gaps;
        inner.ended = true;
        output
    }

    /// Makes the output of a program that an earlier process started; `tail` is the end of the logged output.
    pub fn adopted(dir: PathBuf, ring: Ring, max_lines: u64, lines: u64, tail: &[u8]) -> Self {
        let (logged, cursor, gaps) = (ring.tail(), ring.cursor(), ring.gaps());
        let newlines = memchr::memchr_iter(b'\n', tail).count() as u64;
        let start = logged - tail.len() as u64;
        let mut output = Self::new(dir, Some(ring), logged, max_lines);
        let inner = output.inner.get_mut();
        inner.history = OutputHistory::behind(start, lines.saturating_sub(newlines), max_lines);
        inner.history.append(tail, logged);
        inner.lines = lines;
        inner.gaps = gaps;
        inner.cursor = cursor;
        output
    }

    fn new(dir: PathBuf, ring: Option<Ring>, end: u64, max_lines: u64) -> Self {
        Self {
            dir,
            inner: Mutex::new(OutputState {
                ring,
                lent: None,
                history: OutputHistory::new(end, max_lines),
                logged: end,
                gaps: Vec::new(),
                rotated_at: None,
                lines: 0,
                ended: false,
                cursor: 0,
            }),
            changed: Notify::new(),
            read_early: Notify::new(),
            log_is_called: AtomicBool::new(false),
        }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns a future that is ready once the output or the session's state has changed after this call.
    pub fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    /// Wakes all tasks that wait for a change.
    pub(crate) fn announce(&self) {
        self.changed.notify_waiters();
    }

    /// Returns the offset just after the newest byte that was printed.
    /// Includes bytes that are only in the ring: they are safe, and were printed before anything that follows this
    /// call.
    pub fn end(&self) -> u64 {
        let mut inner = self.inner.lock();
        if inner.lent.as_mut().is_some_and(LentTerminal::catch_up) {
            self.read_early.notify_one();
        }
        match &inner.ring {
            Some(ring) => ring.head().max(inner.history.end()),
            None => inner.history.end(),
        }
    }

    /// Returns the offset just after the newest byte that can be read.
    pub fn published(&self) -> u64 {
        self.inner.lock().history.end()
    }

    pub fn memory_start(&self) -> u64 {
        self.inner.lock().history.start
    }

    /// Returns the number of bytes that are published but not logged yet.
    pub(crate) fn unlogged_bytes(&self) -> u64 {
        let inner = self.inner.lock();
        inner.history.end() - inner.logged
    }

    /// Returns false after the end, and once the ring is lost: then nobody learns how the program exits.
    pub(crate) fn has_ring(&self) -> bool {
        self.inner.lock().ring.is_some()
    }

    /// Returns true if the output is complete.
    pub fn has_ended(&self) -> bool {
        self.inner.lock().ended
    }

    /// Returns true if the ring has been read to its end and the terminal will deliver no more.
    pub fn is_drained(&self) -> bool {
        let inner = self.inner.lock();
        match &inner.ring {
            Some(ring) => ring.eof() && ring.head() == inner.history.end(),
            None => true,
        }
    }

    pub fn exit(&self) -> Option<ccd_terminal::holder::Exit> {
        self.with_ring(Ring::status)?
    }

    pub fn facts(&self) -> OutputFacts {
        let inner = self.inner.lock();
        OutputFacts {
            lines: inner.lines,
            bytes: inner.history.end(),
            buffered_bytes: inner.history.len() as u64,
            rotated_at: inner.rotated_at.clone(),
            gaps: inner.gaps.clone(),
        }
    }

    /// Returns the offset at which an expect without `from` starts.
    pub fn cursor(&self) -> u64 {
        self.inner.lock().cursor
    }

    /// Stores a note for the next process in the ring.
    pub(crate) fn set_note(&self, note: &[u8]) {
        self.with_ring(|ring| ring.set_note(note));
    }

    /// Notes that the query that ends at `offset` was answered, so that the next process does not answer it again.
    pub fn set_answered(&self, offset: u64) {
        self.with_ring(|ring| ring.set_answered(offset));
    }

    /// Returns how often typed input was discarded, as far as the system reports it.
    pub fn input_flushes(&self) -> u32 {
        self.with_ring(Ring::input_flushes).unwrap_or(0)
    }

    fn with_ring<T>(&self, work: impl FnOnce(&Ring) -> T) -> Option<T> {
        self.inner.lock().ring.as_ref().map(work)
    }

    /// Moves the default cursor forward; it never moves back.
    pub(crate) fn advance_cursor(&self, cursor: u64) {
        let mut inner = self.inner.lock();
        if cursor > inner.cursor {
            inner.cursor = cursor;
            if let Some(ring) = &inner.ring {
                ring.set_cursor(cursor);
            }
        }
    }

    /// Copies from memory or the ring, if the offset is available there.
    pub(crate) fn read_memory(&self, from: u64, max_bytes: usize) -> Option<Piece> {
        let inner = self.inner.lock();
        let end = inner.history.end();
        if from >= end {
            return Some(if inner.ended {
                Piece::End
            } else {
                Piece::Pending
            });
        }
        if from < inner.history.start {
            return None;
        }
        let mut bytes = Vec::new();
        inner.history.copy(from, max_bytes, &mut bytes);
        Some(Piece::Bytes(bytes))
    }

    /// Reads at most `max_bytes` from `from` on, from memory or else from the log.
    pub async fn read(&self, from: u64, max_bytes: usize) -> io::Result<Piece> {
        if let Some(piece) = self.read_memory(from, max_bytes) {
            return Ok(piece);
        }
        let dir = self.dir.clone();
        let limit = self.memory_start();
        let logged = blocking_io(move || log::read(&dir, from, max_bytes, limit)).await?;
        Ok(match logged {
            Logged::Bytes(bytes) => Piece::Bytes(bytes),
            Logged::Missing { resume } => Piece::Missing { resume },
        })
    }

    /// Continues `stretch` up to `upto` or the end of what is available, in pieces, until it has at least `enough` bytes.
    /// After an error, it has what was read before.
    pub async fn read_on(&self, stretch: &mut Stretch, upto: u64, enough: usize) -> io::Result<()> {
        while stretch.end < upto && stretch.bytes.len() < enough {
            let left = usize::try_from(upto - stretch.end).unwrap_or(usize::MAX);
            match self.read(stretch.end, left.min(PIECE_BYTES)).await? {
                Piece::Bytes(bytes) => {
                    stretch.end += bytes.len() as u64;
                    stretch.bytes.extend_from_slice(&bytes);
                }
                Piece::Missing { resume } => {
                    stretch.gaps.push((stretch.end, resume));
                    stretch.end = resume;
                }
                Piece::Pending | Piece::End => break,
            }
        }
        Ok(())
    }

    /// Returns at most `max_bytes` from `from` on, without what is lost.
    pub async fn bytes(&self, from: u64, max_bytes: usize) -> io::Result<Vec<u8>> {
        let mut stretch = Stretch::from(from);
        self.read_on(&mut stretch, u64::MAX, max_bytes).await?;
        stretch.bytes.truncate(max_bytes);
        Ok(stretch.bytes)
    }

    /// Returns the bytes from `from` up to `end`, as far as they are there.
    pub async fn readable(&self, from: u64, end: u64) -> Vec<u8> {
        let mut stretch = Stretch::from(from);
        // What can be read is all that there is.
        let _ = self.read_on(&mut stretch, end, usize::MAX).await;
        stretch.bytes
    }

    /// Copies unlogged output into `buffer` and returns its offset; `None` if everything is logged.
    pub(super) fn pending(&self, buffer: &mut Vec<u8>) -> Option<u64> {
        let inner = self.inner.lock();
        let from = inner.logged;
        if from == inner.history.end() {
            return None;
        }
        inner.history.copy(from, usize::MAX, buffer);
        Some(from)
    }

    /// Notes that the bytes from `offset` to `upto`, and so everything before them, are in the log; returns whether the
    /// holder waits for room.
    pub(super) fn set_logged(&self, offset: u64, upto: u64, log_base: u64) -> bool {
        let mut inner = self.inner.lock();
        inner.found_in_log(offset, upto - offset);
        inner.logged = inner.logged.max(upto);
        let logged = inner.logged;
        // The lines after it are still in the ring, and are counted there.
        let lines = inner.lines - inner.history.newlines_from(logged);
        inner.history.trim(logged);
        let Some(ring) = &mut inner.ring else {
            return false;
        };
        ring.set_log_base(log_base);
        ring.set_output_lines(lines);
        ring.set_tail(logged)
    }

    /// Notes that the log failed to write the bytes from `offset` on: gives up all pending output, unless that was done
    /// during the attempt. Returns whether the holder waits for room.
    pub(super) fn lose(&self, offset: u64) -> bool {
        self.inner.lock().logged == offset && self.lose_pending()
    }

    /// Gives up logging all pending output; returns whether the holder waits for room.
    pub(crate) fn lose_pending(&self) -> bool {
        let mut inner = self.inner.lock();
        let end = inner.history.end();
        let gap = Gap {
            offset: inner.logged,
            len: end - inner.logged,
        };
        if gap.len == 0 {
            return false;
        }
        inner.give_up(gap);
        inner.history.trim(end);
        let lines = inner.lines;
        let Some(ring) = &mut inner.ring else {
            return false;
        };
        ring.add_gap(gap);
        ring.set_output_lines(lines);
        ring.set_tail(end)
    }

    /// Notes that these bytes were logged but are no longer in the log. Returns how many of them were in no gap before.
    pub(crate) fn note_lost(&self, ranges: impl IntoIterator<Item = Range<u64>>) -> u64 {
        let mut inner = self.inner.lock();
        let before = inner.missing_bytes();
        let ranges = ranges.into_iter().filter(|range| !range.is_empty());
        inner.gaps.extend(ranges.map(|range| Gap {
            offset: range.start,
            len: range.end - range.start,
        }));
        inner.merge_gaps();
        let lost_bytes = inner.missing_bytes() - before;
        let OutputState { ring, gaps, .. } = &mut *inner;
        if let Some(ring) = ring {
            ring.set_gaps(gaps);
        }
        lost_bytes
    }

    pub(super) fn note_rotation(&self) {
        self.inner.lock().rotated_at = Some(ccd_base::clock::now());
    }

    /// Notes that no more output will come. Releases the ring, and memory too if the log has everything.
    pub fn finish(&self) {
        let mut inner = self.inner.lock();
        inner.ended = true;
        inner.ring = None;
        inner.lent = None;
        let memory_start = inner.history.start;
        if inner
            .gaps
            .iter()
            .all(|gap| gap.offset + gap.len <= memory_start)
        {
            inner.history.clear();
        }
        drop(inner);
        self.changed.notify_waiters();
    }
}

impl OutputState {
    /// Notes that these bytes, the next ones, are not logged.
    pub(super) fn give_up(&mut self, gap: Gap) {
        match self.gaps.last_mut() {
            Some(last) if last.offset + last.len == gap.offset => last.len += gap.len,
            _ => self.gaps.push(gap),
        }
        self.logged = gap.offset + gap.len;
    }

    /// Removes bytes from the gaps that have reached the log after they were given up.
    fn found_in_log(&mut self, offset: u64, length: u64) {
        for gap in &mut self.gaps {
            if gap.offset == offset && gap.len >= length {
                gap.offset += length;
                gap.len -= length;
            }
        }
        self.gaps.retain(|gap| gap.len > 0);
    }

    fn missing_bytes(&self) -> u64 {
        self.gaps.iter().map(|gap| gap.len).sum()
    }

    fn merge_gaps(&mut self) {
        self.gaps.sort_unstable_by_key(|gap| gap.offset);
        self.gaps.dedup_by(|gap, before| {
            let before_end = before.offset + before.len;
            let touches = gap.offset <= before_end;
            if touches {
                before.len = before_end.max(gap.offset + gap.len) - before.offset;
            }
            touches
        });
    }
}
