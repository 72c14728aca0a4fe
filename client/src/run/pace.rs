//! How fast piped input is typed.
//! A recording is a conversation: a line that is typed before the program asks for it would appear at a different
//! prompt each time. So for a recording, each line is held back until the program waits for input, as a person would
//! do.

use super::grace::wait;
use crate::call::DaemonAddress;
use ccd_protocol::Timeout;
use ccd_protocol::session::WaitFor;
use ccd_protocol::tape::{RecordMode, TapeOptions};
use std::time::{Duration, Instant};

/// Most lines that are held back; longer input is not a conversation.
const MAX_LINES: u32 = 100;

/// How long to wait for the program; one that has not asked by then reads whenever it wants.
const PATIENCE: Duration = Duration::from_secs(5);

/// Longest wait for all lines together.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Types line by line as long as lines are held back, then everything at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InputPace {
    lines_left: u32,
    time_left: Duration,
}

impl InputPace {
    /// Returns the pace: everything at once, unless the program is recorded.
    pub(crate) fn of(options: Option<&TapeOptions>) -> Self {
        let record = options.and_then(|options| options.record);
        let records = matches!(record, Some(RecordMode::New | RecordMode::Overwrite));
        Self {
            lines_left: if records { MAX_LINES } else { 0 },
            time_left: MAX_WAIT,
        }
    }

    /// How many of the bytes to type next: a line, or all.
    pub(super) fn next_len(self, bytes: &[u8]) -> usize {
        let newline = bytes.iter().position(|&byte| byte == b'\n');
        match newline {
            Some(at) if self.lines_left > 0 => at + 1,
            _ => bytes.len(),
        }
    }

    pub(super) fn wait(&mut self, place: &DaemonAddress, session: &str) {
        let patience = self.time_left.min(PATIENCE);
        if self.lines_left == 0 || patience.is_zero() {
            self.lines_left = 0;
            return;
        }
        let began = Instant::now();
        let limit = Timeout::After(patience.as_secs_f64() * 1000.0);
        self.lines_left = if wait(place, session, WaitFor::Input, limit) {
            self.lines_left - 1
        } else {
            0
        };
        self.time_left = self.time_left.saturating_sub(began.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_recorded_is_typed_line_by_line() {
        let all_at_once = InputPace::of(None);
        assert_eq!(all_at_once.next_len(b"a\nb\n"), 4);
        assert_eq!(InputPace::of(Some(&TapeOptions::default())), all_at_once);
        let recorded = TapeOptions {
            record: Some(RecordMode::New),
            ..TapeOptions::default()
        };
        let by_line = InputPace::of(Some(&recorded));
        assert_eq!(by_line.next_len(b"a\nb\n"), 2);
        assert_eq!(by_line.next_len(b"ab"), 2);
    }
}
