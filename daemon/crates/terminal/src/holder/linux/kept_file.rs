//! A session's kept state: bytes in memory that the worker writes and the next worker reads. The holder only has the file
//! open, so a write wakes nobody.
//! The file starts with the place of the last kept state. A new one is written to another place before the start of the
//! file points there, so a worker that is killed meanwhile leaves the last one.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;

use super::memory_file;

/// Offset and length of the last kept state, each 8 bytes.
const HEADER_BYTES: u64 = 16;

/// A longer file is cut after its last kept state.
const LONG_BYTES: u64 = 64 << 10;

/// More than any kept state has.
const MAX_BYTES: u64 = 64 << 20;

/// The worker's end.
#[derive(Debug)]
pub struct KeptFile {
    file: File,
    place: FileRange,
}

#[derive(Debug, Clone, Copy)]
struct FileRange {
    offset: u64,
    len: u64,
}

impl FileRange {
    fn end(self) -> u64 {
        self.offset + self.len
    }

    fn to_bytes(self) -> [u8; HEADER_BYTES as usize] {
        let number = u128::from(self.offset) | u128::from(self.len) << 64;
        number.to_le_bytes()
    }

    fn from_bytes(bytes: [u8; HEADER_BYTES as usize]) -> Self {
        let number = u128::from_le_bytes(bytes);
        Self {
            offset: number as u64,
            len: (number >> 64) as u64,
        }
    }
}

impl KeptFile {
    pub(crate) fn create(kept_state: &[u8]) -> io::Result<Self> {
        let place = FileRange {
            offset: HEADER_BYTES,
            len: 0,
        };
        let mut created = Self {
            file: memory_file("ccd keepsake")?.into(),
            place,
        };
        created.write(kept_state)?;
        Ok(created)
    }

    /// Returns another descriptor of the file, for the holder.
    pub(crate) fn descriptor(&self) -> io::Result<Option<OwnedFd>> {
        self.file.try_clone().map(|file| Some(file.into()))
    }

    /// Opens the file of an earlier worker, and returns its last kept state.
    pub(crate) fn open(file: OwnedFd) -> io::Result<(Self, Vec<u8>)> {
        let file = File::from(file);
        let mut header = [0; HEADER_BYTES as usize];
        file.read_exact_at(&mut header, 0)?;
        let place = FileRange::from_bytes(header);
        if place.len > MAX_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut kept_state = vec![0; place.len as usize];
        file.read_exact_at(&mut kept_state, place.offset)?;
        Ok((Self { file, place }, kept_state))
    }

    /// Replaces the kept state. On an error, the last kept state remains.
    pub fn write(&mut self, kept_state: &[u8]) -> io::Result<()> {
        let last = self.place;
        let len = kept_state.len() as u64;
        let offset = if HEADER_BYTES + len <= last.offset {
            HEADER_BYTES
        } else {
            last.end()
        };
        let place = FileRange { offset, len };
        self.file.write_all_at(kept_state, place.offset)?;
        self.file.write_all_at(&place.to_bytes(), 0)?;
        if last.end() > LONG_BYTES && place.end() < last.end() {
            self.file.set_len(place.end())?;
        }
        self.place = place;
        Ok(())
    }
}

impl AsFd for KeptFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &KeptFile) -> Vec<u8> {
        let copy = file.as_fd().try_clone_to_owned().unwrap();
        KeptFile::open(copy).unwrap().1
    }

    #[test]
    fn the_last_kept_state_is_read() {
        let mut file = KeptFile::create(b"first").unwrap();
        assert_eq!(read(&file), b"first");
        for len in [0, 1, 7, 100, 50, 200_000, 3, 60, 100_000, 100_001, 5, 5, 5] {
            let kept_state = vec![b'x'; len];
            file.write(&kept_state).unwrap();
            assert_eq!(read(&file), kept_state, "{len}");
        }
        assert!(file.file.metadata().unwrap().len() < 100);
    }

    #[test]
    fn until_the_new_one_is_complete_the_last_one_is_read() {
        let mut file = KeptFile::create(b"first").unwrap();
        for last in ["first", "second, which is longer", "third"] {
            file.write(last.as_bytes()).unwrap();
            let place = file.place;
            let free = match place.offset {
                HEADER_BYTES => place.end(),
                _ => HEADER_BYTES,
            };
            file.file.write_all_at(b"half", free).unwrap();
            assert_eq!(read(&file), last.as_bytes());
        }
    }

    #[test]
    fn what_is_no_kept_state_is_refused() {
        for bytes in [&b""[..], b"short", &[0xff; 40]] {
            let file = File::from(memory_file("test").unwrap());
            file.write_all_at(bytes, 0).unwrap();
            assert!(KeptFile::open(file.into()).is_err());
        }
    }
}
