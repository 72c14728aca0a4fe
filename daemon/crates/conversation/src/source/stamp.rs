//! Whether a file is still the one that was read.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;

/// Length of the two parts that are compared.
const PART_BYTES: u64 = 1024;

/// The part of a file that was read, by which the file is recognised.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ReadPart {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) len: u64,
    /// See [`stamp`]; `None` if the part was skipped.
    pub(crate) stamp: Option<u64>,
}

impl ReadPart {
    pub(crate) fn new(file: &Metadata, len: u64, stamp: Option<u64>) -> Self {
        Self {
            device: file.dev(),
            inode: file.ino(),
            len,
            stamp,
        }
    }

    /// Returns whether the file that is at a path now starts with this part: another one may have come there, or it may have
    /// been written anew in place. Blocks.
    pub(crate) fn is_start_of(&self, path: &Path, now: &Metadata) -> bool {
        self.is_same_file(now.dev(), now.ino(), now.len()) && self.has_stamp(path)
    }

    pub(crate) fn is_same_file(&self, device: u64, inode: u64, len: u64) -> bool {
        (self.device, self.inode) == (device, inode) && self.len <= len
    }

    /// Two reads of a kilobyte.
    pub(crate) fn has_stamp(&self, path: &Path) -> bool {
        self.stamp.is_none_or(|known| {
            let now = File::open(path).and_then(|file| stamp(&file, self.len));
            now.is_ok_and(|now| now == known)
        })
    }
}

/// Returns a hash of the start of a file and of what is before `read`: a file that was written anew has others, as far as
/// programs write transcripts.
pub(crate) fn stamp(file: &File, read: u64) -> io::Result<u64> {
    let len = read.min(PART_BYTES) as usize;
    let mut parts = vec![0; 2 * len];
    let (start, end) = parts.split_at_mut(len);
    file.read_exact_at(start, 0)?;
    file.read_exact_at(end, read - len as u64)?;
    Ok(hash(&parts))
}

/// Returns FNV-1a of bytes: it must be the same in every build.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
