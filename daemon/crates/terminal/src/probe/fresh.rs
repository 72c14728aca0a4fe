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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastTyped {
    at: Instant,
    /// It ended a line, which wakes a reader in canonical mode.
    ended_line: bool,
    /// The reader of a fresh probe since the input before it.
    reader: Option<InputReader>,
    /// End of the output before it.
    offset: u64,
}

impl LastTyped {
    /// Notes that `bytes` are typed now; `offset` is the end of the output.
    pub fn now(bytes: &[u8], reader: Option<InputReader>, offset: u64) -> Self {
        const END_OF_INPUT: u8 = 4;
        let ends_line = |byte: &u8| [b'\r', b'\n', END_OF_INPUT].contains(byte);
        Self {
            at: Instant::now(),
            ended_line: bytes.iter().any(ends_line),
            reader,
            offset,
        }
    }
}

/// Returns whether `after` can be trusted, taken after something was typed; the output ends at `end`.
/// The task that waits now must have waited before and have slept again since, or [`STALE_AFTER_WRITE`] must have passed
/// ([`ASLEEP_AFTER_WRITE`] if it may be the same sleep and the input should have woken it). A task that was not waiting at
/// the last probe before may have begun to wait between that probe and the input, which its switches cannot show. No
/// probe is trusted while output is unread: the program may have reacted to the input already.
pub fn fresh(typed: &LastTyped, after: &Probe, end: u64) -> bool {
    let since_write = after.at.saturating_duration_since(typed.at);
    is_fresh(typed, after, end, since_write)
}

fn is_fresh(typed: &LastTyped, after: &Probe, end: u64, since_write: Duration) -> bool {
    let before = typed.reader.as_ref();
    if after.unread_output_bytes > 0 {
        return false;
    }
    if since_write >= STALE_AFTER_WRITE {
        let may_sleep_on = match (&after.reader, before) {
            (Some(now), Some(then)) => {
                (now.tid, now.voluntary_switches) == (then.tid, then.voluntary_switches)
            }
            // What a program in raw mode prints shows that it has woken; lines are echoed by the terminal itself.
            (Some(_), None) => !after.line.canonical && end <= typed.offset,
            (None, _) => false,
        };
        let wakes = typed.ended_line || !after.line.canonical;
        return !wakes || !may_sleep_on || since_write >= ASLEEP_AFTER_WRITE;
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

    /// Asserts that a probe after `typed` counts from `since` on, when the output ends at `end`.
    #[track_caller]
    fn assert_fresh(
        typed: &[u8],
        before: Option<InputReader>,
        after: &Probe,
        end: u64,
        since: Duration,
    ) {
        let typed = LastTyped::now(typed, before, 7);
        assert!(is_fresh(&typed, after, end, since), "{typed:?} {after:?}");
        // It did not a moment before, unless it does at once.
        if let Some(earlier) = since.checked_sub(Duration::from_millis(1)) {
            let is_early = is_fresh(&typed, after, end, earlier);
            assert!(!is_early, "{typed:?} {after:?}");
        }
    }

    #[test]
    fn a_probe_counts_once_the_reader_must_have_run_since_the_write() {
        let raw = waiting(READER);
        let mut canonical = waiting(READER);
        canonical.line.canonical = true;
        let again = waiting(InputReader {
            voluntary_switches: 41,
            ..READER
        });
        let other = waiting(InputReader {
            tid: 8,
            voluntary_switches: 99,
            ..READER
        });
        let no = sample(InputWait::No, None);
        let unknown = sample(InputWait::Unknown, None);
        let (same, none) = (Some(READER), None);
        for (typed, before, after, end, since) in [
            (&b"x"[..], same, &canonical, 7, STALE_AFTER_WRITE),
            (b"x\r", same, &canonical, 7, ASLEEP_AFTER_WRITE),
            (b"x", same, &raw, 9, ASLEEP_AFTER_WRITE),
            (b"x", same, &again, 7, Duration::ZERO),
            (b"x", same, &other, 7, STALE_AFTER_WRITE),
            // Nothing is known of the reader before.
            (b"x", none, &raw, 7, ASLEEP_AFTER_WRITE),
            (b"x", none, &raw, 8, STALE_AFTER_WRITE),
            (b"x\r", none, &canonical, 7, STALE_AFTER_WRITE),
            // A no counts at once.
            (b"x", same, &no, 7, Duration::ZERO),
            (b"x", same, &unknown, 7, STALE_AFTER_WRITE),
        ] {
            assert_fresh(typed, before, after, end, since);
        }
    }

    #[test]
    fn nothing_counts_while_output_is_unread() {
        let mut behind = waiting(READER);
        behind.unread_output_bytes = 1;
        let typed = LastTyped::now(b"x", Some(READER), 7);
        assert!(!is_fresh(&typed, &behind, 8, ASLEEP_AFTER_WRITE));
    }
}
