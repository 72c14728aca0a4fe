//! The newest output, in memory: bounded by lines and by bytes.

use std::collections::VecDeque;

/// Most bytes kept in memory for one session.
pub(super) const MAX_HISTORY_BYTES: usize = 4 << 20;

/// Output `[start, end)`, oldest bytes dropped first.
#[derive(Debug)]
pub(super) struct History {
    bytes: VecDeque<u8>,
    /// Offset of the oldest byte kept.
    pub(super) start: u64,
    newlines: u64,
    /// Newlines since the session began.
    pub(super) total_newlines: u64,
    max_lines: u64,
}

impl History {
    /// Makes an empty history whose next byte has the offset `start`.
    pub(super) fn new(start: u64, max_lines: u64) -> Self {
        Self {
            bytes: VecDeque::new(),
            start,
            newlines: 0,
            total_newlines: 0,
            max_lines: max_lines.max(1),
        }
    }

    /// Makes an empty history after `newlines` newlines.
    pub(super) fn behind(start: u64, newlines: u64, max_lines: u64) -> Self {
        Self {
            total_newlines: newlines,
            ..Self::new(start, max_lines)
        }
    }

    /// Returns the offset just after the newest byte.
    pub(super) fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// Returns the number of bytes in memory.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the number of newlines from the offset `from` on, which must be in memory.
    pub(super) fn newlines_from(&self, from: u64) -> u64 {
        let skip = usize::try_from(from.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let (first, second) = self.bytes.as_slices();
        let in_first = &first[skip.min(first.len())..];
        let in_second = &second[skip.saturating_sub(first.len()).min(second.len())..];
        (memchr::memchr_iter(b'\n', in_first).count()
            + memchr::memchr_iter(b'\n', in_second).count()) as u64
    }

    /// Appends output and drops what exceeds the limits, but nothing from `keep_from` on.
    pub(super) fn append(&mut self, data: &[u8], keep_from: u64) {
        let over = (self.bytes.len() + data.len()).saturating_sub(MAX_HISTORY_BYTES);
        self.drop_front(over, keep_from);
        let newlines = memchr::memchr_iter(b'\n', data).count() as u64;
        self.bytes.extend(data);
        self.newlines += newlines;
        self.total_newlines += newlines;
        self.trim_lines(keep_from);
    }

    /// Drops what exceeds the limits, but nothing from `keep_from` on.
    pub(super) fn trim(&mut self, keep_from: u64) {
        let over = self.bytes.len().saturating_sub(MAX_HISTORY_BYTES);
        self.drop_front(over, keep_from);
        self.trim_lines(keep_from);
    }

    /// Appends the bytes from `from` on, at most `max_bytes`, to `into`.
    ///
    /// `from` must lie within `[start, end]`.
    pub(super) fn copy(&self, from: u64, max_bytes: usize, into: &mut Vec<u8>) {
        let skip = usize::try_from(from - self.start).unwrap_or(usize::MAX);
        let take = self.bytes.len().saturating_sub(skip).min(max_bytes);
        let (first, second) = self.bytes.as_slices();
        let in_first = &first[skip.min(first.len())..];
        let part = &in_first[..in_first.len().min(take)];
        into.extend_from_slice(part);
        let skip_second = skip.saturating_sub(first.len());
        let left = take - part.len();
        into.extend_from_slice(&second[skip_second..skip_second + left]);
    }

    /// Drops everything, because the log has it.
    pub(super) fn clear(&mut self) {
        self.start = self.end();
        self.bytes = VecDeque::new();
        self.newlines = 0;
    }

    fn drop_front(&mut self, len: usize, keep_from: u64) {
        let allowed = usize::try_from(keep_from.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let len = len.min(allowed).min(self.bytes.len());
        if len == 0 {
            return;
        }
        let (first, second) = self.bytes.as_slices();
        let in_first = len.min(first.len());
        let gone = memchr::memchr_iter(b'\n', &first[..in_first]).count()
            + memchr::memchr_iter(b'\n', &second[..len - in_first]).count();
        self.newlines -= gone as u64;
        self.bytes.drain(..len);
        self.start += len as u64;
    }

    /// Keeps `max_lines` whole lines and the unfinished line after them.
    fn trim_lines(&mut self, keep_from: u64) {
        let excess = self.newlines.saturating_sub(self.max_lines);
        if excess == 0 {
            return;
        }
        let nth = usize::try_from(excess - 1).unwrap_or(usize::MAX);
        let (first, second) = self.bytes.as_slices();
        let in_first = memchr::memchr_iter(b'\n', first).nth(nth);
        let position = in_first.or_else(|| {
            let before = memchr::memchr_iter(b'\n', first).count();
            memchr::memchr_iter(b'\n', second)
                .nth(nth - before)
                .map(|at| first.len() + at)
        });
        if let Some(position) = position {
            self.drop_front(position + 1, keep_from);
        }
    }
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
