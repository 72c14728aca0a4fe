//! The newest output, in memory: bounded by lines and by bytes.

use std::collections::VecDeque;

/// Most bytes kept in memory for one session.
pub(super) const MAX_HISTORY_BYTES: usize = 4 << 20;

/// Bytes of a block, except that the last one may have less.
const BLOCK_BYTES: usize = 16 << 10;

/// Output `[start, end)`, oldest bytes dropped first.
#[derive(Debug)]
pub(super) struct History {
    /// Oldest first; none is empty. Lines are counted when they arrive, so that a flood is not read again to be trimmed.
    blocks: VecDeque<Block>,
    /// Bytes of the first block that were dropped.
    skip: usize,
    /// Offset of the oldest byte kept.
    pub(super) start: u64,
    len: usize,
    newlines: u64,
    /// Newlines since the session began.
    pub(super) total_newlines: u64,
    max_lines: u64,
}

#[derive(Debug, Default)]
struct Block {
    bytes: Vec<u8>,
    /// How many of its newlines were not dropped.
    newlines: u64,
}

impl History {
    /// Makes an empty history whose next byte has the offset `start`.
    pub(super) fn new(start: u64, max_lines: u64) -> Self {
        Self {
            blocks: VecDeque::new(),
            skip: 0,
            start,
            len: 0,
            newlines: 0,
            total_newlines: 0,
            max_lines: max_lines.max(1),
        }
    }

    pub(super) fn behind(start: u64, newlines: u64, max_lines: u64) -> Self {
        Self {
            total_newlines: newlines,
            ..Self::new(start, max_lines)
        }
    }

    /// Returns the offset just after the newest byte.
    pub(super) fn end(&self) -> u64 {
        self.start + self.len as u64
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of newlines from the offset `from` on, which must be in memory.
    pub(super) fn newlines_from(&self, from: u64) -> u64 {
        let mut left = usize::try_from(self.end().saturating_sub(from)).unwrap_or(usize::MAX);
        let mut newlines = 0;
        for (index, block) in self.blocks.iter().enumerate().rev() {
            let kept = self.kept(index, block);
            if left < kept.len() {
                return newlines + count(&kept[kept.len() - left..]);
            }
            newlines += block.newlines;
            left -= kept.len();
        }
        newlines
    }

    /// Appends output and drops what exceeds the limits, but nothing from `keep_from` on.
    pub(super) fn append(&mut self, data: &[u8], keep_from: u64) {
        let over = (self.len + data.len()).saturating_sub(MAX_HISTORY_BYTES);
        self.drop_front(over, keep_from);
        let mut rest = data;
        while !rest.is_empty() {
            let is_full = |block: &Block| block.bytes.len() >= BLOCK_BYTES;
            if self.blocks.back().is_none_or(is_full) {
                self.blocks.push_back(Block::default());
            }
            let Some(last) = self.blocks.back_mut() else {
                return; // it was just added
            };
            let (taken, left) = rest.split_at(rest.len().min(BLOCK_BYTES - last.bytes.len()));
            let newlines = count(taken);
            last.bytes.extend_from_slice(taken);
            last.newlines += newlines;
            self.newlines += newlines;
            self.total_newlines += newlines;
            rest = left;
        }
        self.len += data.len();
        self.trim_lines(keep_from);
    }

    /// Drops what exceeds the limits, but nothing from `keep_from` on.
    pub(super) fn trim(&mut self, keep_from: u64) {
        let over = self.len.saturating_sub(MAX_HISTORY_BYTES);
        self.drop_front(over, keep_from);
        self.trim_lines(keep_from);
    }

    /// Appends at most `max_bytes` from `from` on, which must lie within `[start, end]`, to `into`.
    pub(super) fn copy(&self, from: u64, max_bytes: usize, into: &mut Vec<u8>) {
        let skip = usize::try_from(from - self.start).unwrap_or(usize::MAX);
        // All blocks before the last one have the same length.
        let (first, mut at) = (
            (self.skip + skip) / BLOCK_BYTES,
            (self.skip + skip) % BLOCK_BYTES,
        );
        let mut left = self.len.saturating_sub(skip).min(max_bytes);
        into.reserve(left);
        for block in self.blocks.iter().skip(first) {
            let part = &block.bytes[at..block.bytes.len().min(at + left)];
            into.extend_from_slice(part);
            left -= part.len();
            at = 0;
            if left == 0 {
                return;
            }
        }
    }

    /// Drops everything, because the log has it.
    pub(super) fn clear(&mut self) {
        self.restart(self.end());
    }

    /// Drops everything; the next byte has the offset `start`.
    pub(super) fn restart(&mut self, start: u64) {
        *self = Self::behind(start, self.total_newlines, self.max_lines);
    }

    fn kept<'a>(&self, index: usize, block: &'a Block) -> &'a [u8] {
        let skip = if index == 0 { self.skip } else { 0 };
        &block.bytes[skip..]
    }

    fn drop_front(&mut self, len: usize, keep_from: u64) {
        let allowed = usize::try_from(keep_from.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let len = len.min(allowed).min(self.len);
        let mut left = len;
        while let Some(first) = self.blocks.front_mut() {
            let kept = &first.bytes[self.skip..];
            if left < kept.len() {
                let gone = count(&kept[..left]);
                first.newlines -= gone;
                self.newlines -= gone;
                self.skip += left;
                break;
            }
            left -= kept.len();
            self.newlines -= first.newlines;
            self.skip = 0;
            self.blocks.pop_front();
        }
        self.start += len as u64;
        self.len -= len;
    }

    /// Keeps `max_lines` whole lines and the unfinished line after them.
    fn trim_lines(&mut self, keep_from: u64) {
        let mut excess = self.newlines.saturating_sub(self.max_lines);
        if excess == 0 {
            return;
        }
        let mut len = 0;
        for (index, block) in self.blocks.iter().enumerate() {
            let kept = self.kept(index, block);
            if excess <= block.newlines {
                let nth = usize::try_from(excess - 1).unwrap_or(usize::MAX);
                let last = memchr::memchr_iter(b'\n', kept).nth(nth);
                len += last.map_or(0, |at| at + 1);
                break;
            }
            excess -= block.newlines;
            len += kept.len();
        }
        self.drop_front(len, keep_from);
    }
}

