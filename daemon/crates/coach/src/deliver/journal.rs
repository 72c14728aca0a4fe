//! The journal: payloads that were acknowledged and are not in the databases yet.
//! It is in the runtime directory, like the rings of sessions: its files outlive both processes, and on most systems they
//! are in memory, so payloads reach no disk before their secrets are removed. One `write` appends a record. A kill may cut
//! the last one short; nobody was told that it was taken, so the next start removes it. Once everything was processed, no
//! payload is left in it.

use super::Delivery;
use ccd_protocol::{ErrorCode, Reportable};
use ccd_store::folder::{FolderError, prepare_private};
use ccd_store::own_file;
use parking_lot::Mutex;
use std::fs::{self, File};
use std::io::{self, Seek as _, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most bytes that wait to be processed.
const MAX_WAITING_BYTES: u64 = 64 << 20;

/// After this many bytes, records go to another file; a file is removed once all of its records were processed.
const FILE_BYTES: u64 = 8 << 20;

/// Most bytes of one record: the largest request that the socket accepts, and its head.
const MAX_RECORD_BYTES: u32 = (64 << 20) + 1024;

/// Starts each record, before its length.
const MARK: [u8; 4] = *b"hook";
const HEAD_LEN: usize = 8;

const DONE: &str = "done";

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("{} MiB of hook payloads already wait to be processed", MAX_WAITING_BYTES >> 20)]
    Full,
    #[error("the journal of hooks cannot be written: {0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Folder(#[from] FolderError),
}

impl Reportable for JournalError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Full => ErrorCode::Busy,
            Self::Io(_) | Self::Folder(_) => ErrorCode::Storage,
        }
    }
}

/// The end that appends. Positions count bytes since the journal was first used.
#[derive(Debug)]
pub(crate) struct Journal {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    tail: Mutex<Tail>,
    /// Where the last record ends.
    end: AtomicU64,
    /// Where the first record begins that was not processed.
    done: AtomicU64,
}

#[derive(Debug)]
struct Tail {
    file: File,
    /// The position of its first byte.
    start: u64,
}

/// The end that reads. There is one.
#[derive(Debug)]
pub(crate) struct Reader {
    shared: Arc<Shared>,
    done_file: File,
    position: u64,
    current: Option<(u64, File)>,
}

impl Journal {
    /// Opens the journal in `folder`, and creates it. What an earlier process was writing when it was killed is removed.
    pub(crate) fn open(folder: &Path) -> Result<(Self, Reader), JournalError> {
        prepare_private(folder)?;
        let done_file = own_file::update(&folder.join(DONE))?;
        let mut done = read_number(&done_file)?;
        let starts = file_starts(folder)?;
        let newest = starts.last().copied().unwrap_or(done);
        let first = starts.first().copied().unwrap_or(done);
        done = done.max(first);
        let file = own_file::append(&path_of(folder, newest))?;
        // In older files, every record is whole.
        let from = done.max(newest);
        let len = whole_records(&file, from - newest)?;
        file.set_len(len)?;
        let shared = Arc::new(Shared {
            folder: folder.to_owned(),
            tail: Mutex::new(Tail {
                file,
                start: newest,
            }),
            end: (newest + len).into(),
            done: done.into(),
        });
        let reader = Reader {
            shared: Arc::clone(&shared),
            done_file,
            position: done,
            current: None,
        };
        Ok((Self { shared }, reader))
    }

    /// Appends a payload. Once this returns, it survives a kill of the daemon. On an error, nothing was appended.
    pub(crate) fn append(&self, delivery: &Delivery) -> Result<(), JournalError> {
        let body = delivery.to_record();
        let mut record = Vec::with_capacity(HEAD_LEN + body.len());
        record.extend_from_slice(&MARK);
        record.extend_from_slice(&(body.len() as u32).to_le_bytes());
        record.extend_from_slice(&body);
        let mut tail = self.shared.tail.lock();
        let end = self.shared.end.load(Ordering::Relaxed);
        if end - self.shared.done.load(Ordering::Relaxed) + record.len() as u64 > MAX_WAITING_BYTES
        {
            return Err(JournalError::Full);
        }
        if end - tail.start >= FILE_BYTES {
            *tail = self.shared.new_tail(end)?;
        }
        if tail.file.metadata()?.nlink() == 0 {
            self.shared.put_back(&mut tail)?;
        }
        if let Err(error) = tail.file.write_all(&record) {
            // A part of it, for example on a full disk, would hide the records after it.
            tail.file.set_len(end - tail.start)?;
            return Err(error.into());
        }
        let end = end + record.len() as u64;
        self.shared.end.store(end, Ordering::Release);
        Ok(())
    }

    /// Returns where the last record ends, and up to where records were processed.
    pub(crate) fn positions(&self) -> (u64, u64) {
        let end = self.shared.end.load(Ordering::Acquire);
        (end, self.shared.done.load(Ordering::Acquire))
    }

    pub(crate) fn waiting_bytes(&self) -> u64 {
        let (end, done) = self.positions();
        end.saturating_sub(done)
    }
}

impl Shared {
    /// Creates the file for the records from `start` on.
    fn new_tail(&self, start: u64) -> Result<Tail, JournalError> {
        prepare_private(&self.folder)?;
        let file = own_file::append(&path_of(&self.folder, start))?;
        Ok(Tail { file, start })
    }

