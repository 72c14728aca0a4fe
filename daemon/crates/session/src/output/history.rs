//! The newest output, in memory: bounded by lines and by bytes.

use std::collections::VecDeque;

/// Most bytes kept in memory for one session.
pub(super) const MAX_HISTORY_BYTES: usize = 4 << 20;

/// Output `[start, end)`, oldest bytes dropped first.
#[derive(Debug)]
pub(super) struct OutputHistory {
    bytes: VecDeque<u8>,
    /// Offset of the oldest byte kept.
    pub(super) start: u64,
    /// Newlines that are kept.
    newlines: u64,
    /// Newlines since the session began.
    pub(super) total_newlines: u64,
    max_lines: u64,
}

impl OutputHistory {
    /// Makes an empty history whose next byte has the offset `start`.
    pub(super) fn new(start: u64, max_lines: u64) -> Self {
        Self::behind(start, 0, max_lines)
    }

    pub(super) fn behind(start: u64, newlines: u64, max_lines: u64) -> Self {
        Self {
            bytes: VecDeque::new(),
            start,
            newlines: 0,
            total_newlines: newlines,
            max_lines: max_lines.max(1),
        }
    }

    /// Returns the offset just after the newest byte.
    pub(super) fn end(&self) -> u64 {
        self.start + self.len() as u64
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the number of newlines from the offset `from` on, which must be in memory.
    pub(super) fn newlines_from(&self, from: u64) -> u64 {
        self.slices(self.index_of(from), usize::MAX)
            .map(count)
            .iter()
            .sum()
    }

    /// Appends output and drops what exceeds the limits, but nothing from `keep_from` on.
    pub(super) fn append(&mut self, data: &[u8], keep_from: u64) {
        let over = (self.len() + data.len()).saturating_sub(MAX_HISTORY_BYTES);
        self.drop_front(over, keep_from);
        let newlines = count(data);
        let len = self.len() + data.len();
        if len > MAX_HISTORY_BYTES / 2 {
            // Doubling would reserve up to twice the limit.
            self.bytes
                .reserve_exact(len.max(MAX_HISTORY_BYTES) - self.len());
        }
        self.bytes.extend(data);
        self.newlines += newlines;
        self.total_newlines += newlines;
        self.trim_lines(keep_from);
    }

    /// Drops what exceeds the limits, but nothing from `keep_from` on.
    pub(super) fn trim(&mut self, keep_from: u64) {
        let over = self.len().saturating_sub(MAX_HISTORY_BYTES);
        self.drop_front(over, keep_from);
        self.trim_lines(keep_from);
    }

    /// Appends at most `max_bytes` from `from` on, which must lie within `[start, end]`, to `into`.
    pub(super) fn copy(&self, from: u64, max_bytes: usize, into: &mut Vec<u8>) {
        for part in self.slices(self.index_of(from), max_bytes) {
            into.extend_from_slice(part);
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

    fn index_of(&self, offset: u64) -> usize {
        let index = usize::try_from(offset.saturating_sub(self.start));
        index.unwrap_or(usize::MAX).min(self.len())
    }

    /// Returns at most `len` of the kept bytes after the first `skip`, in two parts.
    fn slices(&self, skip: usize, len: usize) -> [&[u8]; 2] {
        let (first, second) = self.bytes.as_slices();
        let end = self.len().min(skip.saturating_add(len));
        let middle = first.len();
        [
            &first[skip.min(middle)..end.min(middle)],
            &second[skip.max(middle) - middle..end.max(middle) - middle],
        ]
    }

    fn drop_front(&mut self, len: usize, keep_from: u64) {
        let len = len.min(self.index_of(keep_from));
        self.newlines -= self.slices(0, len).map(count).iter().sum::<u64>();
        self.bytes.drain(..len);
        if self.len() < self.bytes.capacity() / 4 {
            self.bytes.shrink_to(self.bytes.capacity() / 2);
        }
        self.start += len as u64;
    }

    /// Keeps `max_lines` whole lines and the unfinished line after them.
    fn trim_lines(&mut self, keep_from: u64) {
        let Some(surplus) = self.newlines.checked_sub(self.max_lines + 1) else {
            return;
        };
        let [first, second] = self.slices(0, usize::MAX);
        let in_second = memchr::memchr_iter(b'\n', second).map(|at| first.len() + at);
        let mut newlines = memchr::memchr_iter(b'\n', first).chain(in_second);
        let last = newlines.nth(usize::try_from(surplus).unwrap_or(usize::MAX));
        self.drop_front(last.map_or(0, |at| at + 1), keep_from);
    }
}

fn count(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(history: &OutputHistory) -> Vec<u8> {
        let mut bytes = Vec::new();
        history.copy(history.start, usize::MAX, &mut bytes);
        bytes
    }

    #[test]
    fn the_last_lines_stay() {
        let mut history = OutputHistory::new(0, 2);
        history.append(b"one\ntwo\nthree\nrest", u64::MAX);
        assert_eq!(all(&history), b"two\nthree\nrest");
        assert_eq!(history.start, 4);
        assert_eq!(history.total_newlines, 3);
    }

    #[test]
    fn what_no_log_has_yet_is_kept() {
        let mut history = OutputHistory::new(0, 1);
        history.append(b"a\nb\nc\n", 2);
        assert_eq!(all(&history), b"b\nc\n");
    }

    #[test]
    fn a_flood_without_newlines_is_bounded() {
        let mut history = OutputHistory::new(0, 10_000);
        for _ in 0..80 {
            history.append(&vec![b'x'; 100_000], u64::MAX);
        }
        assert_eq!(history.len(), MAX_HISTORY_BYTES);
        assert!(history.bytes.capacity() < MAX_HISTORY_BYTES + MAX_HISTORY_BYTES / 4);
        assert_eq!(history.end(), 8_000_000);
    }

    proptest! {
        #[test]
        fn any_pieces_leave_the_same_history(
            pieces in prop::collection::vec(prop::collection::vec(prop::sample::select(vec![b'a', b'\n']), 0..40), 0..40),
            max_lines in 1u64..6,
        ) {
            let mut history = OutputHistory::new(7, max_lines);
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
                let mut copied = Vec::new();
                history.copy(at, 3, &mut copied);
                let from = usize::try_from(at - history.start).unwrap();
                prop_assert_eq!(&copied, &kept[from..kept.len().min(from + 3)]);
            }
            prop_assert_eq!(history.total_newlines, total);
        }
    }
}
