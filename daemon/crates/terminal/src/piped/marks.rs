//! Which output is standard error: an append-only file of marks in the session's directory.
//! A mark says from which offset on the output belongs to which stream. It is written before the first byte after it is
//! printed, so the marks are complete for all existing output, whichever process is killed.

use ccd_protocol::tape::Stream;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// The file's name in the session's directory.
pub const NAME: &str = "streams";

/// Length of a mark: the offset, shifted by one bit for the stream, little-endian.
const MARK_BYTES: usize = 8;

/// Maximum number of marks of one session (8 MiB). Output after the last mark counts as that mark's stream.
const MAX_MARKS: u64 = 1 << 20;

/// Writes marks before output is printed.
#[derive(Debug)]
pub struct MarkWriter {
    file: File,
    /// Length of the file, in marks.
    len: u64,
    /// The offset of the next output.
    offset: u64,
    stream: Stream,
}

impl MarkWriter {
    /// Opens the marks at `path` to continue them, or creates the file. The next output is at `offset`. Blocks.
    pub fn open(path: &Path, offset: u64) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let options = options.read(true).append(true).create(true).mode(0o600);
        let mut file = options.open(path)?;
        let len = file.metadata()?.len() / MARK_BYTES as u64;
        let mut last = [0; MARK_BYTES];
        if len > 0 {
            file.seek(SeekFrom::Start((len - 1) * MARK_BYTES as u64))?;
            file.read_exact(&mut last)?;
        }
        Ok(Self {
            file,
            len,
            offset,
            stream: parse(last).1,
        })
    }

    /// Marks the next `len` bytes as output of this stream. If the mark cannot be written, they count as the other
    /// stream, because printing them is more important.
    pub fn before(&mut self, stream: Stream, len: usize) {
        if stream != self.stream && len > 0 && self.len < MAX_MARKS && self.mark(stream).is_ok() {
            self.stream = stream;
            self.len += 1;
        }
        self.offset += len as u64;
    }

    fn mark(&mut self, stream: Stream) -> io::Result<()> {
        let mark = (self.offset << 1) | u64::from(stream == Stream::Stderr);
        let written = self.file.write_all(&mark.to_le_bytes());
        if written.is_err() {
            // An incomplete mark would merge with the next one.
            self.file.set_len(self.len * MARK_BYTES as u64)?;
        }
        written
    }
}

fn parse(mark: [u8; MARK_BYTES]) -> (u64, Stream) {
    let mark = u64::from_le_bytes(mark);
    let stream = match mark & 1 {
        0 => Stream::Stdout,
        _ => Stream::Stderr,
    };
    (mark >> 1, stream)
}

#[derive(Debug, Default)]
pub struct Marks {
    /// Sorted by offset.
    all: Vec<(u64, Stream)>,
    /// Number of marks that were read from the file.
    read: u64,
}

