//! The log of one session on disk: `output.log` and the rotated files before it.
//! A rotated file is named after the offset of its first byte, so names cannot collide and the
//! folder is enough to tell which bytes exist. Where bytes were lost, a new file starts after
//! the gap: no file ever contains a hole. The base of `output.log` is stored in `output.base`, which is
//! written before the log itself.

use ccd_store::own_file;
use rustix::fs::fstat;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

const CURRENT: &str = "output.log";
const BASE: &str = "output.base";

/// Enough for a number and a line feed.
const MAX_BASE_BYTES: u64 = 32;

/// How often a reader retries if a file is rotated or deleted during the read.
const LOOKS: usize = 100;

/// A file of the log: bytes `[start, start + len)` of the session's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    pub start: u64,
    pub len: u64,
    /// True for `output.log`, false for a rotated file.
    pub current: bool,
}

impl Segment {
    pub fn end(self) -> u64 {
        self.start + self.len
    }

    fn name(self) -> (u64, bool) {
        (self.start, self.current)
    }

    fn path(self, dir: &Path) -> PathBuf {
        if self.current {
            dir.join(CURRENT)
        } else {
            rotated(dir, self.start)
        }
    }
}

pub fn current_path(dir: &Path) -> PathBuf {
    dir.join(CURRENT)
}

fn rotated(dir: &Path, start: u64) -> PathBuf {
    dir.join(format!("output-{start:015}.log"))
}

/// Writes the log. It has one owner at a time, and moves into the blocking call and back.
#[derive(Debug)]
pub struct LogWriter {
    dir: PathBuf,
    file: Option<File>,
    pub(super) base: u64,
    len: u64,
    /// Length at which a file is closed.
    pub(super) rotation_bytes: u64,
    /// How often a file was closed and a new one begun.
    pub(super) rotations: u64,
    /// Bytes before this offset never were in this log, or were dropped.
    oldest: u64,
    lost: Vec<Range<u64>>,
}

impl LogWriter {
    /// Makes a writer whose first byte will have the offset `base`; the file is created with the first byte.
    pub fn new(dir: PathBuf, base: u64, rotation_bytes: u64) -> Self {
        Self {
            dir,
            file: None,
            base,
            len: 0,
            rotation_bytes: rotation_bytes.max(1),
            rotations: 0,
            oldest: base,
            lost: Vec::new(),
        }
    }

    /// Continues after the last byte of the files on disk, at the start of a daemon.
    /// `hint` is a base that is known from elsewhere; it is used if `output.log` is missing.
    pub fn resume(dir: PathBuf, hint: u64, rotation_bytes: u64) -> io::Result<Self> {
        let segments = segments(&dir)?;
        let last = segments.last().copied();
        let mut writer = Self::new(dir, hint, rotation_bytes);
        writer.oldest = segments.first().map_or(hint, |first| first.start);
        if let Some(last) = last {
            if last.current {
                writer.base = last.start;
                writer.len = last.len;
                writer.file = Some(open_append(&current_path(&writer.dir))?);
            } else {
                writer.base = hint.max(last.end());
            }
        }
        Ok(writer)
    }

    pub fn end(&self) -> u64 {
        self.base + self.len
    }

    /// Appends `data`, whose first byte has the offset `offset`.
    /// After an error, the data in files before the failure is logged.
    pub fn append(&mut self, mut offset: u64, mut data: &[u8]) -> io::Result<()> {
        while !data.is_empty() {
            let len = self.append_some(offset, data)?;
            offset += len as u64;
            data = &data[len..];
        }
        Ok(())
    }

    /// Appends the part of `data` that belongs into one file, and returns its length: at least one byte.
    /// After an error, none of `data` counts as logged; the part that the disk accepted is cut off again.
    pub(crate) fn append_some(&mut self, offset: u64, data: &[u8]) -> io::Result<usize> {
        let vanished = match &self.file {
            Some(file) => fstat(file)?.st_nlink == 0,
            None => false,
        };
        if vanished {
            // The folder was deleted: start again after the lost part.
            self.note_lost()?;
            self.file = None;
            self.base = offset;
            self.len = 0;
        }
        let jumped = offset != self.end();
        if self.file.is_some() && (jumped || self.len >= self.rotation_bytes) {
            self.close_current()?;
        }
        if self.file.is_none() {
            self.begin(offset)?;
        }
        let Some(file) = self.file.as_mut() else {
            return Err(io::Error::other("the log has no file"));
        };
        let room = usize::try_from(self.rotation_bytes - self.len).unwrap_or(usize::MAX);
        let data = &data[..data.len().min(room)];
        if let Err(error) = file.write_all(data) {
            // Cut back to the logged length; this works even on a full disk.
            let _ = file.set_len(self.len);
            return Err(error);
        }
        self.len += data.len() as u64;
        Ok(data.len())
    }

    /// Notes which parts of the log are no longer in a file, after the current file was deleted.
    fn note_lost(&mut self) -> io::Result<()> {
        let mut left = segments(&self.dir)?;
        // An `output.log` that exists now was not written by this writer, and is overwritten.
        left.retain(|segment| !segment.current);
        let mut at = self.oldest;
        for segment in &left {
            if segment.start > at {
                self.lost.push(at..segment.start);
            }
            at = at.max(segment.end());
        }
        if at < self.end() {
            self.lost.push(at..self.end());
        }
        self.oldest = left.first().map_or(self.end(), |first| first.start);
        Ok(())
    }

