//! When a probe after typed input can be trusted.

use std::time::{Duration, Instant};

use super::report::{InputReader, InputWait, Probe};

/// How long after a write a task may still look as if it had not been woken by it.
/// The kernel passes on typed bytes in a worker thread; 4 ms were measured on a busy machine. In canonical mode, an
/// incomplete line never wakes the reader, so only this time shows that it is still waiting.
pub const STALE_AFTER_WRITE: Duration = Duration::from_millis(20);

/// How long a task that has not woken may be expected to wake, however busy the machine is, after what wakes a reader:
/// every byte in raw mode, the end of a line in canonical mode. The program may have discarded it.
const ASLEEP_AFTER_WRITE: Duration = Duration::from_secs(1);

/// What was last typed, as far as it matters for a probe after it.
#[derive(Debug, Clone, Copy)]
pub struct LastTyped {
    at: Instant,
    /// It ended a line, which wakes a reader in canonical mode.
    ended_line: bool,
    /// The reader of the last probe before it.
    reader: Option<InputReader>,
}

impl LastTyped {
    /// Notes that `bytes` are typed now.
    pub fn now(bytes: &[u8], reader: Option<InputReader>) -> Self {
        const END_OF_INPUT: u8 = 4;
        let ends_line = |byte: &u8| [b'\r', b'\n', END_OF_INPUT].contains(byte);
        Self {
            at: Instant::now(),
            ended_line: bytes.iter().any(ends_line),
            reader,
        }
    }
}

/// Returns whether `after` can be trusted, taken after something was typed.
/// The task that waits now must have waited before and have slept again since, or [`STALE_AFTER_WRITE`] must have passed
/// ([`ASLEEP_AFTER_WRITE`] if it is the same sleep and the input should have woken it). A task that was not waiting at
/// the last probe before may have begun to wait between that probe and the input, which its switches cannot show. No
/// probe is trusted while output is unread: the program may have reacted to the input already.
pub fn fresh(typed: &LastTyped, after: &Probe) -> bool {
    is_fresh(typed, after, typed.at.elapsed())
}

fn is_fresh(typed: &LastTyped, after: &Probe, since_write: Duration) -> bool {
    let before = typed.reader.as_ref();
    if after.unread_output_bytes > 0 {
        return false;
    }
    if since_write >= STALE_AFTER_WRITE {
        let is_same_sleep = matches!((&after.reader, before), (Some(now), Some(then))
            if (now.tid, now.voluntary_switches) == (then.tid, then.voluntary_switches));
        let wakes = typed.ended_line || !after.line.canonical;
        return !wakes || !is_same_sleep || since_write >= ASLEEP_AFTER_WRITE;
    }
    match (&after.reader, before) {
        (Some(now), Some(then)) => {
            (now.pid, now.tid) == (then.pid, then.tid)
                && now.voluntary_switches > then.voluntary_switches
        }
        (Some(_), None) => false,
        // A task that is doing something else cannot be stale; without a visible task, nothing is known.
        (None, _) => after.verdict == InputWait::No,
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::{READER, sample};
    use super::*;

    fn waiting(reader: InputReader) -> Probe {
        sample(InputWait::Blocked, Some(reader))
    }

    #[track_caller]
    fn assert_fresh(typed: &[u8], before: Option<InputReader>, after: &Probe, since: Duration) {
        let typed = LastTyped::now(typed, before);
        assert!(is_fresh(&typed, after, since), "{typed:?} {after:?}");
        // It was not a moment before, unless it is at once.
        if let Some(earlier) = since.checked_sub(Duration::from_millis(1)) {
            assert!(!is_fresh(&typed, after, earlier), "{typed:?} {after:?}");
        }
    }

    #[test]
    fn a_task_that_has_not_run_since_the_write_is_stale() {
        let raw = waiting(READER);
        let mut canonical = waiting(READER);
        canonical.line.canonical = true;
        for (typed, after, since) in [
            (&b"x"[..], &canonical, STALE_AFTER_WRITE),
            (b"x\r", &canonical, ASLEEP_AFTER_WRITE),
            (b"x", &raw, ASLEEP_AFTER_WRITE),
        ] {
            assert_fresh(typed, Some(READER), after, since);
        }
    }

    #[test]
    fn a_task_that_has_slept_anew_is_fresh_at_once() {
        let again = InputReader {
            voluntary_switches: 41,
            ..READER
        };
        assert_fresh(b"x", Some(READER), &waiting(again), Duration::ZERO);
    }

    #[test]
    fn another_reader_than_before_needs_the_time() {
        let other = InputReader {
            tid: 8,
            voluntary_switches: 99,
            ..READER
        };
        for before in [Some(READER), None] {
            assert_fresh(b"x", before, &waiting(other), STALE_AFTER_WRITE);
        }
    }

    #[test]
    fn a_no_counts_at_once_and_an_unknown_does_not() {
        let (no, unknown) = (
            sample(InputWait::No, None),
            sample(InputWait::Unknown, None),
        );
        assert_fresh(b"x", Some(READER), &no, Duration::ZERO);
        assert_fresh(b"x", Some(READER), &unknown, STALE_AFTER_WRITE);
    }

    #[test]
    fn nothing_counts_while_output_is_unread() {
        let mut behind = waiting(READER);
        behind.unread_output_bytes = 1;
        let typed = LastTyped::now(b"x", Some(READER));
        assert!(!is_fresh(&typed, &behind, ASLEEP_AFTER_WRITE));
    }
}
