//! Output around an event, read at once: for a session that has ended, each read opens a file.

use super::event::Subject;
use crate::output::Piece;

/// Output from an offset on.
#[derive(Debug, Default)]
pub(super) struct Nearby {
    start: u64,
    bytes: Vec<u8>,
    /// There is no more output after it.
    is_to_the_end: bool,
}

impl Nearby {
    /// Reads `[from, end)` and `margin` bytes on both sides, as far as available without a gap.
    pub(super) async fn around(session: &dyn Subject, from: u64, end: u64, margin: u64) -> Self {
        let start = from.saturating_sub(margin);
        let mut nearby = Self {
            start,
            ..Self::default()
        };
        let mut at = start;
        while at < end + margin {
            let most = usize::try_from(end + margin - at).unwrap_or(usize::MAX);
            match session.about().output.read(at, most).await {
                Ok(Piece::Bytes(more)) => {
                    at += more.len() as u64;
                    nearby.bytes.extend_from_slice(&more);
                }
                Ok(Piece::Pending | Piece::End) => {
                    nearby.is_to_the_end = true;
                    break;
                }
                Ok(Piece::Missing { .. }) | Err(_) => break,
            }
        }
        nearby
    }

    /// Returns `len` bytes from `from` on, fewer at the end of the output; `None` if a part of the range is not here.
    fn part(&self, from: u64, len: usize) -> Option<&[u8]> {
        let at = usize::try_from(from.checked_sub(self.start)?).ok()?;
        let end = at.saturating_add(len);
        if self.is_to_the_end {
            self.bytes.get(at..end.min(self.bytes.len()))
        } else {
            self.bytes.get(at..end)
        }
    }

    /// Reads `len` bytes from `from` on, or as many as there are; skips gaps.
    pub(super) async fn read(&self, session: &dyn Subject, from: u64, len: usize) -> Vec<u8> {
        if let Some(part) = self.part(from, len) {
            return part.to_vec();
        }
        let mut bytes = Vec::new();
        let mut at = from;
        while bytes.len() < len {
            match session.about().output.read(at, len - bytes.len()).await {
                Ok(Piece::Bytes(more)) => {
                    at += more.len() as u64;
                    bytes.extend_from_slice(&more);
                }
                Ok(Piece::Missing { resume }) if resume < from + len as u64 => at = resume,
                _ => break,
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_read_is_here() {
        let mut nearby = Nearby {
            start: 10,
            bytes: b"abcdef".to_vec(),
            is_to_the_end: false,
        };
        assert_eq!(nearby.part(10, 3), Some(&b"abc"[..]));
        assert_eq!(nearby.part(12, 4), Some(&b"cdef"[..]));
        assert_eq!((nearby.part(9, 1), nearby.part(12, 5)), (None, None));
        nearby.is_to_the_end = true;
        assert_eq!(nearby.part(12, 5), Some(&b"cdef"[..]));
        assert_eq!(nearby.part(16, 5), Some(&b""[..]));
        assert_eq!(nearby.part(17, 5), None);
    }
}
