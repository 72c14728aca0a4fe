//! Bytes of a file into lines, in pieces of any size.

use crate::line::{Line, LineType, Wrong, read};
use ccd_base::surrogate::mended;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// Longest line that is read. Longer ones are skipped.
pub const MAX_LINE_BYTES: usize = 32 << 20;

/// How much of a file is read at once.
const PIECE_BYTES: usize = 256 << 10;

/// At most so many numbers of skipped lines are kept.
const MAX_SKIPPED: usize = 1000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Lines so far, blank ones included.
    pub lines: u64,
    pub skipped: u64,
    /// The first skipped lines, counted from 1.
    pub skipped_lines: Vec<(u64, Skipped)>,
    /// Lines of other types than `assistant` and `user`.
    pub others: BTreeMap<String, u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skipped {
    Wrong(Wrong),
    TooLong,
}

/// Splits the bytes of one file into lines and reads them.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    counts: Counts,
    /// Where the next line starts.
    offset: u64,
    /// The start of a line whose end has not come yet.
    partial: Vec<u8>,
    /// Length of what was thrown away of a line that is too long.
    too_long: u64,
}

impl Lines {
    /// Returns one that goes on at a line which starts at `offset`.
    #[must_use]
    pub fn at(offset: u64, counts: Counts) -> Self {
        Self {
            counts,
            offset,
            ..Self::default()
        }
    }

    /// Takes the next bytes; `each` gets the lines that end in them, with their offset and length. A line ends at `\n` alone.
    pub fn feed(&mut self, mut bytes: &[u8], each: &mut impl FnMut(u64, u64, Line<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            if self.partial.is_empty() && self.too_long == 0 {
                self.take(line, each);
            } else {
                self.keep(line);
                let partial = std::mem::take(&mut self.partial);
                self.take(&partial, each);
                self.partial = partial;
                self.partial.clear();
            }
            self.offset += 1;
            bytes = rest;
        }
        self.keep(bytes);
    }

    /// Takes the next piece of a file, up to `end` at most. Returns its length, 0 at the end.
    pub(crate) fn read_piece(
        &mut self,
        file: &File,
        end: u64,
        piece: &mut Vec<u8>,
        each: &mut impl FnMut(u64, u64, Line<'_>),
    ) -> io::Result<u64> {
        let at = self.position();
        let left = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX);
        piece.resize(left.min(PIECE_BYTES), 0);
        let count = file.read_at(piece, at)?;
        self.feed(&piece[..count], each);
        Ok(count as u64)
    }

    /// Takes a file up to `end`, or to its end.
    pub(crate) fn read_to(
        &mut self,
        file: &File,
        end: u64,
        each: &mut impl FnMut(u64, u64, Line<'_>),
    ) -> io::Result<()> {
        let mut piece = Vec::new();
        while self.read_piece(file, end, &mut piece, each)? > 0 {}
        Ok(())
    }

    /// Returns how far the file was read.
    pub(crate) fn position(&self) -> u64 {
        self.offset + self.partial.len() as u64 + self.too_long
    }

    /// Takes a last line without an end, if it is whole. Half a line is one that is still being written.
    pub fn finish(&mut self, each: &mut impl FnMut(u64, u64, Line<'_>)) {
        let partial = std::mem::take(&mut self.partial);
        if self.too_long > 0 || !partial.is_empty() {
            self.take(&partial, each);
        }
    }

    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Returns where the first line starts that has not ended yet.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.too_long > 0 || self.partial.len() + bytes.len() > MAX_LINE_BYTES {
            self.too_long += (self.partial.len() + bytes.len()) as u64;
            self.partial = Vec::new();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn take(&mut self, bytes: &[u8], each: &mut impl FnMut(u64, u64, Line<'_>)) {
        self.counts.lines += 1;
        let len = match std::mem::take(&mut self.too_long) {
            0 => bytes.len() as u64,
            len => {
                self.skip(Skipped::TooLong);
                self.offset += len;
                return;
            }
        };
        // A byte order mark is no part of the first line.
        let mark = match self.offset {
            0 if bytes.starts_with(b"\xef\xbb\xbf") => 3,
            _ => 0,
        };
        let (offset, bytes) = (self.offset + mark, &bytes[mark as usize..]);
        self.offset += len;
        let len = len - mark;
        let json = mended(bytes);
        if json.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let text;
        let read = match read(&json) {
            Err(Wrong::NotJson) if std::str::from_utf8(&json).is_err() => {
                text = String::from_utf8_lossy(&json);
                read(text.as_bytes())
            }
            read => read,
        };
        match read {
            Ok(mut line) => {
                if let LineType::Other(kind) = &line.kind {
                    match self.counts.others.get_mut(kind.as_ref()) {
                        Some(count) => *count += 1,
                        None => drop(self.counts.others.insert(kind.to_string(), 1)),
                    }
                }
                line.raw = bytes;
                each(offset, len, line);
            }
            Err(wrong) => self.skip(Skipped::Wrong(wrong)),
        }
    }

    fn skip(&mut self, why: Skipped) {
        self.counts.skipped += 1;
        if self.counts.skipped_lines.len() < MAX_SKIPPED {
            self.counts.skipped_lines.push((self.counts.lines, why));
        }
    }
}

/// Returns a part of a file; an error of the kind `UnexpectedEof` if the file has become shorter.
pub(crate) fn bytes_at(file: &File, offset: u64, len: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(usize::MAX)];
    file.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}

/// Returns a line as [`bytes_at`] does. Bytes that are not UTF-8 are replaced.
pub(crate) fn line_at(file: &File, offset: u64, len: u64) -> io::Result<String> {
    let text = String::from_utf8(bytes_at(file, offset, len)?);
    Ok(text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}