    /// Writes the records of the last file, which somebody has removed, to a new one.
    fn put_back(&self, tail: &mut Tail) -> Result<(), JournalError> {
        let mut new = self.new_tail(tail.start)?;
        new.file.set_len(0)?; // an attempt that failed may have written a part
        tail.file.rewind()?;
        io::copy(&mut tail.file, &mut new.file)?;
        *tail = new;
        Ok(())
    }

    /// Returns the file that has the record at `position`, and where it starts.
    fn file_at(&self, position: u64) -> io::Result<Option<(u64, File)>> {
        let tail = self.tail.lock();
        if tail.start <= position {
            // Its path may have been removed.
            return Ok(Some((tail.start, tail.file.try_clone()?)));
        }
        drop(tail);
        let starts = file_starts(&self.folder)?;
        let start = starts.into_iter().rfind(|start| *start <= position);
        let open = |start| Ok((start, own_file::read(&path_of(&self.folder, start))?));
        start.map(open).transpose()
    }
}

impl Reader {
    /// Returns the next records, at least one if there is any, and about `max_bytes` at most.
    /// After an error, the next call reads the same records again.
    pub(crate) fn next(&mut self, max_bytes: usize) -> io::Result<Vec<Delivery>> {
        let end = self.shared.end.load(Ordering::Acquire);
        let (mut deliveries, mut bytes) = (Vec::new(), 0);
        while self.position < end && bytes < max_bytes {
            let Some(record) = self.record()? else {
                // Only damage from outside gets here: what comes after it is given up too.
                tracing::error!(position = self.position, "the journal of hooks is damaged");
                self.position = end;
                break;
            };
            self.position += (HEAD_LEN + record.len()) as u64;
            bytes += record.len();
            deliveries.extend(Delivery::from_record(&record));
        }
        Ok(deliveries)
    }

    /// Reports that all records returned so far are in the databases.
    /// After an error, they are processed again at the next start, which changes nothing.
    pub(crate) fn processed(&mut self) -> Result<(), JournalError> {
        self.done_file
            .write_all_at(&self.position.to_le_bytes(), 0)?;
        self.shared.done.store(self.position, Ordering::Release);
        let mut tail = self.shared.tail.lock();
        if self.position == self.shared.end.load(Ordering::Acquire) && tail.start < self.position {
            *tail = self.shared.new_tail(self.position)?;
        }
        drop(tail);
        let starts = file_starts(&self.shared.folder)?;
        // Each file ends where the next one starts; the last one is still in use.
        for pair in starts.windows(2).filter(|pair| pair[1] <= self.position) {
            fs::remove_file(path_of(&self.shared.folder, pair[0]))?;
        }
        Ok(())
    }

    /// Makes the next call return the same records again.
    pub(crate) fn go_back(&mut self) {
        self.position = self.shared.done.load(Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(crate) fn has_more(&self) -> bool {
        self.position < self.shared.end.load(Ordering::Acquire)
    }

    fn record(&mut self) -> io::Result<Option<Vec<u8>>> {
        let is_here = self.current.as_ref().is_some_and(|(start, file)| {
            let len = file.metadata().map_or(0, |meta| meta.len());
            (*start..start + len).contains(&self.position)
        });
        if !is_here {
            self.current = self.shared.file_at(self.position)?;
        }
        let Some((start, file)) = &self.current else {
            return Ok(None);
        };
        record_at(file, self.position - start)
    }
}

/// Returns the record at `offset`; `None` if there is no whole one.
fn record_at(file: &File, offset: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(len) = record_len(file, offset)? else {
        return Ok(None);
    };
    let mut record = vec![0; len as usize];
    file.read_exact_at(&mut record, offset + HEAD_LEN as u64)?;
    Ok(Some(record))
}

/// Returns the length of the record at `offset`, without its head; `None` if there is no whole one.
fn record_len(file: &File, offset: u64) -> io::Result<Option<u32>> {
    let file_len = file.metadata()?.len();
    let mut head = [0; HEAD_LEN];
    if offset + HEAD_LEN as u64 > file_len {
        return Ok(None);
    }
    file.read_exact_at(&mut head, offset)?;
    let [mark @ .., a, b, c, d] = head;
    let len = u32::from_le_bytes([a, b, c, d]);
    let is_whole = mark == MARK
        && len <= MAX_RECORD_BYTES
        && offset + HEAD_LEN as u64 + u64::from(len) <= file_len;
    Ok(is_whole.then_some(len))
}

/// Returns where the whole records from `offset` on end.
fn whole_records(file: &File, mut offset: u64) -> io::Result<u64> {
    while let Some(len) = record_len(file, offset)? {
        offset += HEAD_LEN as u64 + u64::from(len);
    }
    Ok(offset.min(file.metadata()?.len()))
}

fn read_number(file: &File) -> io::Result<u64> {
    let mut number = [0; 8];
    match file.read_exact_at(&mut number, 0) {
        Ok(()) => Ok(u64::from_le_bytes(number)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
        Err(error) => Err(error),
    }
}

fn path_of(folder: &Path, start: u64) -> PathBuf {
    folder.join(format!("{start:016x}"))
}

/// Returns the positions at which files start, in order.
fn file_starts(folder: &Path) -> io::Result<Vec<u64>> {
    let mut starts = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let start = name.to_str().filter(|name| name.len() == 16);
        starts.extend(start.and_then(|name| u64::from_str_radix(name, 16).ok()));
    }
    starts.sort_unstable();
    Ok(starts)
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