impl Marks {
    /// Reads the marks from a session's directory; there are none if the file does not exist. Blocks.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let mut marks = Self::default();
        marks.follow(folder)?;
        Ok(marks)
    }

    /// Reads new marks. Blocks.
    pub fn follow(&mut self, folder: &Path) -> io::Result<()> {
        let mut file = match File::open(folder.join(NAME)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            file => file?,
        };
        file.seek(SeekFrom::Start(self.read * MARK_BYTES as u64))?;
        let mut bytes = Vec::new();
        let room = MAX_MARKS.saturating_sub(self.read) * MARK_BYTES as u64;
        file.take(room).read_to_end(&mut bytes)?;
        self.add(&bytes);
        Ok(())
    }

    /// Adds marks. An incomplete last mark, which a killed writer may leave, is ignored.
    fn add(&mut self, bytes: &[u8]) {
        for mark in bytes.as_chunks::<MARK_BYTES>().0 {
            let (offset, stream) = parse(*mark);
            let last = self.all.last().map_or(0, |&(offset, _)| offset);
            self.all.push((offset.max(last), stream));
            self.read += 1;
        }
    }

    /// Returns where the stream changes, sorted by offset; before the first change it is standard output.
    pub fn changes(&self) -> &[(u64, Stream)] {
        &self.all
    }

    /// Returns the parts of the output between two offsets, each of one stream.
    pub fn parts(&self, from: u64, upto: u64) -> Vec<StreamPart> {
        let behind = self.all.partition_point(|&(offset, _)| offset <= from);
        let before = self.all[..behind].last();
        let (mut at, mut stream) = (from, before.map_or(Stream::Stdout, |&(_, stream)| stream));
        let mut parts: Vec<StreamPart> = Vec::new();
        let mut push = |from, upto, stream| match parts.last_mut() {
            _ if from == upto => {}
            Some(last) if last.stream == stream => last.upto = upto,
            _ => parts.push(StreamPart { from, upto, stream }),
        };
        for &(offset, next) in self.all[behind..].iter().take_while(|mark| mark.0 < upto) {
            push(at, offset, stream);
            (at, stream) = (offset, next);
        }
        push(at, upto.max(at), stream);
        parts
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamPart {
    pub from: u64,
    /// The offset after the last byte.
    pub upto: u64,
    pub stream: Stream,
}

#[cfg(test)]
mod tests {
    use super::Stream::{Stderr, Stdout};
    use super::*;
    use proptest::prelude::*;

    fn print(writer: &mut MarkWriter, pieces: &[(Stream, usize)]) {
        for &(stream, len) in pieces {
            writer.before(stream, len);
        }
    }

    fn parts(marks: &Marks, from: u64, upto: u64) -> Vec<(u64, u64, Stream)> {
        let parts = marks.parts(from, upto).into_iter();
        parts
            .map(|part| (part.from, part.upto, part.stream))
            .collect()
    }

    #[test]
    fn what_was_printed_is_told_apart_also_by_another_process() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        let mut marks = Marks::read(folder.path()).unwrap();
        assert_eq!(parts(&marks, 0, 4), [(0, 4, Stdout)]);
        let mut writer = MarkWriter::open(&path, 0).unwrap();
        print(
            &mut writer,
            &[(Stdout, 3), (Stderr, 2), (Stderr, 1), (Stderr, 0)],
        );
        marks.follow(folder.path()).unwrap();
        assert_eq!(parts(&marks, 0, 6), [(0, 3, Stdout), (3, 6, Stderr)]);
        let mut writer = MarkWriter::open(&path, 6).unwrap();
        print(&mut writer, &[(Stderr, 1), (Stdout, 4)]);
        // The writer was killed after the mark and before the byte.
        let mut writer_again = MarkWriter::open(&path, 7).unwrap();
        print(&mut writer_again, &[(Stderr, 2), (Stdout, 1)]);
        marks.follow(folder.path()).unwrap();
        let all = [(2, 3, Stdout), (3, 9, Stderr), (9, 20, Stdout)];
        assert_eq!(parts(&marks, 2, 20), all);
        assert_eq!(parts(&marks, 4, 5), [(4, 5, Stderr)]);
        assert_eq!(std::fs::read(&path).unwrap().len() % MARK_BYTES, 0);
    }

    proptest! {
        #[test]
        fn any_bytes_make_parts_that_follow_each_other(
            bytes in proptest::collection::vec(any::<u8>(), 0..100), cut in 0..100_usize, from in any::<u64>(), len in any::<u64>()
        ) {
            let mut marks = Marks::default();
            let cut = cut.min(bytes.len()) / MARK_BYTES * MARK_BYTES;
            marks.add(&bytes[..cut]);
            marks.add(&bytes[cut..]);
            let upto = from.saturating_add(len);
            let mut at = from;
            for (start, end, _) in parts(&marks, from, upto) {
                prop_assert!(start == at && start < end && end <= upto);
                at = end;
            }
            prop_assert_eq!(at, upto);
        }
    }
}
