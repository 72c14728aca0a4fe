//! Whether a file is still the one that was read.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// Length of the two parts that are compared.
const PART_BYTES: u64 = 1024;

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