    /// Returns and clears the ranges of the log that were found to be deleted, including gaps within them.
    pub(crate) fn take_lost(&mut self) -> Vec<Range<u64>> {
        std::mem::take(&mut self.lost)
    }

    fn close_current(&mut self) -> io::Result<()> {
        self.file = None;
        if self.len > 0 {
            fs::rename(current_path(&self.dir), rotated(&self.dir, self.base))?;
            self.rotations += 1;
        }
        self.base = self.end();
        self.len = 0;
        Ok(())
    }

    fn begin(&mut self, offset: u64) -> io::Result<()> {
        self.base = offset;
        self.len = 0;
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.dir)?;
        if offset > 0 {
            write_base(&self.dir, offset)?;
        }
        self.file = Some(own_file::replace(&current_path(&self.dir))?);
        Ok(())
    }

    /// Deletes rotated files, oldest first, down to `max_bytes` of log; returns the offset of the oldest byte left.
    pub(crate) fn drop_oldest(&mut self, max_bytes: u64) -> io::Result<u64> {
        let segments = segments(&self.dir)?;
        let mut total: u64 = segments.iter().map(|segment| segment.len).sum();
        for segment in &segments {
            if total <= max_bytes || segment.current {
                self.oldest = self.oldest.max(segment.start);
                break;
            }
            fs::remove_file(segment.path(&self.dir))?;
            total -= segment.len;
            self.oldest = segment.end();
        }
        Ok(self.oldest)
    }
}

fn open_append(path: &Path) -> io::Result<File> {
    let mut file = own_file::existing(path)?;
    file.seek(SeekFrom::End(0))?;
    Ok(file)
}

fn write_base(dir: &Path, base: u64) -> io::Result<()> {
    let beside = dir.join("output.base.new");
    writeln!(own_file::replace(&beside)?, "{base}")?;
    fs::rename(beside, dir.join(BASE))
}

fn read_base(dir: &Path) -> u64 {
    own_file::content(&dir.join(BASE), MAX_BASE_BYTES)
        .ok()
        .and_then(|text| String::from_utf8(text).ok()?.trim().parse().ok())
        .unwrap_or(0)
}

/// Returns the regular files of a log in the order of their offsets; none if there is no folder.
pub fn segments(dir: &Path) -> io::Result<Vec<Segment>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    let mut current = None;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let rotated = name
            .strip_prefix("output-")
            .and_then(|rest| rest.strip_suffix(".log"))
            .and_then(|digits| digits.parse().ok());
        if name != CURRENT && rotated.is_none() {
            continue;
        }
        let len = match entry.metadata() {
            // Deleted or renamed in the meantime.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Ok(found) if !found.is_file() => continue,
            metadata => metadata?.len(),
        };
        match rotated {
            Some(start) => found.push(Segment {
                start,
                len,
                current: false,
            }),
            None => current = Some(len),
        }
    }
    found.sort_unstable_by_key(|segment| segment.start);
    if let Some(len) = current {
        let rotated_end = found.last().map_or(0, |segment| segment.end());
        found.push(Segment {
            start: rotated_end.max(read_base(dir)),
            len,
            current: true,
        });
    }
    Ok(found)
}

#[derive(Debug, PartialEq, Eq)]
pub enum Logged {
    /// Bytes from the requested offset on.
    Bytes(Vec<u8>),
    /// No file has this byte; the next existing byte has the offset `resume`.
    Missing { resume: u64 },
}

/// Reads up to `max_bytes` from `offset` on, from one file; `limit` is the greatest possible end of the log.
pub fn read(dir: &Path, offset: u64, max_bytes: usize, limit: u64) -> io::Result<Logged> {
    for _ in 0..LOOKS {
        let found = segment_at(dir, offset)?;
        let segment = found.filter(|segment| segment.start <= offset);
        let file = match segment.map(|segment| own_file::read(&segment.path(dir))) {
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => continue,
            file => file.transpose()?,
        };
        // A rotated file keeps its name and content. But `output.log` may have been a different file when it was
        // opened, and a listing may miss a file that is just being renamed: such a result is only used if a second
        // listing finds the same.
        let is_certain = segment.is_some_and(|segment| !segment.current);
        if !is_certain && segment_at(dir, offset)?.map(Segment::name) != found.map(Segment::name) {
            continue;
        }
        let (Some(segment), Some(mut file)) = (segment, file) else {
            let resume = found.map_or(limit, |next| next.start.min(limit));
            return Ok(Logged::Missing { resume });
        };
        let left = (segment.end().min(limit) - offset).min(max_bytes as u64);
        file.seek(SeekFrom::Start(offset - segment.start))?;
        let mut bytes = Vec::new();
        file.take(left).read_to_end(&mut bytes)?;
        if bytes.is_empty() {
            break;
        }
        return Ok(Logged::Bytes(bytes));
    }
    Ok(Logged::Missing { resume: limit })
}

/// Returns the first file that ends after `offset`.
fn segment_at(dir: &Path, offset: u64) -> io::Result<Option<Segment>> {
    let mut segments = segments(dir)?.into_iter();
    Ok(segments.find(|segment| offset < segment.end()))
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