fn count(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(history: &History) -> Vec<u8> {
        let mut bytes = Vec::new();
        history.copy(history.start, usize::MAX, &mut bytes);
        bytes
    }

    #[test]
    fn the_last_lines_stay() {
        let mut history = History::new(0, 2);
        history.append(b"one\ntwo\nthree\nrest", u64::MAX);
        assert_eq!(all(&history), b"two\nthree\nrest");
        assert_eq!(history.start, 4);
        assert_eq!(history.total_newlines, 3);
    }

    #[test]
    fn what_no_log_has_yet_is_kept() {
        let mut history = History::new(0, 1);
        history.append(b"a\nb\nc\n", 2);
        assert_eq!(all(&history), b"b\nc\n");
    }

    #[test]
    fn a_flood_without_newlines_is_bounded() {
        let mut history = History::new(0, 10_000);
        for _ in 0..80 {
            history.append(&vec![b'x'; 100_000], u64::MAX);
        }
        assert_eq!(history.len(), MAX_HISTORY_BYTES);
        assert_eq!(history.end(), 8_000_000);
    }

    #[test]
    fn what_is_kept_is_copied_across_blocks() {
        let mut history = History::new(5, 1000);
        let all: Vec<u8> = (0..200_000_usize)
            .map(|at| match at % 37 {
                0 => b'\n',
                _ => (at % 251) as u8,
            })
            .collect();
        for piece in all.chunks(7001) {
            history.append(piece, u64::MAX);
        }
        let (from, end) = ((history.start - 5) as usize, all.len());
        assert_eq!(
            all[from..].iter().filter(|byte| **byte == b'\n').count(),
            1000
        );
        for (at, len) in [
            (from, 10),
            (from + 1, 40_000),
            (end - 20_000, 50_000),
            (end, 1),
        ] {
            let mut copied = Vec::new();
            history.copy(at as u64 + 5, len, &mut copied);
            assert!(copied == all[at..end.min(at + len)], "{at} {len}");
            let newlines = all[at..].iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(history.newlines_from(at as u64 + 5), newlines as u64);
        }
    }

    proptest! {
        #[test]
        fn any_pieces_leave_the_same_history(
            pieces in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![b'a', b'\n']), 0..40), 0..40),
            max_lines in 1u64..6,
        ) {
            let mut history = History::new(7, max_lines);
            let mut whole = Vec::new();
            for piece in &pieces {
                history.append(piece, u64::MAX);
                whole.extend_from_slice(piece);
            }
            let kept = all(&history);
            prop_assert_eq!(history.end(), 7 + whole.len() as u64);
            prop_assert!(whole.ends_with(&kept));
            let newlines = kept.iter().filter(|&&byte| byte == b'\n').count() as u64;
            let total = whole.iter().filter(|&&byte| byte == b'\n').count() as u64;
            prop_assert_eq!(newlines, total.min(max_lines));
            for (at, byte) in (history.start..).zip(&kept) {
                let left = history.newlines_from(at) - history.newlines_from(at + 1);
                prop_assert_eq!(left, u64::from(*byte == b'\n'));
            }
            prop_assert_eq!(history.total_newlines, total);
        }
    }
}
