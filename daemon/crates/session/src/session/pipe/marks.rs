//! Arrival times of output, for a pipe that writes it later.

use std::collections::VecDeque;

/// At this many marks, each pair is merged: the later mark then covers the output of both.
const MAX_MARKS: usize = 1024;

/// Ends of output, each with the time at which it was seen.
#[derive(Debug, Default)]
pub(super) struct Marks(VecDeque<Arrival>);

/// Output from the end of the mark before up to `end` had arrived at `unix_ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrival {
    pub(super) end: u64,
    pub(super) unix_ms: u64,
}

impl Marks {
    /// Notes that the output now ends at `end`.
    pub(super) fn note(&mut self, end: u64, unix_ms: u64) {
        match self.0.back_mut() {
            Some(last) if last.end >= end => {}
            Some(last) if last.unix_ms == unix_ms => last.end = end,
            _ => self.0.push_back(Arrival { end, unix_ms }),
        }
        // An even number, so the newest is the second of its pair.
        if self.0.len() == MAX_MARKS {
            let mut is_second = false;
            self.0.retain(|_| {
                is_second = !is_second;
                !is_second
            });
        }
    }

    /// Returns the mark of the byte at `at`; `None` if it did not arrive while the pipe could not write.
    pub(super) fn of(&mut self, at: u64) -> Option<Arrival> {
        while self.0.front().is_some_and(|mark| mark.end <= at) {
            self.0.pop_front();
        }
        self.0.front().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_has_the_time_at_which_it_was_first_seen() {
        let mut marks = Marks::default();
        for (end, ms) in [(10, 1), (10, 2), (20, 3), (30, 3), (40, 4)] {
            marks.note(end, ms);
        }
        assert_eq!(
            marks.of(0),
            Some(Arrival {
                end: 10,
                unix_ms: 1
            })
        );
        assert_eq!(
            marks.of(10),
            Some(Arrival {
                end: 30,
                unix_ms: 3
            })
        );
        assert_eq!(marks.of(40), None);
    }

    #[test]
    fn there_are_never_too_many() {
        let mut marks = Marks::default();
        for n in 1..10_000 {
            marks.note(n, n);
            assert!(marks.0.len() <= MAX_MARKS);
            assert_eq!(marks.0.back().unwrap().end, n);
        }
    }
}
